import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { InvitationSent } from '../../../components/invitation-sent.tsx';
import { InvitationTable } from '../../../components/invitation-table.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { useFormMutation } from '../../../data/use-form-mutation.ts';
import { t } from '../../../i18n/i18n.ts';
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
        <SectionTitle>{t('components.invitations')}</SectionTitle>
        <Button onClick={inviting.open}>{t('components.inviteSomeone')}</Button>
      </Group>
      <QueryView query={invitations}>
        {(all) =>
          all.length === 0 ? (
            <Dimmed>{t('settings.noPendingInvitations')}</Dimmed>
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
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('components.inviteSomeone')}
      closeOnClickOutside={false}
    >
      <InviteForm {...props} />
    </Dialog>
  );
}

function InviteForm({ onClose, workspaceId, onInvited }: InviteDialogProps) {
  const { client } = useScope();
  const { role: own } = useRole();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const { form, errors, data } = useFormMutation({
    send: () => client.workspaces.invite(workspaceId, { email, role }),
    fields: ['email', 'role'],
    onSuccess: onInvited,
  });
  if (data)
    return (
      <InvitationSent
        email={data.email}
        hint={
          data.new_account ? t('components.inviteLinkHint', { email: data.email }) : t('settings.inviteLinkForAccounts')
        }
        link={linkOf(data)}
        onClose={onClose}
      />
    );
  return (
    <DialogForm {...form} submitLabel={t('components.invite')} onCancel={onClose} isIncomplete={!email.includes('@')}>
      <TextInput
        label={t('components.email')}
        error={errors.email}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        inputMode="email"
        required
        data-autofocus
      />
      <Select
        label={t('settings.role')}
        error={errors.role}
        description={own === 'owner' ? undefined : t('settings.inviteRoleHint')}
        data={assignableRoles(own).map(({ value, label }) => ({ value, label: t(label) }))}
        value={role}
        onChange={(value) => setRole((value ?? role) as Role)}
        allowDeselect={false}
      />
    </DialogForm>
  );
}
