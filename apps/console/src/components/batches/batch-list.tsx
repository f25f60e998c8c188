import type { Batch } from '@chorus/client';
import { QueueListIcon } from '@heroicons/react/24/outline';
import { Button, Stack } from '@mantine/core';
import { useLiveEvent } from '../../data/live-events.tsx';
import { type CursorList, useCursorList } from '../../data/use-cursor-list.ts';
import { t } from '../../i18n/i18n.ts';
import { EmptyState, ErrorState, Loading } from '../placeholders.tsx';
import { BatchCard } from './batch-card.tsx';

export function BatchList({ list }: { list: CursorList<Batch> }) {
  if (list.isPending) return <Loading />;
  if (list.error) return <ErrorState error={list.error} onRetry={list.refresh} />;
  if (list.items.length === 0)
    return (
      <EmptyState title={t('components.noBatchesYet')} icon={QueueListIcon}>
        {t('components.batchesHint')}
      </EmptyState>
    );
  return (
    <Stack>
      {list.items.map((batch) => (
        <BatchCard key={batch.id} batch={batch} onChange={list.refresh} />
      ))}
      {list.hasMore && (
        <Button variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
          {t('components.showOlder')}
        </Button>
      )}
    </Stack>
  );
}

export function useBatches() {
  const list = useCursorList({
    name: 'batches',
    fetchPage: (client, query, options) => client.batches.list(query, options),
  });
  useLiveEvent((event) => {
    if ('counts' in event) list.patch(event.batch_id, { status: event.status, counts: event.counts });
  });
  return list;
}
