import type { Batch } from '@chorus/client';
import { Button, Card, Group, Progress, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { saveAsNdjson } from '../../data/files.ts';
import { useKindName } from '../../data/queries.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { useRole } from '../../scope/use-role.ts';
import { StatusBadge } from '../badges.tsx';
import { DeleteButton } from '../confirm-dialog.tsx';
import { Time } from '../format.tsx';
import { CreatorNote } from '../role-gate.tsx';
import { Dimmed } from '../text.tsx';

export function BatchCard({ batch, onChange }: { batch: Batch; onChange: () => void }) {
  const { client } = useScope();
  const { canChange } = useRole();
  const kindName = useKindName();
  const { id, kind, status, counts, progress, created_at, metadata } = batch;
  const results = useMutation({
    mutationFn: () => saveAsNdjson(client.batches.results(id), `${id}.ndjson`),
  });
  const cancel = useMutation({
    mutationFn: () => client.batches.cancel(id),
    onSettled: onChange,
  });
  const retry = useMutation({ mutationFn: () => client.batches.retry(id), onSettled: onChange });
  const name = metadata.file ?? (kind === null ? 'Batch' : kindName(kind));
  const lost = counts.failed + counts.cancelled + counts.skipped;
  const canEdit = canChange(batch.user_id);
  const hasEnded = status === 'completed' || status === 'cancelled';
  const canRetry = hasEnded && lost > 0;
  const share = (count: number) => (100 * count) / Math.max(1, counts.total);
  return (
    <Card withBorder component="article" aria-label={`${name}, ${status}`}>
      <Group justify="space-between" mb="xs">
        <div style={{ minWidth: 0 }}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Dimmed size="xs">
            <Time at={created_at} />
          </Dimmed>
        </div>
        <StatusBadge status={status} />
      </Group>
      <Progress.Root>
        <Progress.Section value={share(counts.succeeded)} color="teal" aria-label={`${counts.succeeded} succeeded`} />
        <Progress.Section value={share(lost)} color="red" aria-label={`${lost} failed or cancelled`} />
        <Progress.Section
          value={share(counts.running)}
          color="indigo"
          animated
          aria-label={`${counts.running} running`}
        />
      </Progress.Root>
      <Group justify="space-between" mt="xs">
        <Text size="sm">
          {counts.succeeded} of {counts.total} done{lost > 0 && `, ${lost} failed or cancelled`}
          {counts.requires_action > 0 && `, ${counts.requires_action} waiting for approval`}
          {!hasEnded &&
            progress.remaining_s !== null &&
            ` · ${progress.per_second} per second, ${left(progress.remaining_s)} left`}
        </Text>
        <Group gap="xs">
          <Button component={Link} href={`/jobs?batch=${id}`} size="compact-sm" variant="default">
            View jobs
          </Button>
          {progress.completed > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => results.mutate()} loading={results.isPending}>
              Download results
            </Button>
          )}
          {canEdit && status === 'running' && (
            <Button size="compact-sm" variant="default" onClick={() => cancel.mutate()} loading={cancel.isPending}>
              Cancel
            </Button>
          )}
          {canEdit && canRetry && (
            <Button size="compact-sm" onClick={() => retry.mutate()} loading={retry.isPending}>
              Retry {lost}
            </Button>
          )}
          {canEdit && hasEnded && (
            <DeleteButton title="Delete this batch?" onDelete={() => client.batches.delete(id)} onDeleted={onChange}>
              Its requests, results, and jobs are deleted permanently. Created files stay in the gallery.
            </DeleteButton>
          )}
        </Group>
      </Group>
      {!canEdit && (status === 'running' || canRetry) && (
        <CreatorNote did="started" action={canRetry ? 'retry' : 'cancel'} />
      )}
    </Card>
  );
}

const left = (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);
