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

export function InviteDialog(props: InviteDialogProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="Invite somebody" closeOnClickOutside={false}>
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
        <Alert color="yellow" title={`Send this to ${invite.data.email} yourself`}>
          No mail is sent, and the address is shown this once. It lets in whoever opens it as {invite.data.email}.
        </Alert>
        <Secret value={`${location.origin}${basePath}/invitation#${invite.data.token}`} />
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
