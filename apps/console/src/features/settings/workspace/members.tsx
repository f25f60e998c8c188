import type { Member } from '@chorus/client';
import { Button, Select, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { givenBy, type Role } from './roles.ts';

interface MembersProps {
  workspaceId: string;
  /** One's own. */
  role: Role;
}

export function Members({ workspaceId, role }: MembersProps) {
  const { client, scopeKey } = useScope();
  const { user } = useAccount();
  const [asked, setAsked] = useState<Member | null>(null);
  const members = useQuery({
    queryKey: [scopeKey, 'members'],
    queryFn: ({ signal }) => Array.fromAsync(client.workspaces.members(workspaceId, { signal })),
  });
  const onSettled = () => members.refetch();
  const change = useMutation({
    mutationFn: ({ id, to }: { id: string; to: Role }) => client.workspaces.changeRole(workspaceId, id, to),
    onError: notifyError,
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (id: string) => client.workspaces.removeMember(workspaceId, id),
    onError: notifyError,
    onSettled,
  });
  const mayManage = (member: Member) =>
    member.id !== user.id &&
    (role === 'owner' || (role === 'admin' && (member.role === 'viewer' || member.role === 'editor')));
  return (
    <section>
      <Title order={2} size="h5" mb="sm">
        Members
      </Title>
      {role !== 'owner' && (
        <Text size="sm" c="dimmed" mb="sm">
          {role === 'admin'
            ? 'As an admin you manage viewers and editors; owners manage admins and owners.'
            : 'Admins and owners invite, change and remove members.'}
        </Text>
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
                      aria-label={`Role of ${member.email}`}
                      size="xs"
                      data={mayManage(member) ? givenBy(role).map(({ value }) => value) : [member.role]}
                      value={member.role}
                      onChange={(to) => to && change.mutate({ id: member.id, to: to as Role })}
                      disabled={!mayManage(member) || change.isPending}
                      allowDeselect={false}
                    />
                  </Table.Td>
                  <Table.Td w={110}>
                    {mayManage(member) && (
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setAsked(member)}>
                        Remove
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
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title="Remove this member?"
        confirm="Remove"
        onConfirm={() => asked && remove.mutate(asked.id)}
      >
        {asked?.email} sees nothing of this workspace any more. What they have shared stays.
      </ConfirmDialog>
    </section>
  );
}
