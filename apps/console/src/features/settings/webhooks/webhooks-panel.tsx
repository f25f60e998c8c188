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
import { t } from '../../../i18n/i18n.ts';
import { rich } from '../../../i18n/rich.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';

export default function WebhooksPanel() {
  const { isAtLeast } = useRole();
  return (
    <Stack gap="xl">
      {isAtLeast('admin') ? (
        <WebhookSecret />
      ) : (
        <NotAllowed minRole="admin" action={t('settings.actionSeeWebhookSecret')} />
      )}
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
      <SectionTitle>{t('settings.signingSecret')}</SectionTitle>
      <Dimmed mb="sm" maw={620}>
        {rich('settings.webhooksHint', { field: <code>webhook_url</code> })}
      </Dimmed>
      {isShown ? (
        <QueryView query={secret}>
          {({ secret: value, previous_valid_until }) => (
            <Stack gap="xs">
              <Secret value={value} />
              {previous_valid_until !== null && (
                <Text size="sm">{rich('settings.previousSecret', { time: <Time at={previous_valid_until} /> })}</Text>
              )}
              <Group>
                <Button
                  variant="default"
                  leftSection={<ArrowPathIcon />}
                  onClick={confirming.open}
                  loading={rotate.isPending}
                >
                  {t('settings.rotateSecret')}
                </Button>
              </Group>
            </Stack>
          )}
        </QueryView>
      ) : (
        <Button variant="default" leftSection={<EyeIcon />} onClick={() => setIsShown(true)}>
          {t('settings.showSecret')}
        </Button>
      )}
      <ConfirmDialog
        opened={isConfirming}
        onClose={confirming.close}
        title={t('settings.rotateSecretQuestion')}
        confirmLabel={t('settings.rotate')}
        onConfirm={() => rotate.mutate()}
      >
        {t('settings.rotateSecretHint')}
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
      <SectionTitle mb="sm">{t('settings.deliveries')}</SectionTitle>
      <QueryView query={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <Dimmed>{t('settings.noDeliveriesYet')}</Dimmed>
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
            <Table.Th>{t('settings.event')}</Table.Th>
            <Table.Th>{t('settings.to')}</Table.Th>
            <Table.Th>{t('settings.time')}</Table.Th>
            <Table.Th>{t('settings.attempts')}</Table.Th>
            <Table.Th>{t('components.status')}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{t('components.actions')}</VisuallyHidden>
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
                    {t('settings.redeliver')}
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
