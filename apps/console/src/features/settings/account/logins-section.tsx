import type { LoginSession } from '@chorus/client';
import { Badge, Button, Group, Stack, Table, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Time } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { notifySuccess } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';
import { deviceName } from './device-name.ts';

export const LOGINS_KEY = ['logins'];

export function LoginsSection() {
  const { client } = useAccount();
  const logins = useQuery({
    queryKey: LOGINS_KEY,
    queryFn: ({ signal }) => Array.fromAsync(client.me.logins({ limit: 100 }, { signal })),
    staleTime: 0,
  });
  const [isConfirming, setIsConfirming] = useState(false);
  const endOne = useMutation({
    mutationFn: (id: string) => client.me.endLogin(id),
    onSettled: () => logins.refetch(),
  });
  const endOthers = useMutation({
    mutationFn: () => client.me.endOtherLogins(),
    onSuccess: () => notifySuccess(t('settings.signedOutElsewhere')),
    onSettled: () => logins.refetch(),
  });
  return (
    <Stack component="section" aria-label={t('settings.devices')}>
      <Group justify="space-between">
        <div>
          <SectionTitle>{t('settings.devices')}</SectionTitle>
          <Dimmed>{t('settings.devicesHint')}</Dimmed>
        </div>
        {logins.data?.some(({ current }) => !current) && (
          <Button variant="default" onClick={() => setIsConfirming(true)} loading={endOthers.isPending}>
            {t('settings.signOutElsewhere')}
          </Button>
        )}
      </Group>
      <QueryView query={logins}>
        {(all) => (
          <Table.ScrollContainer minWidth={620}>
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('settings.device')}</Table.Th>
                  <Table.Th>{t('settings.ipAddress')}</Table.Th>
                  <Table.Th>{t('settings.lastUsed')}</Table.Th>
                  <Table.Th>{t('settings.signedInAt')}</Table.Th>
                  <Table.Th>
                    <VisuallyHidden>{t('components.actions')}</VisuallyHidden>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {all.map((one) => (
                  <LoginRow key={one.id} login={one} onEnd={() => endOne.mutate(one.id)} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </QueryView>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={t('settings.signOutElsewhereQuestion')}
        confirmLabel={t('common.signOut')}
        onConfirm={() => endOthers.mutate()}
      >
        {t('settings.signOutElsewhereHint')}
      </ConfirmDialog>
    </Stack>
  );
}

function LoginRow({ login, onEnd }: { login: LoginSession; onEnd: () => void }) {
  const { user_agent, address, last_used_at, created_at, current } = login;
  return (
    <Table.Tr>
      <Table.Td title={user_agent ?? undefined}>
        <Group gap="xs">
          {deviceName(user_agent)}
          {current && (
            <Badge size="sm" tt="none">
              {t('settings.thisDevice')}
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td>{address?.replace(/^::ffff:/, '') ?? t('components.unknown')}</Table.Td>
      <Table.Td>
        <Time at={last_used_at} />
      </Table.Td>
      <Table.Td>
        <Time at={created_at} />
      </Table.Td>
      <Table.Td ta="end">
        {!current && (
          <Button size="compact-sm" variant="subtle" color="red" onClick={onEnd}>
            {t('common.signOut')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
