import type { ApiKey } from '@chorus/client';
import { KeyIcon, PlusIcon } from '@heroicons/react/24/outline';
import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Time } from '../../../components/time.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyLimits } from './key-limits.tsx';

/** Credentials for programs. */
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
        <Text c="dimmed" size="sm" maw={560}>
          A key lets a program in as you, limited as you like. Its secret is shown once, when it is made.
        </Text>
        <Button leftSection={<PlusIcon />} onClick={creating.open}>
          New key
        </Button>
      </Group>
      <QueryView query={keys}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title="No keys yet" icon={KeyIcon}>
              Make one for each program, so that you can take it away again.
            </EmptyState>
          ) : (
            <Table.ScrollContainer minWidth={760}>
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>May</Table.Th>
                    <Table.Th>Limits</Table.Th>
                    <Table.Th>Last used</Table.Th>
                    <Table.Th>Status</Table.Th>
                    <Table.Th>
                      <span hidden>What can be done</span>
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
  const [isAsking, setIsAsking] = useState(false);
  const change = useMutation({
    mutationFn: (what: 'enable' | 'disable' | 'revoke') => client.keys[what](id),
    onError: notifyError,
    onSettled: onChange,
  });
  return (
    <Table.Tr>
      <Table.Td miw={140}>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {prefix}…
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {permissions.map((permission) => (
            <Badge key={permission} variant="default" size="sm" tt="none">
              {permission}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <KeyLimits apiKey={apiKey} />
      </Table.Td>
      <Table.Td>{last_used_at === null ? 'never' : <Time at={last_used_at} />}</Table.Td>
      <Table.Td>
        <StatusBadge status={isExpired ? 'expired' : status} />
      </Table.Td>
      <Table.Td>
        {status !== 'revoked' && (
          <Group gap={4} justify="flex-end" wrap="nowrap">
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => change.mutate(status === 'active' ? 'disable' : 'enable')}
            >
              {status === 'active' ? 'Disable' : 'Enable'}
            </Button>
            <Button size="compact-sm" variant="subtle" color="red" onClick={() => setIsAsking(true)}>
              Revoke
            </Button>
          </Group>
        )}
        <ConfirmDialog
          opened={isAsking}
          onClose={() => setIsAsking(false)}
          title="Revoke this key?"
          confirm="Revoke"
          onConfirm={() => change.mutate('revoke')}
        >
          Whatever uses “{name}” is let in no more, for ever.
        </ConfirmDialog>
      </Table.Td>
    </Table.Tr>
  );
}
