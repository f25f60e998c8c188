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
  countUnsuccessful,
  deletion,
  listOf,
  mayChange,
  queryFlag,
} from '@chorus/contract';
import type { BatchRecord, ListedBatchItem } from '@chorus/database';
import { BATCHES_CHANNEL } from '@chorus/events';
import { z } from 'zod';
import { createBatch } from '../batches/create-batch.ts';
import { streamBatch } from '../batches/follow-batch.ts';
import { sendResults } from '../batches/send-results.ts';
import { defineRoute } from '../define-route.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import { presentBatches, presentOneBatch } from '../present.ts';
import { askedAtOf, joinsRetry } from '../responses/retry-once.ts';

const params = { batch_id: 'batch' } as const;

export const createBatchRoute = defineRoute({
  method: 'post',
  path: '/batches',
  area: 'batches',
  summary: 'Create a batch of up to 10,000 requests',
  description:
    'As one JSON document, or as NDJSON: the batch without `items` in the first line, then an item per line. Items run in parallel, as capacity allows. An item that ' +
    'comes `after` others can use their results: `{"$from": "<id>", "path": "output.0.asset.id"}` in place of any value, `{{<id>.output.0.text}}` within any text. If one of ' +
    'those fails, the item is `skipped`. Items that have not started at `expires_at` are `expired`. If any item is invalid, nothing is stored. A batch counts as one request. The agent of `X-Agent-ID` applies to every chat in it.',
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
    return { object: 'list', ...page, data: await presentBatches(context, page.data) };
  },
});

export const getBatch = defineRoute({
  method: 'get',
  path: '/batches/:batch_id',
  area: 'batches',
  summary: 'Get a batch',
  description: 'Its counts may lag by a moment.',
  needs: 'read',
  params,
  answer: batch,
  handle: async ({ params, context }) => presentOneBatch(context, await find(context, params.batch_id)),
});

export const streamBatchEvents = defineRoute({
  method: 'get',
  path: '/batches/:batch_id/events',
  area: 'batches',
  summary: 'Follow a batch',
  description:
    "As `text/event-stream`: the whole batch at once, then after each change, at most four times a second, until it ends. After reconnecting, the first event is the current state. Counts as one of the user's event streams (`EVENT_STREAMS_PER_USER`).",
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
  description: 'In their original order.',
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
  summary: "Get a batch's results",
  description:
    "As NDJSON: a line for each finished item, in the order they ended. With `follow=true` the response continues until the batch has ended, and counts as one of the user's event streams (`EVENT_STREAMS_PER_USER`). To resume, send `after` with the last `cursor` you received.",
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
    'Queued items never run, and running ones are asked to stop; the status is `cancelling` until they have. Finished items stay as they are. Editors can cancel their own batches, admins all.',
  needs: 'run',
  params,
  answer: batch,
  handle: async ({ params, context, services }) => {
    const { id, owner } = await findOwn(context, params.batch_id, 'cancel it');
    const cancelled = await services.database.batches.markCancelling(owner, id);
    if (cancelled === null) throw unknownRecord('batch');
    services.eventLog.wake(BATCHES_CHANNEL);
    return presentOneBatch(context, cancelled);
  },
});

export const retryBatch = defineRoute({
  method: 'post',
  path: '/batches/:batch_id/retry',
  area: 'batches',
  summary: 'Retry the unsuccessful items of a batch',
  description:
    'Runs failed, cancelled, skipped, and expired items as new executions with `retry_of`. `expires_at` moves: they have as much time as the first run. The counts are updated at once. Simultaneous requests start one retry. Editors can retry their own batches, admins all.',
  needs: 'run',
  params,
  answer: batch,
  handle: async ({ params, context, services }) => {
    const found = await findOwn(context, params.batch_id, 'run it again');
    if (isFreshRetry(found, askedAtOf(context))) return presentOneBatch(context, found);
    if (found.files !== null)
      throw new ChorusError('job_not_retryable', 'This batch was created from a file. Create another one instead.');
    if (countUnsuccessful(found.counts) === 0)
      throw new ChorusError(
        'job_not_retryable',
        'No item of this batch has failed, expired, or was cancelled or skipped.',
      );
    const retried = await services.database.batches.requestRetry(found);
    if (retried === null)
      throw new ChorusError('conflict', 'The batch is being cancelled. Try again when it has ended.');
    services.eventLog.wake(BATCHES_CHANNEL);
    return presentOneBatch(context, retried);
  },
});

const deleteQuery = z.strictObject({
  assets: queryFlag.default(false).describe('Also deletes the assets that its executions generated.'),
});

export const deleteBatch = defineRoute({
  method: 'delete',
  path: '/batches/:batch_id',
  area: 'batches',
  summary: 'Delete a finished batch',
  description:
    'With its items, results, executions, and files with the results; usage totals are kept. Generated assets remain unless `assets=true`. A running batch is 409 ' +
    '`job_running`: cancel it first. Editors can delete their own batches, admins all.',
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

async function findOwn(context: ScopedContext, id: string, action: string): Promise<BatchRecord> {
  const record = await find(context, id);
  if (mayChange(context.role, context.owner, record.owner)) return record;
  throw new ChorusError('role_forbidden', `Another member made this; an admin can ${action}.`);
}

/**
 * Returns whether another request has just retried the batch: no item has failed since, or the retry ended
 * after this request arrived.
 */
function isFreshRetry({ retries, status, counts, finished_at, retry_pending }: BatchRecord, askedAt: number): boolean {
  if (retries === 0) return false;
  if (finished_at !== null) return joinsRetry({ finished_at }, askedAt);
  return retry_pending || (status === 'running' && countUnsuccessful(counts) === 0);
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
