import type { Batch } from '@chorus/client';
import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../data/notify.ts';
import { saveLines } from '../../data/save-lines.ts';
import { useScope } from '../../scope/scope-context.tsx';

/** Saves what has ended of a batch as a file: the result of an item on each line, as JSON. */
export function useBatchResults({ id }: Batch) {
  const { client } = useScope();
  return useMutation({
    mutationFn: () => saveLines(client.batches.results(id), `${id}.ndjson`),
    onError: notifyError,
  });
}
