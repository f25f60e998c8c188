import type { ListedUser } from '@chorus/client';
import { EllipsisHorizontalIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Badge, Button, Group, Menu, Stack, Table, TextInput, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { StatusBadge } from '../../../components/badges.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Time } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { notifySuccess } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { InviteUserDialog } from './invite-user-dialog.tsx';
import { UserInvitations } from './user-invitations.tsx';

const MAX_SHOWN = 200;

export default function UsersPanel() {
  const { client } = useScope();
  const [words, setWords] = useState('');
  const [isInviting, inviting] = useDisclosure();
  const users = useQuery({
    queryKey: ['administration', 'users'],
    queryFn: ({ signal }) => Array.fromAsync(client.users.all({ limit: 100 }, { signal })),
  });
  const matches = ({ email }: ListedUser) => email.includes(words.trim().toLowerCase());
  return (
    <Stack gap="xl">
      <section>
        <Group justify="space-between" mb="sm">
          <SectionTitle>Users</SectionTitle>
          <Group gap="xs">
            <TextInput
              aria-label="Find a user"
              placeholder="Find a user"
              value={words}
              onChange={(event) => setWords(event.currentTarget.value)}
            />
            <Button onClick={inviting.open}>Invite someone</Button>
          </Group>
        </Group>
        <QueryView query={users}>
          {(all) => <UserTable users={all.filter(matches).slice(0, MAX_SHOWN)} onChanged={() => users.refetch()} />}
        </QueryView>
        {(users.data?.filter(matches).length ?? 0) > MAX_SHOWN && (
          <Dimmed mt="sm">The first {MAX_SHOWN} are shown. Enter a part of an address to find others.</Dimmed>
        )}
      </section>
      <UserInvitations />
      <InviteUserDialog opened={isInviting} onClose={inviting.close} />
    </Stack>
  );
}

type Change = { user: ListedUser; fields: { disabled?: boolean; operator?: boolean } };

function UserTable({ users, onChanged }: { users: readonly ListedUser[]; onChanged: () => void }) {
  const { client } = useScope();
  const [disabling, setDisabling] = useState<ListedUser | null>(null);
  const change = useMutation({
    mutationFn: ({ user, fields }: Change) => client.users.update(user.id, fields),
    onSettled: onChanged,
  });
  const resetTotp = useMutation({
    mutationFn: ({ id }: ListedUser) => client.users.resetTotp(id),
    onSuccess: () => notifySuccess('Two-factor authentication is off for this user.'),
  });
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Email</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th visibleFrom="sm">Joined</Table.Th>
            <Table.Th w={60}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map((user) => (
            <Table.Tr key={user.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{user.email}</Table.Td>
              <Table.Td>
                <Group gap={6}>
                  {user.operator && (
                    <Badge variant="light" tt="none">
                      Operator
                    </Badge>
                  )}
                  <StatusBadge status={user.disabled_at === null ? 'active' : 'disabled'} />
                </Group>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Time at={user.created_at} />
              </Table.Td>
              <Table.Td>
                <UserMenu
                  user={user}
                  onChange={(fields) => change.mutate({ user, fields })}
                  onDisable={() => setDisabling(user)}
                  onResetTotp={() => resetTotp.mutate(user)}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <ConfirmDialog
        opened={disabling !== null}
        onClose={() => setDisabling(null)}
        title="Disable this user?"
        confirmLabel="Disable"
        onConfirm={() => disabling && change.mutate({ user: disabling, fields: { disabled: true } })}
      >
        {disabling?.email} is signed out everywhere, and their API keys stop working at once. Nothing is deleted, and
        you can enable them again.
      </ConfirmDialog>
    </Table.ScrollContainer>
  );
}

interface UserMenuProps {
  user: ListedUser;
  onChange: (fields: Change['fields']) => void;
  onDisable: () => void;
  onResetTotp: () => void;
}

function UserMenu({ user, onChange, onDisable, onResetTotp }: UserMenuProps) {
  const { user: self } = useAccount();
  if (user.id === self.id) return <Dimmed>You</Dimmed>;
  const { operator, disabled_at } = user;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.email}`}>
          <EllipsisHorizontalIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChange({ operator: !operator })}>
          {operator ? 'Remove as operator' : 'Make operator'}
        </Menu.Item>
        <Menu.Item onClick={onResetTotp}>Turn off two-factor authentication</Menu.Item>
        {disabled_at === null ? (
          <Menu.Item color="red" onClick={onDisable}>
            Disable…
          </Menu.Item>
        ) : (
          <Menu.Item onClick={() => onChange({ disabled: false })}>Enable</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
