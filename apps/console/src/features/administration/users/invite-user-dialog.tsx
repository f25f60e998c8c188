import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { Secret } from '../../../components/secret.tsx';
import { formErrors } from '../../../data/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import { basePath } from '../../../page-config.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { INVITATIONS_KEY } from './user-invitations.tsx';

interface InviteUserDialogProps {
  opened: boolean;
  onClose: () => void;
}

export function InviteUserDialog({ opened, onClose }: InviteUserDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t('components.inviteSomeone')} closeOnClickOutside={false}>
      <InviteUserForm onClose={onClose} />
    </Dialog>
  );
}

function InviteUserForm({ onClose }: { onClose: () => void }) {
  const { client } = useScope();
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const invite = useMutation({
    mutationFn: () => client.users.invite({ email }),
    onError: undefined, // shown in the form
    onSuccess: () => queryClient.invalidateQueries({ queryKey: INVITATIONS_KEY }),
  });
  const errors = formErrors(invite.error, ['email']);
  if (invite.data)
    return (
      <Stack>
        <Alert color="yellow" title={t('components.sendLinkYourself', { email: invite.data.email })}>
          {t('components.inviteLinkHint', { email: invite.data.email })}
        </Alert>
        <Secret value={`${location.origin}${basePath}/invitation?to=platform#${invite.data.token}`} />
        <Button onClick={onClose}>{t('common.done')}</Button>
      </Stack>
    );
  return (
    <DialogForm
      submitLabel={t('components.invite')}
      onSubmit={() => invite.mutate()}
      onCancel={onClose}
      isPending={invite.isPending}
      isIncomplete={!email.includes('@')}
      error={errors.rest}
    >
      <TextInput
        label={t('components.email')}
        description={t('administration.inviteHint')}
        error={errors.at.email}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        inputMode="email"
        required
        data-autofocus
      />
    </DialogForm>
  );
}
