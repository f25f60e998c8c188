import { Button, Table } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Time } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { SectionTitle } from '../../../components/text.tsx';
import { useScope } from '../../../scope/scope-context.tsx';

export const INVITATIONS_KEY = ['administration', 'invitations'];

/** Open invitations to the platform. Shows nothing if there are none. */
export function UserInvitations() {
  const { client } = useScope();
  const invitations = useQuery({
    queryKey: INVITATIONS_KEY,
    queryFn: ({ signal }) => Array.fromAsync(client.users.invitations({ limit: 100 }, { signal })),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => client.users.revokeInvitation(id),
    onSettled: () => invitations.refetch(),
  });
  if (invitations.data?.length === 0) return null;
  return (
    <section>
      <SectionTitle mb="sm">Invitations</SectionTitle>
      <QueryView query={invitations}>
        {(all) => (
          <Table verticalSpacing="sm">
            <Table.Tbody>
              {all.map(({ id, email, expires_at }) => (
                <Table.Tr key={id}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{email}</Table.Td>
                  <Table.Td>
                    until <Time at={expires_at} />
                  </Table.Td>
                  <Table.Td w={110}>
                    <Button size="compact-sm" variant="subtle" color="red" onClick={() => revoke.mutate(id)}>
                      Revoke
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </QueryView>
    </section>
  );
}
