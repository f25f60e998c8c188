import { Alert, Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { InvitationTable } from '../../../components/invitation-table.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Secret } from '../../../components/secret.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { formErrors } from '../../../data/describe-error.ts';
import { basePath } from '../../../page-config.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { assignableRoles, type Role } from './members.tsx';

export function Invitations({ workspaceId }: { workspaceId: string }) {
  const { client, scopeKey } = useScope();
  const [isInviting, inviting] = useDisclosure();
  const invitations = useQuery({
    queryKey: [scopeKey, 'invitations'],
    queryFn: ({ signal }) => Array.fromAsync(client.workspaces.invitations(workspaceId, { signal })),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => client.workspaces.revokeInvitation(workspaceId, id),
    onSettled: () => invitations.refetch(),
  });
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <SectionTitle>Invitations</SectionTitle>
        <Button onClick={inviting.open}>Invite someone</Button>
      </Group>
      <QueryView query={invitations}>
        {(all) =>
          all.length === 0 ? (
            <Dimmed>No pending invitations.</Dimmed>
          ) : (
            <InvitationTable invitations={all} onRevoke={revoke.mutate} />
          )
        }
      </QueryView>
      <InviteDialog
        opened={isInviting}
        onClose={inviting.close}
        workspaceId={workspaceId}
        onInvited={() => invitations.refetch()}
      />
    </section>
  );
}

interface InviteDialogProps {
  opened: boolean;
  onClose: () => void;
  workspaceId: string;
  onInvited: () => void;
}

/** Returns the link to accept an invitation. Its query says whether an account is required. */
function linkOf({ token, new_account }: { token: string; new_account: boolean }): string {
  return `${location.origin}${basePath}/invitation${new_account ? '' : '?account=required'}#${token}`;
}

function InviteDialog(props: InviteDialogProps) {
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
    onError: undefined, // shown in the form
    onSuccess: onInvited,
  });
  const errors = formErrors(invite.error, ['email', 'role']);
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
        <Button onClick={onClose}>Done</Button>
      </Stack>
    );
  return (
    <DialogForm
      submitLabel="Invite"
      onSubmit={() => invite.mutate()}
      onCancel={onClose}
      isPending={invite.isPending}
      isIncomplete={!email.includes('@')}
      error={errors.rest}
    >
      <TextInput
        label="Email"
        error={errors.at.email}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        inputMode="email"
        required
        data-autofocus
      />
      <Select
        label="Role"
        error={errors.at.role}
        description={own === 'owner' ? undefined : 'Only owners can invite admins and owners.'}
        data={assignableRoles(own)}
        value={role}
        onChange={(value) => setRole((value ?? role) as Role)}
        allowDeselect={false}
      />
    </DialogForm>
  );
}
