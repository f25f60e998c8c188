import type { WebhookDelivery } from '@chorus/client';
import { ArrowPathIcon, EyeIcon } from '@heroicons/react/24/outline';
import { Button, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { StatusBadge } from '../../../components/badges.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Time } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { NotAllowed } from '../../../components/role-gate.tsx';
import { Secret } from '../../../components/secret.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';

export default function WebhooksPanel() {
  const { isAtLeast } = useRole();
  return (
    <Stack gap="xl">
      {isAtLeast('admin') ? <WebhookSecret /> : <NotAllowed minRole="admin" action="see its webhook secret" />}
      <Deliveries />
    </Stack>
  );
}

/** Receivers verify signatures with this secret. It is loaded only when shown. */
function WebhookSecret() {
  const { client, scopeKey } = useScope();
  const [isShown, setIsShown] = useState(false);
  const [isConfirming, confirming] = useDisclosure();
  const secret = useQuery({
    queryKey: [scopeKey, 'webhook-secret'],
    queryFn: ({ signal }) => client.webhooks.secret({ signal }),
    enabled: isShown,
    gcTime: 0,
  });
  const rotate = useMutation({
    mutationFn: () => client.webhooks.rotateSecret(),
    onSuccess: () => secret.refetch(),
  });
  return (
    <section>
      <SectionTitle>Signing secret</SectionTitle>
      <Dimmed mb="sm" maw={620}>
        When an execution with a <code>webhook_url</code> ends, Chorus sends a POST request signed with this secret, as
        specified by Standard Webhooks.
      </Dimmed>
      {isShown ? (
        <QueryView query={secret}>
          {({ secret: value, previous_valid_until }) => (
            <Stack gap="xs">
              <Secret value={value} />
              {previous_valid_until !== null && (
                <Text size="sm">
                  The previous secret stays valid until <Time at={previous_valid_until} />.
                </Text>
              )}
              <Group>
                <Button
                  variant="default"
                  leftSection={<ArrowPathIcon />}
                  onClick={confirming.open}
                  loading={rotate.isPending}
                >
                  Rotate secret
                </Button>
              </Group>
            </Stack>
          )}
        </QueryView>
      ) : (
        <Button variant="default" leftSection={<EyeIcon />} onClick={() => setIsShown(true)}>
          Show secret
        </Button>
      )}
      <ConfirmDialog
        opened={isConfirming}
        onClose={confirming.close}
        title="Rotate the secret?"
        confirmLabel="Rotate"
        onConfirm={() => rotate.mutate()}
      >
        Requests are signed with both secrets for one day. Update your receivers within that time.
      </ConfirmDialog>
    </section>
  );
}

const MAX_DELIVERIES = 50;

function Deliveries() {
  const { client, scopeKey } = useScope();
  const deliveries = useQuery({
    queryKey: [scopeKey, 'webhook-deliveries'],
    queryFn: ({ signal }) =>
      client.request('GET /webhook-deliveries', { query: { limit: MAX_DELIVERIES } }, { signal }),
  });
  const redeliver = useMutation({
    mutationFn: (id: string) => client.webhooks.redeliver(id),
    onSettled: () => deliveries.refetch(),
  });
  return (
    <section>
      <SectionTitle mb="sm">Deliveries</SectionTitle>
      <QueryView query={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <Dimmed>No deliveries yet.</Dimmed>
          ) : (
            <DeliveryTable deliveries={data} onRedeliver={(id) => redeliver.mutate(id)} />
          )
        }
      </QueryView>
    </section>
  );
}

function DeliveryTable({
  deliveries,
  onRedeliver: onAgain,
}: {
  deliveries: WebhookDelivery[];
  onRedeliver: (id: string) => void;
}) {
  const { isAtLeast } = useRole();
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Event</Table.Th>
            <Table.Th>To</Table.Th>
            <Table.Th>Time</Table.Th>
            <Table.Th>Attempts</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {deliveries.map(({ id, event, url, created_at, attempt_count, status }) => (
            <Table.Tr key={id}>
              <Table.Td>{event}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{url}</Table.Td>
              <Table.Td>
                <Time at={created_at} />
              </Table.Td>
              <Table.Td>{attempt_count}</Table.Td>
              <Table.Td>
                <StatusBadge status={status} />
              </Table.Td>
              <Table.Td>
                {isAtLeast('editor') && (
                  <Button size="compact-sm" variant="default" onClick={() => onAgain(id)}>
                    Redeliver
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
