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
import { t } from '../../../i18n/i18n.ts';
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
          <SectionTitle>{t('administration.users')}</SectionTitle>
          <Group gap="xs">
            <TextInput
              aria-label={t('administration.findAUser')}
              placeholder={t('administration.findAUser')}
              value={words}
              onChange={(event) => setWords(event.currentTarget.value)}
            />
            <Button onClick={inviting.open}>{t('components.inviteSomeone')}</Button>
          </Group>
        </Group>
        <QueryView query={users}>
          {(all) => <UserTable users={all.filter(matches).slice(0, MAX_SHOWN)} onChanged={() => users.refetch()} />}
        </QueryView>
        {(users.data?.filter(matches).length ?? 0) > MAX_SHOWN && (
          <Dimmed mt="sm">{t('administration.firstShown', { count: MAX_SHOWN })}</Dimmed>
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
    onSuccess: () => notifySuccess(t('administration.totpIsOff')),
  });
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('components.email')}</Table.Th>
            <Table.Th>{t('components.status')}</Table.Th>
            <Table.Th visibleFrom="sm">{t('administration.joined')}</Table.Th>
            <Table.Th w={60}>
              <VisuallyHidden>{t('components.actions')}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map((user) => (
            <Table.Tr key={user.id}>
              <Table.Td miw={180} style={{ overflowWrap: 'anywhere' }}>
                {user.email}
              </Table.Td>
              <Table.Td>
                <Group gap={6}>
                  {user.operator && (
                    <Badge variant="light" tt="none">
                      {t('administration.operator')}
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
        title={t('administration.disableThisUser')}
        confirmLabel={t('components.disable')}
        onConfirm={() => disabling && change.mutate({ user: disabling, fields: { disabled: true } })}
      >
        {t('administration.disableHint', { email: disabling?.email ?? '' })}
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
  if (user.id === self.id) return <Dimmed>{t('components.you')}</Dimmed>;
  const { operator, disabled_at } = user;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('administration.actionsFor', { email: user.email })}>
          <EllipsisHorizontalIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChange({ operator: !operator })}>
          {operator ? t('administration.removeAsOperator') : t('administration.makeOperator')}
        </Menu.Item>
        <Menu.Item onClick={onResetTotp}>{t('administration.turnOffTwoFactor')}</Menu.Item>
        {disabled_at === null ? (
          <Menu.Item color="red" onClick={onDisable}>
            {t('administration.disableDots')}
          </Menu.Item>
        ) : (
          <Menu.Item onClick={() => onChange({ disabled: false })}>{t('components.enable')}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
