import type { ApiKey } from '@chorus/client';
import { KeyIcon, PlusIcon } from '@heroicons/react/24/outline';
import { Badge, Button, Group, Table, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { StatusBadge } from '../../../components/badges.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Time } from '../../../components/format.tsx';
import { EmptyState, QueryView } from '../../../components/placeholders.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import { rich } from '../../../i18n/rich.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import { workspacesQuery } from '../../../scope/use-role.ts';
import { BudgetButton } from '../budget/budget-button.tsx';
import { CreateKey, permissionLabel } from './create-key.tsx';

export default function KeysPanel() {
  const { client } = useScope();
  const [isCreating, creating] = useDisclosure();
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => Array.fromAsync(client.keys.all({}, { signal })),
  });
  return (
    <>
      <Group justify="space-between" mb="md">
        <Dimmed maw={560}>{t('settings.keysHint')}</Dimmed>
        <Button leftSection={<PlusIcon />} onClick={creating.open}>
          {t('settings.newKey')}
        </Button>
      </Group>
      <QueryView query={keys}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('settings.noKeysYet')} icon={KeyIcon}>
              {t('settings.noKeysHint')}
            </EmptyState>
          ) : (
            <Table.ScrollContainer minWidth={760}>
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('common.name')}</Table.Th>
                    <Table.Th>{t('settings.permissions')}</Table.Th>
                    <Table.Th>{t('components.limits')}</Table.Th>
                    <Table.Th>{t('settings.lastUsed')}</Table.Th>
                    <Table.Th>{t('components.status')}</Table.Th>
                    <Table.Th>
                      <VisuallyHidden>{t('components.actions')}</VisuallyHidden>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {all.map((key) => (
                    <KeyRow key={key.id} apiKey={key} onChange={keys.refetch} />
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </QueryView>
      <CreateKey opened={isCreating} onClose={creating.close} onCreated={keys.refetch} />
    </>
  );
}

function KeyRow({ apiKey, onChange }: { apiKey: ApiKey; onChange: () => void }) {
  const { client } = useScope();
  const { id, name, prefix, status, permissions, last_used_at, expires_at } = apiKey;
  const isExpired = status === 'active' && expires_at !== null && Date.parse(expires_at) <= Date.now();
  const [isConfirming, setIsConfirming] = useState(false);
  const change = useMutation({
    mutationFn: (action: 'enable' | 'disable' | 'revoke') => client.keys[action](id),
    onSettled: onChange,
  });
  return (
    <Table.Tr>
      <Table.Td miw={140}>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Dimmed size="xs" ff="monospace">
          {prefix}…
        </Dimmed>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {permissions.map((permission) => (
            <Badge key={permission} variant="default" size="sm" tt="none">
              {permissionLabel(permission)}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <KeyLimits apiKey={apiKey} />
      </Table.Td>
      <Table.Td>{last_used_at === null ? t('settings.never') : <Time at={last_used_at} />}</Table.Td>
      <Table.Td>
        <StatusBadge status={isExpired ? 'expired' : status} />
      </Table.Td>
      <Table.Td>
        {status !== 'revoked' && (
          <Group gap={4} justify="flex-end" wrap="nowrap">
            <BudgetButton apiKeyId={id} size="compact-sm" />
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => change.mutate(status === 'active' ? 'disable' : 'enable')}
            >
              {status === 'active' ? t('components.disable') : t('components.enable')}
            </Button>
            <Button size="compact-sm" variant="subtle" color="red" onClick={() => setIsConfirming(true)}>
              {t('components.revoke')}
            </Button>
          </Group>
        )}
        <ConfirmDialog
          opened={isConfirming}
          onClose={() => setIsConfirming(false)}
          title={t('settings.revokeThisKey')}
          confirmLabel={t('components.revoke')}
          onConfirm={() => change.mutate('revoke')}
        >
          {t('settings.revokeKeyHint', { name })}
        </ConfirmDialog>
      </Table.Td>
    </Table.Tr>
  );
}

function KeyLimits({ apiKey: { workspace_id, rate_limit, expires_at } }: { apiKey: ApiKey }) {
  const { client } = useAccount();
  const { data: workspaces } = useQuery(workspacesQuery(client));
  const place = workspaces?.find(({ id }) => id === workspace_id)?.name ?? t('settings.oneWorkspace');
  if (workspace_id === null && rate_limit === null && expires_at === null)
    return <Text size="xs">{t('settings.noLimits')}</Text>;
  return (
    <Text size="xs" component="div">
      {workspace_id !== null && <div>{t('settings.onlyIn', { place })}</div>}
      {rate_limit !== null && <div>{t('components.perMinute', { value: formatNumber(rate_limit) })}</div>}
      {expires_at !== null && <div>{rich('components.until', { time: <Time at={expires_at} /> })}</div>}
    </Text>
  );
}
