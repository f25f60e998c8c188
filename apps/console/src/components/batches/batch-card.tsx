import type { Batch } from '@chorus/client';
import { Button, Card, Group, Progress, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { notifyError } from '../../data/notify.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { useRole } from '../../scope/use-role.ts';
import { DeleteButton } from '../delete-button.tsx';
import { MakersNote } from '../makers-note.tsx';
import { StatusBadge } from '../status-badge.tsx';
import { Time } from '../time.tsx';
import { useBatchResults } from './use-batch-results.ts';

const NAMES: Readonly<Record<string, string>> = {
  'iris.image': 'Images',
  'iris.video': 'Videos',
  'iris.ocr': 'Reading',
  'iris.verify': 'Verifications',
  'chat.completion': 'Answers',
};

export function BatchCard({ batch, onChange }: { batch: Batch; onChange: () => void }) {
  const { client } = useScope();
  const { mayChange } = useRole();
  const results = useBatchResults(batch);
  const { id, kind, status, counts, created_at, metadata } = batch;
  const cancel = useMutation({
    mutationFn: () => client.batches.cancel(id),
    onError: notifyError,
    onSettled: onChange,
  });
  const retry = useMutation({ mutationFn: () => client.batches.retry(id), onError: notifyError, onSettled: onChange });
  const name = metadata.file ?? NAMES[kind ?? ''] ?? 'Batch';
  const lost = counts.failed + counts.cancelled + counts.skipped;
  const isMine = mayChange(batch.user_id);
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
          <Text size="xs" c="dimmed">
            <Time at={created_at} />
          </Text>
        </div>
        <StatusBadge status={status} />
      </Group>
      <Progress.Root>
        <Progress.Section value={share(counts.succeeded)} color="teal" aria-label={`${counts.succeeded} succeeded`} />
        <Progress.Section value={share(lost)} color="red" aria-label={`${lost} did not succeed`} />
        <Progress.Section
          value={share(counts.running)}
          color="indigo"
          animated
          aria-label={`${counts.running} are running`}
        />
      </Progress.Root>
      <Group justify="space-between" mt="xs">
        <Text size="sm">
          {counts.succeeded} of {counts.total} done{lost > 0 && `, ${lost} not`}
        </Text>
        <Group gap="xs">
          <Button component={Link} href={`/jobs?batch=${id}`} size="compact-sm" variant="default">
            Its jobs
          </Button>
          {counts.total > counts.waiting + counts.queued + counts.running && (
            <Button size="compact-sm" variant="default" onClick={() => results.mutate()} loading={results.isPending}>
              Save the results
            </Button>
          )}
          {isMine && status === 'running' && (
            <Button size="compact-sm" variant="default" onClick={() => cancel.mutate()} loading={cancel.isPending}>
              Cancel
            </Button>
          )}
          {isMine && canRetry && (
            <Button size="compact-sm" onClick={() => retry.mutate()} loading={retry.isPending}>
              Run the {lost} again
            </Button>
          )}
          {isMine && hasEnded && (
            <DeleteButton title="Delete this batch?" onDelete={() => client.batches.delete(id)} onDeleted={onChange}>
              Its requests, results and jobs are deleted for good. Files that were made stay in the gallery.
            </DeleteButton>
          )}
        </Group>
      </Group>
      {!isMine && (status === 'running' || canRetry) && (
        <MakersNote maker="Who began it" what={canRetry ? 'run the others again' : 'cancel it'} />
      )}
    </Card>
  );
}
