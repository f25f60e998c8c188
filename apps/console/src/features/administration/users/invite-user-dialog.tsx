import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { InvitationSent } from '../../../components/invitation-sent.tsx';
import { useFormMutation } from '../../../data/use-form-mutation.ts';
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
  const { form, errors, data } = useFormMutation({
    send: () => client.users.invite({ email }),
    fields: ['email'],
    onSuccess: () => queryClient.invalidateQueries({ queryKey: INVITATIONS_KEY }),
  });
  if (data)
    return (
      <InvitationSent
        email={data.email}
        hint={t('components.inviteLinkHint', { email: data.email })}
        link={`${location.origin}${basePath}/invitation?to=platform#${data.token}`}
        onClose={onClose}
      />
    );
  return (
    <DialogForm {...form} submitLabel={t('components.invite')} onCancel={onClose} isIncomplete={!email.includes('@')}>
      <TextInput
        label={t('components.email')}
        description={t('administration.inviteHint')}
        error={errors.email}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        inputMode="email"
        required
        data-autofocus
      />
    </DialogForm>
  );
}
