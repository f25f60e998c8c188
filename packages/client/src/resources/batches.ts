import { BatchRun, type BatchWatchOptions, batchResults, watchBatch } from '../batch-run.ts';
import { type CallOptions, callOptions } from '../client-options.ts';
import type { FollowOptions } from '../follow.ts';
import type { BatchItemRequest } from '../generated/api-types.ts';
import type { BodyOf, QueryOf, Without } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

type BatchRequest = BodyOf<'POST /batches'>;

/** Fields of a batch besides its items, and how to follow it. */
export interface RunBatchOptions extends BatchWatchOptions, Without<BatchRequest, 'items'> {
  /** Requests with the same key within a day create one batch. */
  idempotencyKey?: string | undefined;
}

const ITEMS = 'GET /batches/{batch_id}/items';

export function createBatches(transport: Transport) {
  const path = (id: string) => ({ path: { batch_id: id } });
  return {
    /**
     * Stores up to 10,000 requests, runs them, and returns their results as they end.
     *
     * @example
     * const run = await chorus.batches.run(items, { kind: 'iris.image' });
     * for await (const { item_id, execution } of run) save(item_id, execution);
     */
    async run(items: BatchItemRequest[], options: RunBatchOptions = {}): Promise<BatchRun> {
      const {
        onProgress,
        onConnection,
        after,
        idempotencyKey,
        signal,
        headers,
        timeoutMs,
        attempts,
        onResponse,
        ...head
      } = options;
      const call = callOptions(options);
      const batch = await transport.request('POST /batches', { body: { ...head, items } }, { ...call, idempotencyKey });
      return new BatchRun(transport, batch.id, { ...call, onProgress, onConnection });
    },
    /** Continues to read the results of a batch, from the start or after a `cursor`. */
    resume: (id: string, options: BatchWatchOptions = {}) => new BatchRun(transport, id, options),
    /**
     * Iterates over the batch: as it is, and again after each change of its counts, until it has
     * ended.
     */
    watch: (id: string, options?: FollowOptions) => watchBatch(transport, id, options),
    /** Iterates over results, each item once, until the batch has ended. */
    results: (id: string, options?: BatchWatchOptions) => batchResults(transport, id, options),
    /** Stores up to 10,000 requests, which then run. Returns the batch immediately. */
    create: (body: BatchRequest, options?: CallOptions & Pick<RunBatchOptions, 'idempotencyKey'>) =>
      transport.request('POST /batches', { body }, options),
    /** Returns a batch with its counts. */
    get: (id: string, options?: CallOptions) => transport.request('GET /batches/{batch_id}', path(id), options),
    /** Returns one page of batches, newest first. */
    list: (query?: QueryOf<'GET /batches'>, options?: CallOptions) =>
      transport.request('GET /batches', { query }, options),
    /** Iterates over all batches, newest first. */
    all: (query?: QueryOf<'GET /batches'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /batches', { query }, options),
    /** Iterates over the items of a batch in their order. */
    items: (id: string, query?: QueryOf<typeof ITEMS>, options?: CallOptions) =>
      iterateItems(transport, ITEMS, { ...path(id), query }, options),
    /** Cancels a batch: waiting items never run, and running ones are asked to stop. */
    cancel: (id: string, options?: CallOptions) =>
      transport.request('POST /batches/{batch_id}/cancel', path(id), options),
    /**
     * Deletes a batch that has ended, with items, results, and executions; with `assets` also the
     * files it made. Throws `job_running` before.
     */
    delete: (id: string, { assets = false }: { assets?: boolean } = {}, options?: CallOptions) => {
      const query = assets ? { assets: 'true' as const } : {};
      return transport.request('DELETE /batches/{batch_id}', { ...path(id), query }, options);
    },
    /** Reruns the items that did not succeed. */
    retry: (id: string, options?: CallOptions) =>
      transport.request('POST /batches/{batch_id}/retry', path(id), options),
  };
}
