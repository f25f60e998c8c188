import { z } from 'zod';
import { boundedRecord } from './bounded.ts';
import { chatRequest } from './chat.ts';
import { errorBody } from './errors.ts';
import { execution } from './execution.ts';
import { imageRequest, ocrRequest, verifyRequest, videoRequest } from './iris.ts';
import { listQuery, queryFlag } from './list.ts';
import { metadata, storedMetadata } from './metadata.ts';
import { webhookUrl } from './webhooks.ts';

/** A chat turn of a batch stands alone: no session takes part. */
const chatItemRequest = chatRequest.superRefine((body, context) => {
  const complain = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (body.messages === undefined) complain('messages', 'is required in a batch');
  for (const name of ['message', 'session_id', 'regenerate_from'] as const)
    if (body[name] !== undefined) complain(name, 'belongs to a session; a batch takes `messages`');
});

/** What the items of a batch can be, and the request that the body of each must be. */
export const BATCH_BODIES = {
  'iris.image': imageRequest,
  'iris.video': videoRequest,
  'iris.ocr': ocrRequest,
  'iris.verify': verifyRequest,
  'chat.completion': chatItemRequest,
} as const;

export type BatchKind = keyof typeof BATCH_BODIES;
export type BatchBody<K extends BatchKind = BatchKind> = z.infer<(typeof BATCH_BODIES)[K]>;

export const BATCH_KINDS = Object.keys(BATCH_BODIES) as [BatchKind, ...BatchKind[]];

export const MAX_BATCH_ITEMS = 10_000;
const MAX_AFTER = 100;
/** Fields of one request. */
const MAX_FIELDS = 200;

const kind = z.enum(BATCH_KINDS, { error: `must be one of ${BATCH_KINDS.join(', ')}` });
const fields = boundedRecord(z.string(), z.unknown(), MAX_FIELDS);

const itemId = z.string().regex(/^[\w.:@/-]{1,128}$/, {
  error: 'must be 1 to 128 letters, digits and any of _ . : @ / -',
});

/** What a batch says besides its items; of an upload as NDJSON the first line. */
export const batchHead = z.strictObject({
  kind: kind.optional().describe('Of the items that name none'),
  defaults: fields
    .default({})
    .describe(
      'Fields of the request that items leave out; for items of the batch’s own `kind`, or of any where it has none',
    ),
  webhook_url: webhookUrl.optional(),
  metadata: metadata.default({}),
});
export type BatchHead = z.infer<typeof batchHead>;

export const batchItem = z.strictObject({
  id: itemId.optional().describe('Unique within the batch; absent: its place, from 0'),
  kind: kind.optional(),
  body: fields
    .default({})
    .describe(
      'Fields of the request of its kind. Of an item that comes `after` others, `{"$from": "<id>", "path": "output.0.asset.id"}` may stand for any value, ' +
        'and `{{<id>.output.0.text}}` within any text',
    ),
  after: z.array(itemId).max(MAX_AFTER).default([]).describe('Items that must have succeeded before'),
});
export type BatchItem = z.infer<typeof batchItem>;

/** `POST /batches` */
export const batchRequest = batchHead.extend({ items: z.array(batchItem).min(1).max(MAX_BATCH_ITEMS) });

export const BATCH_STATUSES = ['running', 'completed', 'cancelling', 'cancelled'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export const BATCH_ITEM_STATUSES = [
  'waiting',
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'skipped',
] as const;
export type BatchItemStatus = (typeof BATCH_ITEM_STATUSES)[number];

export const ENDED_ITEM_STATUSES = ['succeeded', 'failed', 'cancelled', 'skipped'] as const;
export type EndedItemStatus = (typeof ENDED_ITEM_STATUSES)[number];

const count = z.int();

/** Items by their status. */
export const batchCounts = z.object({
  total: count,
  waiting: count.describe('Not yet handed to the workers'),
  queued: count,
  running: count,
  succeeded: count,
  failed: count,
  cancelled: count,
  skipped: count.describe('Never run, since an item that they come after did not succeed'),
});
export type BatchCounts = z.infer<typeof batchCounts>;

export const batch = z.object({
  id: z.string().describe('`bat_…`'),
  object: z.literal('batch'),
  kind: kind.nullable().describe('Of the items that name none'),
  status: z.enum(BATCH_STATUSES).describe('`completed`: every item has ended, however'),
  counts: batchCounts,
  progress: z.object({ completed: count.describe('Items that have ended'), total: count }),
  webhook_url: z.string().nullable(),
  metadata: storedMetadata,
  user_id: z.string().describe('Who sent it'),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable().describe('When its first item was handed to the workers'),
  finished_at: z.iso.datetime().nullable(),
  urls: z.object({
    self: z.string(),
    events: z.string(),
    items: z.string(),
    results: z.string(),
    cancel: z.string(),
    retry: z.string(),
  }),
});
export type Batch = z.infer<typeof batch>;

export const batchItemView = z.object({
  id: z.string(),
  object: z.literal('batch.item'),
  index: z.int().describe('Its place in the batch, from 0'),
  kind,
  status: z.enum(BATCH_ITEM_STATUSES),
  after: z.array(z.string()).max(MAX_AFTER),
  execution_id: z.string().nullable().describe('Its last execution'),
  error: errorBody.nullable().describe('Why it failed or was skipped'),
  finished_at: z.iso.datetime().nullable(),
});
export type BatchItemView = z.infer<typeof batchItemView>;

/** A line of `GET /batches/{id}/results`. */
export const batchResult = z.object({
  cursor: z.string().describe('As `after` it goes on behind this line'),
  item_id: z.string(),
  index: z.int(),
  kind,
  status: z.enum(ENDED_ITEM_STATUSES),
  error: errorBody.nullable(),
  execution: execution.nullable().describe('Null where none was begun, or it is kept no longer'),
});
export type BatchResult = z.infer<typeof batchResult>;

/** A frame of `GET /batches/{id}/events`: the whole state each time. */
export const batchFrame = z.object({
  type: z.enum(['batch.progress', 'batch.completed', 'batch.cancelled']),
  batch,
});

export const batchesQuery = listQuery.extend({ status: z.enum(BATCH_STATUSES).optional() });
export type BatchesQuery = z.infer<typeof batchesQuery>;

export const batchItemsQuery = listQuery.extend({ status: z.enum(BATCH_ITEM_STATUSES).optional() });
export type BatchItemsQuery = z.infer<typeof batchItemsQuery>;

export const batchResultsQuery = z.strictObject({
  after: z.string().max(100).optional().describe('`cursor` of the last line that you have'),
  follow: queryFlag.default(false).describe('`true`: goes on until the batch has ended'),
});
