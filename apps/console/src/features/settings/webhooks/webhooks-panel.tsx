import type { WebhookDelivery } from '@chorus/client';
import { ArrowPathIcon, EyeIcon } from '@heroicons/react/24/outline';
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { NotAllowed } from '../../../components/not-allowed.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { Secret } from '../../../components/secret.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Time } from '../../../components/time.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';

export default function WebhooksPanel() {
  const { isAtLeast } = useRole();
  return (
    <Stack gap="xl">
      {isAtLeast('admin') ? <WebhookSecret /> : <NotAllowed least="admin" what="see the secret of its webhooks" />}
      <Deliveries />
    </Stack>
  );
}

/** What receivers check signatures with. It is fetched when somebody wants to see it. */
function WebhookSecret() {
  const { client, scopeKey } = useScope();
  const [isShown, setIsShown] = useState(false);
  const [isAsking, asking] = useDisclosure();
  const secret = useQuery({
    queryKey: [scopeKey, 'webhook-secret'],
    queryFn: ({ signal }) => client.webhooks.secret({ signal }),
    enabled: isShown,
    gcTime: 0,
  });
  const rotate = useMutation({
    mutationFn: () => client.webhooks.rotateSecret(),
    onSuccess: () => secret.refetch(),
    onError: notifyError,
  });
  return (
    <section>
      <Title order={2} size="h5">
        Secret
      </Title>
      <Text size="sm" c="dimmed" mb="sm" maw={620}>
        A request with a <code>webhook_url</code> is told of its end by a post, signed after Standard Webhooks with this
        secret of the scope.
      </Text>
      {isShown ? (
        <QueryView query={secret}>
          {({ secret: value, previous_valid_until }) => (
            <Stack gap="xs">
              <Secret value={value} />
              {previous_valid_until !== null && (
                <Text size="sm">
                  The one before it signs too, until <Time at={previous_valid_until} />.
                </Text>
              )}
              <Group>
                <Button
                  variant="default"
                  leftSection={<ArrowPathIcon />}
                  onClick={asking.open}
                  loading={rotate.isPending}
                >
                  Make another one
                </Button>
              </Group>
            </Stack>
          )}
        </QueryView>
      ) : (
        <Button variant="default" leftSection={<EyeIcon />} onClick={() => setIsShown(true)}>
          Show it
        </Button>
      )}
      <ConfirmDialog
        opened={isAsking}
        onClose={asking.close}
        title="Make another secret?"
        confirm="Make another"
        onConfirm={() => rotate.mutate()}
      >
        Both sign for a day. Receivers must know the new one by then.
      </ConfirmDialog>
    </section>
  );
}

/** How many of the newest are shown. */
const SHOWN = 50;

function Deliveries() {
  const { client, scopeKey } = useScope();
  const deliveries = useQuery({
    queryKey: [scopeKey, 'webhook-deliveries'],
    queryFn: ({ signal }) => client.request('GET /webhook-deliveries', { query: { limit: SHOWN } }, { signal }),
  });
  const redeliver = useMutation({
    mutationFn: (id: string) => client.webhooks.redeliver(id),
    onError: notifyError,
    onSettled: () => deliveries.refetch(),
  });
  return (
    <section>
      <Title order={2} size="h5" mb="sm">
        What was sent
      </Title>
      <QueryView query={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing yet.
            </Text>
          ) : (
            <DeliveryTable deliveries={data} onAgain={(id) => redeliver.mutate(id)} />
          )
        }
      </QueryView>
    </section>
  );
}

function DeliveryTable({ deliveries, onAgain }: { deliveries: WebhookDelivery[]; onAgain: (id: string) => void }) {
  const { isAtLeast } = useRole();
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Event</Table.Th>
            <Table.Th>To</Table.Th>
            <Table.Th>When</Table.Th>
            <Table.Th>Attempts</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>
              <span hidden>What can be done</span>
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
                    Send again
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
