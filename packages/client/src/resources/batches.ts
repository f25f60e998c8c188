import { BatchRun, type BatchWatchOptions, batchResults, watchBatch } from '../batch-run.ts';
import type { CallOptions } from '../client-options.ts';
import type { FollowOptions } from '../follow.ts';
import type { BatchItemRequest } from '../generated/api-types.ts';
import type { BodyOf, QueryOf, Without } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';

type BatchRequest = BodyOf<'POST /batches'>;

/** What a batch says besides its items, and how it is followed. */
export interface RunBatchOptions extends BatchWatchOptions, Without<BatchRequest, 'items'> {
  /** The same key a day long means the same batch. */
  idempotencyKey?: string | undefined;
}

const ITEMS = 'GET /batches/{batch_id}/items';

export function createBatches(transport: Transport) {
  const path = (id: string) => ({ path: { batch_id: id } });
  return {
    /**
     * Stores up to 10,000 requests, which then run, and gives their results as they come:
     * `for await (const { item_id, execution } of await batches.run(items, { kind: 'iris.image', onProgress }))`.
     */
    async run(items: BatchItemRequest[], options: RunBatchOptions = {}): Promise<BatchRun> {
      const { onProgress, onConnection, signal, after, idempotencyKey, ...head } = options;
      const batch = await transport.request('POST /batches', { body: { ...head, items } }, { signal, idempotencyKey });
      return new BatchRun(transport, batch.id, { onProgress, onConnection, signal });
    },
    /** Goes on with the results of a batch, from its first or from behind a `cursor`. */
    resume: (id: string, options: BatchWatchOptions = {}) => new BatchRun(transport, id, options),
    /** The batch whenever its counts have changed, until it has ended. */
    watch: (id: string, options?: FollowOptions) => watchBatch(transport, id, options),
    /** What has ended, each item once, until all has. */
    results: (id: string, options?: BatchWatchOptions) => batchResults(transport, id, options),
    /** Stores up to 10,000 requests, which then run. */
    create: (body: BatchRequest, options?: CallOptions & Pick<RunBatchOptions, 'idempotencyKey'>) =>
      transport.request('POST /batches', { body }, options),
    get: (id: string, options?: CallOptions) => transport.request('GET /batches/{batch_id}', path(id), options),
    list: (query?: QueryOf<'GET /batches'>, options?: CallOptions) =>
      transport.request('GET /batches', { query }, options),
    all: (query?: QueryOf<'GET /batches'>, options?: CallOptions) =>
      everyItem(transport, 'GET /batches', { query }, options),
    /** Its items, in their order. */
    items: (id: string, query?: QueryOf<typeof ITEMS>, options?: CallOptions) =>
      everyItem(transport, ITEMS, { ...path(id), query }, options),
    cancel: (id: string, options?: CallOptions) =>
      transport.request('POST /batches/{batch_id}/cancel', path(id), options),
    /** Deletes one that has ended, with its items, results and executions; with `assets` also what they made. 409 `job_running` until then. */
    delete: (id: string, { assets = false }: { assets?: boolean } = {}, options?: CallOptions) => {
      const query = assets ? { assets: 'true' as const } : {};
      return transport.request('DELETE /batches/{batch_id}', { ...path(id), query }, options);
    },
    /** Runs those items again that did not succeed. */
    retry: (id: string, options?: CallOptions) =>
      transport.request('POST /batches/{batch_id}/retry', path(id), options),
  };
}
