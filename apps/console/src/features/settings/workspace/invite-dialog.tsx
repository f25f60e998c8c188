import { Alert, Button, Select, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { basePath } from '../../../base-path.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/dialog-form.tsx';
import { Secret } from '../../../components/secret.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { givenBy, type Role } from './roles.ts';

interface InviteDialogProps {
  opened: boolean;
  onClose: () => void;
  workspaceId: string;
  onInvited: () => void;
}

/** Where the invited person accepts. The address says when an account is needed. */
function linkOf({ token, new_account }: { token: string; new_account: boolean }): string {
  return `${location.origin}${basePath}/invitation${new_account ? '' : '?account=required'}#${token}`;
}

export function InviteDialog(props: InviteDialogProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="Invite someone" closeOnClickOutside={false}>
      <InviteForm {...props} />
    </Dialog>
  );
}

function InviteForm({ onClose, workspaceId, onInvited }: InviteDialogProps) {
  const { client } = useScope();
  const { role: own } = useRole();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const invite = useMutation({
    mutationFn: () => client.workspaces.invite(workspaceId, { email, role }),
    onSuccess: onInvited,
    onError: notifyError,
  });
  if (invite.data)
    return (
      <Stack>
        <Alert color="yellow" title={`Send this link to ${invite.data.email} yourself`}>
          No email is sent, and the link is shown only once.{' '}
          {invite.data.new_account
            ? `Anyone who opens it can create the account for ${invite.data.email}.`
            : 'It only works for someone who has an account. Ask an operator of the platform to invite new users.'}
        </Alert>
        <Secret value={linkOf(invite.data)} />
        <Button onClick={onClose}>I have it</Button>
      </Stack>
    );
  return (
    <DialogForm
      submit="Invite"
      onSubmit={() => invite.mutate()}
      onCancel={onClose}
      isPending={invite.isPending}
      isIncomplete={!email.includes('@')}
    >
      <TextInput
        label="E-mail"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        inputMode="email"
        required
        data-autofocus
      />
      <Select
        label="Role"
        description={own === 'owner' ? undefined : 'Only owners invite admins and owners.'}
        data={givenBy(own)}
        value={role}
        onChange={(value) => setRole((value ?? role) as Role)}
        allowDeselect={false}
      />
    </DialogForm>
  );
}
