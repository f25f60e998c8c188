import { ChorusError } from '@chorus/client';
import { Alert, Button, Divider, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { confirmAtProvider, confirmationTicket, dropConfirmation } from '../../../account/single-sign-on.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Form } from '../../../components/form.tsx';
import { ErrorAlert, QueryView } from '../../../components/placeholders.tsx';
import { formErrors } from '../../../data/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';

export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const { client } = useAccount();
  const plan = useQuery({
    queryKey: ['me', 'deletion'],
    queryFn: ({ signal }) => client.me.deletion.plan({ signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const close = () => {
    dropConfirmation();
    onClose();
  };
  return (
    <Dialog opened onClose={close} title={t('personal.deleteTitle')}>
      <QueryView query={plan}>{(loaded) => <DeleteForm plan={loaded} onClose={close} />}</QueryView>
    </Dialog>
  );
}

type Plan = Awaited<ReturnType<ReturnType<typeof useAccount>['client']['me']['deletion']['plan']>>;

const namesOf = (workspaces: Plan['erased_workspaces']) => workspaces.map(({ name }) => name).join(', ');

function DeleteForm({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const { client, signOut } = useAccount();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { needs_code, erased_workspaces: erased, blocking_workspaces: blocking, only_operator } = plan;
  const { identity_provider: provider } = plan;
  const isBlocked = only_operator || blocking.length > 0;
  const [ticket, setTicket] = useState(confirmationTicket);
  const asksPassword = ticket === null && (plan.password || provider === null);
  const mayDelete = !isBlocked && (ticket !== null || asksPassword);
  const confirm = useMutation({ mutationFn: () => confirmAtProvider('/settings/account') });
  const leave = useMutation({
    mutationFn: () =>
      client.me.deletion.confirm({
        ...(ticket === null ? { current_password: password } : { ticket }),
        ...(needs_code && { code: code.trim() }),
      }),
    // Shown in the form.
    onError: (error) => {
      if (!(error instanceof ChorusError) || error.code !== 'sso_failed') return;
      dropConfirmation();
      setTicket(null);
    },
    onSuccess: signOut,
  });
  const errors = formErrors(leave.error, ['current_password', 'code']);
  return (
    <Form onSubmit={() => leave.mutate()}>
      <Stack>
        <Text size="sm">{t('personal.deleteErases')}</Text>
        {erased.length > 0 && <Text size="sm">{t('personal.deleteWorkspaces', { names: namesOf(erased) })}</Text>}
        {only_operator && <Alert color="yellow">{t('personal.onlyOperator')}</Alert>}
        {blocking.length > 0 && (
          <Alert color="yellow">{t('personal.deleteBlocked', { names: namesOf(blocking) })}</Alert>
        )}
        {errors.rest && <ErrorAlert error={errors.rest} />}
        {confirm.error && <ErrorAlert error={confirm.error} />}
        {!isBlocked && provider !== null && ticket !== null && (
          <Text size="sm">{t('personal.confirmedAt', { name: provider })}</Text>
        )}
        {!isBlocked && provider !== null && ticket === null && (
          <>
            <Button
              variant="default"
              loading={confirm.isPending || confirm.isSuccess}
              onClick={() => confirm.mutate()}
              fullWidth
            >
              {t('personal.confirmWith', { name: provider })}
            </Button>
            {asksPassword && <Divider label={t('common.or')} />}
          </>
        )}
        {mayDelete && (
          <>
            {asksPassword && (
              <PasswordInput
                label={t('personal.currentPassword')}
                autoComplete="current-password"
                value={password}
                error={errors.at.current_password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                data-autofocus
                required
              />
            )}
            {needs_code && (
              <TextInput
                label={t('personal.authenticatorCode')}
                autoComplete="one-time-code"
                value={code}
                error={errors.at.code}
                onChange={(event) => setCode(event.currentTarget.value)}
                required
              />
            )}
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('personal.cancel')}
          </Button>
          {mayDelete && (
            <Button
              type="submit"
              color="red.9"
              loading={leave.isPending}
              disabled={(asksPassword && password === '') || (needs_code && code.trim().length < 6)}
            >
              {t('personal.deleteAccount')}
            </Button>
          )}
        </Group>
      </Stack>
    </Form>
  );
}
