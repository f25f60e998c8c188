import { deleteBatch as remove } from '@chorus/batches';
import {
  type BatchItemView,
  batch,
  batchesQuery,
  batchFrame,
  batchHead,
  batchItem,
  batchItemsQuery,
  batchItemView,
  batchRequest,
  batchResult,
  batchResultsQuery,
  ChorusError,
  deletion,
  listOf,
  mayChange,
  queryFlag,
} from '@chorus/contract';
import type { BatchRecord, ListedBatchItem } from '@chorus/database';
import { BATCHES_CHANNEL } from '@chorus/events';
import { presentBatch } from '@chorus/executions';
import { z } from 'zod';
import { createBatch } from '../batches/create-batch.ts';
import { sendResults } from '../batches/send-results.ts';
import { streamBatch } from '../batches/stream-batch.ts';
import { defineRoute } from '../define-route.ts';
import { askedAtOf, joinsRetry } from '../delivery/retry-once.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { unknownRecord } from '../http/unknown-record.ts';

const params = { batch_id: 'batch' } as const;

export const createBatchRoute = defineRoute({
  method: 'post',
  path: '/batches',
  area: 'batches',
  summary: 'Run up to 10,000 requests',
  description:
    'As one JSON document, or as NDJSON: the first line is the batch without `items`, each further line an item. Items run side by side, as many at a time as others leave room for. An item that ' +
    'comes `after` others may use what those made: `{"$from": "<id>", "path": "output.0.asset.id"}` in place of any value, `{{<id>.output.0.text}}` within any text. When one of ' +
    'those does not succeed it is `skipped`. Nothing is stored when an item is wrong. A batch counts as one request.',
  needs: 'run',
  rateClass: 'executions',
  upload: { 'application/json': batchRequest, 'application/x-ndjson': z.union([batchHead, batchItem]) },
  answer: batch,
  refuses: ['invalid_request', 'url_not_allowed'],
  handle: ({ context }) => createBatch(context),
});

export const listBatches = defineRoute({
  method: 'get',
  path: '/batches',
  area: 'batches',
  summary: 'List batches',
  description: 'Newest first.',
  needs: 'read',
  query: batchesQuery,
  answer: listOf(batch),
  handle: async ({ query, owner, context, services }) => {
    const page = await services.database.batches.list(owner, query);
    return { object: 'list', ...page, data: page.data.map((record) => presentBatch(record, context.addresses)) };
  },
});

export const getBatch = defineRoute({
  method: 'get',
  path: '/batches/:batch_id',
  area: 'batches',
  summary: 'Get a batch',
  description: 'Its counts are as of a moment ago.',
  needs: 'read',
  params,
  answer: batch,
  handle: async ({ params, context }) => presentBatch(await find(context, params.batch_id), context.addresses),
});

export const streamBatchEvents = defineRoute({
  method: 'get',
  path: '/batches/:batch_id/events',
  area: 'batches',
  summary: 'Follow a batch',
  description:
    "As `text/event-stream`: the whole batch at once, then whenever it has changed, at most four times a second. Ends with it. Whoever comes back has missed nothing. Counts as one of the user's event streams (`EVENT_STREAMS_PER_USER`).",
  needs: 'read',
  params,
  answer: batchFrame,
  answerType: 'text/event-stream',
  streams: true,
  handle: async ({ params, context }) => {
    const { id } = await find(context, params.batch_id);
    await streamBatch(context, id);
    return undefined;
  },
});

export const listBatchItems = defineRoute({
  method: 'get',
  path: '/batches/:batch_id/items',
  area: 'batches',
  summary: "List a batch's items",
  description: 'In their order.',
  needs: 'read',
  params,
  query: batchItemsQuery,
  answer: listOf(batchItemView),
  handle: async ({ params, query, context, services }) => {
    const { id } = await find(context, params.batch_id);
    const page = await services.database.batchItems.list(id, query);
    return { object: 'list', ...page, data: page.data.map(presentItem) };
  },
});

export const getBatchResults = defineRoute({
  method: 'get',
  path: '/batches/:batch_id/results',
  area: 'batches',
  summary: 'Get what has ended of a batch',
  description:
    "As NDJSON, one line for each item in the order of their ending. With `follow=true` the answer goes on until the batch has ended; `after` goes on behind a line. Followed, it counts as one of the user's event streams (`EVENT_STREAMS_PER_USER`).",
  needs: 'read',
  params,
  query: batchResultsQuery,
  answer: batchResult,
  answerType: 'application/x-ndjson',
  endless: true,
  handle: async ({ params, query, context }) => {
    await sendResults(context, await find(context, params.batch_id), query);
    return undefined;
  },
});

export const cancelBatch = defineRoute({
  method: 'post',
  path: '/batches/:batch_id/cancel',
  area: 'batches',
  summary: 'Cancel a batch',
  description:
    'Items that wait never run, those that run are asked to stop; it is `cancelling` until they have. What has ended stays. Editors cancel what they made, admins all.',
  needs: 'run',
  params,
  answer: batch,
  handle: async ({ params, context, services }) => {
    const { id, owner } = await findOwn(context, params.batch_id, 'cancel it');
    const cancelled = await services.database.batches.markCancelling(owner, id);
    if (cancelled === null) throw unknownRecord('batch');
    services.eventLog.wake(BATCHES_CHANNEL);
    return presentBatch(cancelled, context.addresses);
  },
});

export const retryBatch = defineRoute({
  method: 'post',
  path: '/batches/:batch_id/retry',
  area: 'batches',
  summary: 'Run those items again that did not succeed',
  description:
    'Failed, cancelled and skipped ones, as new executions with `retry_of`; the batch runs again. Its counts follow at once. Asked for several times at once, it is one retry. Editors do so with what they made, admins with all.',
  needs: 'run',
  params,
  answer: batch,
  handle: async ({ params, context, services }) => {
    const found = await findOwn(context, params.batch_id, 'run it again');
    if (isFreshRetry(found, askedAtOf(context))) return presentBatch(found, services.addresses);
    const { id, owner, counts } = found;
    if (counts.failed + counts.cancelled + counts.skipped === 0)
      throw new ChorusError('job_not_retryable', 'No item of this batch has failed, or was cancelled or skipped.');
    const retried = await services.database.batches.askRetry(owner, id);
    if (retried === null)
      throw new ChorusError('conflict', 'The batch is being cancelled; try again when it has ended.');
    services.eventLog.wake(BATCHES_CHANNEL);
    return presentBatch(retried, context.addresses);
  },
});

const deleteQuery = z.strictObject({
  assets: queryFlag.default(false).describe('Also deletes the assets that its executions made.'),
});

export const deleteBatch = defineRoute({
  method: 'delete',
  path: '/batches/:batch_id',
  area: 'batches',
  summary: 'Delete a batch that has ended',
  description:
    'With its items, its results and its executions; the usage totals keep what they used. Assets that they made stay unless `assets=true`. One that runs is answered 409 ' +
    '`job_running`: cancel it first. Editors delete what they made, admins all.',
  needs: 'write',
  params,
  query: deleteQuery,
  answer: deletion,
  refuses: ['job_running'],
  handle: async ({ params, query, actor, owner, role, services }) => {
    const { database, deletions, accounts } = services;
    const asked = { kind: 'batch', id: params.batch_id, owner, assets: query.assets } as const;
    const store = { batches: database.batches, audit: accounts.audit };
    await deletions.carryOut(asked, () => remove(store, { owner, role }, actor, params.batch_id));
    return { id: params.batch_id, object: 'batch', deleted: true };
  },
});

async function find({ services, owner }: ScopedContext, id: string): Promise<BatchRecord> {
  const record = await services.database.batches.get(owner, id);
  if (record === null) throw unknownRecord('batch');
  return record;
}

async function findOwn(context: ScopedContext, id: string, deed: string): Promise<BatchRecord> {
  const record = await find(context, id);
  if (mayChange(context.role, context.owner, record.owner)) return record;
  throw new ChorusError('role_forbidden', `Another member made this; an admin can ${deed}.`);
}

/** Whether another request has just retried the batch: no item has failed since, or it ended while this request was on its way. */
function isFreshRetry({ retries, status, counts, finished_at, retry_pending }: BatchRecord, askedAt: number): boolean {
  if (retries === 0) return false;
  if (finished_at !== null) return joinsRetry({ finished_at }, askedAt);
  const isClean = counts.failed + counts.cancelled + counts.skipped === 0;
  return retry_pending || (status === 'running' && isClean);
}

function presentItem(item: ListedBatchItem): BatchItemView {
  return {
    id: item.id,
    object: 'batch.item',
    index: item.index,
    kind: item.kind,
    status: item.status,
    after: item.after,
    execution_id: item.execution_id,
    error: item.error,
    finished_at: item.finished_at?.toISOString() ?? null,
  };
}
