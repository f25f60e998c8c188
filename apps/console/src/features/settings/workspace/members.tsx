import type { Member } from '@chorus/client';
import { Button, Select, Table } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { roleLabel } from '../../../components/statuses.ts';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface MembersProps {
  workspaceId: string;
  role: Role;
}

export function Members({ workspaceId, role }: MembersProps) {
  const { client, scopeKey } = useScope();
  const { user } = useAccount();
  const [removing, setRemoving] = useState<Member | null>(null);
  const members = useQuery({
    queryKey: [scopeKey, 'members'],
    queryFn: ({ signal }) => Array.fromAsync(client.workspaces.members(workspaceId, { signal })),
  });
  const onSettled = () => members.refetch();
  const change = useMutation({
    mutationFn: ({ id, to }: { id: string; to: Role }) => client.workspaces.changeRole(workspaceId, id, to),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (id: string) => client.workspaces.removeMember(workspaceId, id),
    onSettled,
  });
  const mayManage = (member: Member) =>
    member.id !== user.id &&
    (role === 'owner' || (role === 'admin' && (member.role === 'viewer' || member.role === 'editor')));
  return (
    <section>
      <SectionTitle mb="sm">{t('settings.members')}</SectionTitle>
      {role !== 'owner' && (
        <Dimmed mb="sm">{role === 'admin' ? t('settings.membersHintAdmin') : t('settings.membersHint')}</Dimmed>
      )}
      <QueryView query={members}>
        {(all) => (
          <Table verticalSpacing="sm">
            <Table.Tbody>
              {all.map((member) => (
                <Table.Tr key={member.id}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{member.email}</Table.Td>
                  <Table.Td w={150}>
                    <Select
                      aria-label={t('settings.roleOf', { email: member.email })}
                      size="xs"
                      data={
                        mayManage(member)
                          ? assignableRoles(role).map(({ value }) => roleOption(value))
                          : [roleOption(member.role)]
                      }
                      value={member.role}
                      onChange={(to) => to && change.mutate({ id: member.id, to: to as Role })}
                      disabled={!mayManage(member) || change.isPending}
                      allowDeselect={false}
                    />
                  </Table.Td>
                  <Table.Td w={110}>
                    {mayManage(member) && (
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setRemoving(member)}>
                        {t('components.remove')}
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </QueryView>
      <ConfirmDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title={t('settings.removeThisMember')}
        confirmLabel={t('components.remove')}
        onConfirm={() => removing && remove.mutate(removing.id)}
      >
        {t('settings.removeMemberHint', { email: removing?.email ?? '' })}
      </ConfirmDialog>
    </section>
  );
}

const roleOption = (value: string) => ({ value, label: roleLabel(value) });

const roles = [
  { value: 'viewer', label: 'settings.roleViewer' },
  { value: 'editor', label: 'settings.roleEditor' },
  { value: 'admin', label: 'settings.roleAdmin' },
  { value: 'owner', label: 'settings.roleOwner' },
] as const;
export type Role = (typeof roles)[number]['value'];

/** Returns the roles that a member with this role may assign. */
export function assignableRoles(role: Role) {
  return role === 'owner' ? roles : roles.filter(({ value }) => value === 'viewer' || value === 'editor');
}
