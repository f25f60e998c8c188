import { Button, Group, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { QueryView } from '../../../components/query-view.tsx';
import { Time } from '../../../components/time.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { InviteDialog } from './invite-dialog.tsx';

export function Invitations({ workspaceId }: { workspaceId: string }) {
  const { client, scopeKey } = useScope();
  const [isInviting, inviting] = useDisclosure();
  const invitations = useQuery({
    queryKey: [scopeKey, 'invitations'],
    queryFn: ({ signal }) => Array.fromAsync(client.workspaces.invitations(workspaceId, { signal })),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => client.workspaces.revokeInvitation(workspaceId, id),
    onError: notifyError,
    onSettled: () => invitations.refetch(),
  });
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          Invitations
        </Title>
        <Button onClick={inviting.open}>Invite someone</Button>
      </Group>
      <QueryView query={invitations}>
        {(all) =>
          all.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nobody is invited now.
            </Text>
          ) : (
            <Table verticalSpacing="sm">
              <Table.Tbody>
                {all.map(({ id, email, role, expires_at }) => (
                  <Table.Tr key={id}>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>{email}</Table.Td>
                    <Table.Td>{role}</Table.Td>
                    <Table.Td>
                      until <Time at={expires_at} />
                    </Table.Td>
                    <Table.Td w={110}>
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => revoke.mutate(id)}>
                        Take back
                      </Button>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
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
