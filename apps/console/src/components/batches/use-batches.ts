import { useLiveEvent } from '../../data/live-events.tsx';
import { useCursorList } from '../../data/use-cursor-list.ts';

/** Batches, the newest first; their counts change as they are told of. */
export function useBatches() {
  const list = useCursorList({
    name: 'batches',
    readPage: (client, query, options) => client.batches.list(query, options),
  });
  useLiveEvent((event) => {
    if ('counts' in event) list.patch(event.batch_id, { status: event.status, counts: event.counts });
  });
  return list;
}
