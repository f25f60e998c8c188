import { Button, Checkbox, Group, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { Form } from '../../../components/form.tsx';
import { ErrorAlert } from '../../../components/placeholders.tsx';
import { SectionTitle } from '../../../components/text.tsx';
import { formErrors } from '../../../data/describe-error.ts';
import { notifySuccess } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';
import { LOGINS_KEY } from './logins-section.tsx';

export function PasswordForm() {
  const { client } = useAccount();
  const queryClient = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [endsLogins, setEndsLogins] = useState(true);
  const [revokesKeys, setRevokesKeys] = useState(false);
  const change = useMutation({
    mutationFn: () =>
      client.me.changePassword({
        current_password: current,
        new_password: next,
        end_logins: endsLogins,
        revoke_keys: revokesKeys,
      }),
    onError: undefined, // shown in the form
    onSuccess: () => {
      setCurrent('');
      setNext('');
      setRevokesKeys(false);
      notifySuccess(t('settings.passwordChanged'));
      void queryClient.invalidateQueries({ queryKey: LOGINS_KEY });
      void queryClient.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const errors = formErrors(change.error, ['current_password', 'new_password']);
  return (
    <Form onSubmit={() => change.mutate()}>
      <Stack maw={420}>
        <SectionTitle>{t('components.password')}</SectionTitle>
        {errors.rest && <ErrorAlert error={errors.rest} />}
        <PasswordInput
          label={t('settings.currentPassword')}
          error={errors.at.current_password}
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          required
        />
        <PasswordInput
          label={t('settings.newPassword')}
          error={errors.at.new_password}
          description={t('components.atLeast8Characters')}
          autoComplete="new-password"
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
          minLength={8}
          required
        />
        <Checkbox
          label={t('settings.signOutElsewhere')}
          checked={endsLogins}
          onChange={(event) => setEndsLogins(event.currentTarget.checked)}
        />
        <Checkbox
          label={t('settings.revokeAllKeys')}
          description={t('settings.revokeAllKeysHint')}
          checked={revokesKeys}
          onChange={(event) => setRevokesKeys(event.currentTarget.checked)}
        />
        <Group>
          <Button type="submit" loading={change.isPending} disabled={next.length < 8 || current === ''}>
            {t('settings.changePassword')}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
