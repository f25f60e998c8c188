import type { Batch } from '@chorus/client';
import { QueueListIcon } from '@heroicons/react/24/outline';
import { Button, Stack } from '@mantine/core';
import type { CursorList } from '../../data/use-cursor-list.ts';
import { EmptyState } from '../empty-state.tsx';
import { Loading } from '../loading.tsx';
import { Problem } from '../problem.tsx';
import { BatchCard } from './batch-card.tsx';

export function BatchList({ list }: { list: CursorList<Batch> }) {
  if (list.isPending) return <Loading />;
  if (list.error) return <Problem error={list.error} onRetry={list.refresh} />;
  if (list.items.length === 0)
    return (
      <EmptyState title="No batch yet" icon={QueueListIcon}>
        Up to 10,000 at once. They leave other people their turn, and each runs once, whatever happens.
      </EmptyState>
    );
  return (
    <Stack>
      {list.items.map((batch) => (
        <BatchCard key={batch.id} batch={batch} onChange={list.refresh} />
      ))}
      {list.hasMore && (
        <Button variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
          Show older ones
        </Button>
      )}
    </Stack>
  );
}
