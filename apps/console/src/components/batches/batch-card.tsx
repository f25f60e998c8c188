import type { Batch } from '@chorus/client';
import { Button, Card, Group, Progress, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { saveAsNdjson } from '../../data/files.ts';
import { useKindName } from '../../data/kinds.ts';
import { formatNumber, t } from '../../i18n/i18n.ts';
import { rich } from '../../i18n/rich.tsx';
import { useScope } from '../../scope/scope-context.tsx';
import { useRole } from '../../scope/use-role.ts';
import { StatusBadge } from '../badges.tsx';
import { DeleteButton } from '../confirm-dialog.tsx';
import { formatDuration, Time } from '../format.tsx';
import { waitText } from '../provider-wait.ts';
import { CreatorNote } from '../role-gate.tsx';
import { statusLabel } from '../statuses.ts';
import { Dimmed } from '../text.tsx';

/** How often the progress of a running batch is read. */
const PROGRESS_MS = 3_000;

export function BatchCard({ batch, onChange }: { batch: Batch; onChange: () => void }) {
  const { client } = useScope();
  const progress = useProgress(batch);
  const { canChange } = useRole();
  const kindName = useKindName();
  const { id, kind, status, counts, created_at, expires_at, economy, metadata } = batch;
  const results = useMutation({
    mutationFn: () => saveAsNdjson(client.batches.results(id), `${id}.ndjson`),
  });
  const cancel = useMutation({
    mutationFn: () => client.batches.cancel(id),
    onSettled: onChange,
  });
  const retry = useMutation({ mutationFn: () => client.batches.retry(id), onSettled: onChange });
  const name = metadata.file ?? (kind === null ? t('components.batch') : kindName(kind));
  const lost = counts.failed + counts.cancelled + counts.skipped;
  const canEdit = canChange(batch.user_id);
  const hasEnded = status === 'completed' || status === 'cancelled';
  const unsuccessful = lost + counts.expired;
  const canRetry = hasEnded && unsuccessful > 0;
  const share = (count: number) => (100 * count) / Math.max(1, counts.total);
  const atFullPrice = economy?.other_models ?? [];
  const facts = [
    t('components.doneOfTotal', { done: counts.succeeded, total: counts.total }),
    lost > 0 && t('components.countLost', { count: lost }),
    counts.expired > 0 && t('components.countExpired', { count: counts.expired }),
    counts.requires_action > 0 && t('components.countAwaitingApproval', { count: counts.requires_action }),
    !hasEnded &&
      progress.remaining_s !== null &&
      t('components.pace', {
        perSecond: formatNumber(progress.per_second ?? 0),
        left: formatDuration(1_000 * progress.remaining_s),
      }),
    economy !== null && t('components.economy'),
    atFullPrice.length > 0 && t('components.economyExcept', { models: atFullPrice.join(', ') }),
  ].filter((fact) => fact !== false);
  return (
    <Card withBorder component="article" aria-label={`${name}, ${statusLabel(status)}`}>
      <Group justify="space-between" mb="xs">
        <div style={{ minWidth: 0 }}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Dimmed size="xs">
            <Time at={created_at} />
            {!hasEnded && expires_at !== null && (
              <> · {rich('components.expiresAt', { time: <Time at={expires_at} /> })}</>
            )}
          </Dimmed>
        </div>
        <StatusBadge status={status} />
      </Group>
      <Progress.Root>
        <Progress.Section
          value={share(counts.succeeded)}
          color="teal"
          aria-label={t('components.countSucceeded', { count: counts.succeeded })}
        />
        <Progress.Section value={share(lost)} color="red" aria-label={t('components.countLost', { count: lost })} />
        <Progress.Section
          value={share(counts.expired)}
          color="orange"
          aria-label={t('components.countExpired', { count: counts.expired })}
        />
        <Progress.Section
          value={share(counts.running)}
          color="indigo"
          animated
          aria-label={t('components.countRunning', { count: counts.running })}
        />
      </Progress.Root>
      {!hasEnded &&
        progress.waiting_for.map(({ items, ...wait }) => (
          <Text key={wait.model} size="sm" mt="xs">
            {t('components.itemsWaiting', { wait: waitText(wait), count: items })}
          </Text>
        ))}
      <Group justify="space-between" mt="xs">
        <Text size="sm">{facts.join(' · ')}</Text>
        <Group gap="xs">
          <Button component={Link} href={`/jobs?batch=${id}`} size="compact-sm" variant="default">
            {t('components.viewJobs')}
          </Button>
          {progress.completed > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => results.mutate()} loading={results.isPending}>
              {t('components.downloadResults')}
            </Button>
          )}
          {canEdit && status === 'running' && (
            <Button size="compact-sm" variant="default" onClick={() => cancel.mutate()} loading={cancel.isPending}>
              {t('common.cancel')}
            </Button>
          )}
          {canEdit && canRetry && (
            <Button size="compact-sm" onClick={() => retry.mutate()} loading={retry.isPending}>
              {t('components.retryCount', { count: unsuccessful })}
            </Button>
          )}
          {canEdit && hasEnded && (
            <DeleteButton
              title={t('components.deleteBatch')}
              onDelete={() => client.batches.delete(id)}
              onDeleted={onChange}
            >
              {t('components.batchDeletionHint')}
            </DeleteButton>
          )}
        </Group>
      </Group>
      {!canEdit && (status === 'running' || canRetry) && (
        <CreatorNote action={canRetry ? t('components.actionRetry') : t('components.actionCancel')} />
      )}
    </Card>
  );
}

/** Returns the progress of a batch. The feed only reports counts, so a running batch is read now and then. */
function useProgress({ id, status, progress }: Batch): Batch['progress'] {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'batch-progress', id],
    queryFn: ({ signal }) => client.batches.get(id, { signal }),
    enabled: status === 'running',
    refetchInterval: PROGRESS_MS,
  });
  return status === 'running' ? (data?.progress ?? progress) : progress;
}
