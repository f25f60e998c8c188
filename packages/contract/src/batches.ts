import { z } from 'zod';
import { type JobKind, KINDS } from './all-kinds.ts';
import { boundedRecord } from './bounded.ts';
import type { KindDefinition } from './define-kind.ts';
import { errorBody } from './error-body.ts';
import { execution } from './execution.ts';
import { waitingFor } from './lanes.ts';
import { listQuery, queryFlag } from './list.ts';
import { metadata, storedMetadata } from './metadata.ts';
import { webhookUrl } from './webhooks.ts';

type Kinds = typeof KINDS;

/** Kinds of batch items. */
export type BatchKind = { [K in JobKind]: Kinds[K]['batchable'] extends false ? never : K }[JobKind];

/** The schema of an item's body: the kind's request, unless the kind has its own schema for batches. */
type BatchSchema<K extends BatchKind> = Kinds[K]['batchable'] extends infer S extends z.ZodType
  ? S
  : Kinds[K]['request'];
export type BatchBody<K extends BatchKind = BatchKind> = z.infer<BatchSchema<K>>;

export const BATCH_BODIES = Object.fromEntries(
  Object.values<KindDefinition>(KINDS).flatMap(({ kind, batchable, request }) =>
    batchable === false ? [] : [[kind, batchable === true ? request : batchable]],
  ),
) as { [K in BatchKind]: BatchSchema<K> };

export const BATCH_KINDS = Object.keys(BATCH_BODIES) as [BatchKind, ...BatchKind[]];

export const MAX_BATCH_ITEMS = 10_000;
const DAY_MS = 24 * 3_600_000;
/** Time until the items of a batch expire, unless the request says otherwise. */
export const BATCH_LIFETIME_MS = DAY_MS;
const MAX_LIFETIME_DAYS = 7;
const MAX_AFTER = 100;
const MAX_FIELDS = 200;

const kind = z.enum(BATCH_KINDS);
const fields = boundedRecord(z.string(), z.unknown(), MAX_FIELDS);

const itemId = z.string().regex(/^[\w.:@/-]{1,128}$/, {
  error: 'must be 1 to 128 letters, digits and any of _ . : @ / -',
});

const expiresAt = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-01-31T18:00:00Z' })
  .transform((time) => new Date(time))
  .refine(isWithinLifetime, { error: `must be in the future, at most ${MAX_LIFETIME_DAYS} days from now` });

function isWithinLifetime(time: Date): boolean {
  const left = time.getTime() - Date.now();
  return left > 0 && left <= MAX_LIFETIME_DAYS * DAY_MS;
}

/** A batch without its items; the first line of an NDJSON upload. */
export const batchHead = z.strictObject({
  kind: kind.optional().describe('For items that name none'),
  defaults: fields
    .default({})
    .describe('Default fields of the items’ bodies. With `kind`, they apply to items of that kind only'),
  webhook_url: webhookUrl.optional(),
  expires_at: expiresAt
    .optional()
    .describe('When items that have not started expire: at most 7 days from now. Default: in 24 hours'),
  economy: z
    .boolean()
    .optional()
    .describe(
      'Whether to run chats, responses, and embeddings through the batch endpoint of their provider, for half the price. Results may take up to 24 hours. Default: false',
    ),
  economy_fallback: z
    .boolean()
    .optional()
    .describe(
      "With `economy`: whether items that the provider's batch endpoint expired or failed to answer run the normal way, for the full price",
    ),
  metadata: metadata.default({}),
});
export type BatchHead = z.infer<typeof batchHead>;

export const batchItem = z.strictObject({
  id: itemId.optional().describe('Unique within the batch. Default: its index, from 0'),
  kind: kind.optional(),
  body: fields
    .default({})
    .describe(
      'The request body of its kind. If the item comes `after` others, `{"$from": "<id>", "path": "output.0.asset.id"}` can replace any value, ' +
        'and `{{<id>.output.0.text}}` can be part of any text',
    ),
  after: z.array(itemId).max(MAX_AFTER).default([]).describe('Items that must succeed first'),
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
  'requires_action',
  'succeeded',
  'failed',
  'cancelled',
  'skipped',
  'expired',
] as const;
export type BatchItemStatus = (typeof BATCH_ITEM_STATUSES)[number];

/** Statuses of items that a retry of the batch runs again. */
export const UNSUCCESSFUL_ITEM_STATUSES = ['failed', 'cancelled', 'skipped', 'expired'] as const;
export const ENDED_ITEM_STATUSES = ['succeeded', ...UNSUCCESSFUL_ITEM_STATUSES] as const;
export type EndedItemStatus = (typeof ENDED_ITEM_STATUSES)[number];

const count = z.int();

/** Number of items by status. */
export const batchCounts = z.object({
  total: count,
  waiting: count.describe('Not yet sent to the workers'),
  queued: count,
  running: count,
  requires_action: count.describe('Wait for decisions about tool calls, with `POST /jobs/{id}/actions`'),
  succeeded: count,
  failed: count,
  cancelled: count,
  skipped: count.describe('Never run, since an item it depends on did not succeed'),
  expired: count.describe('Not started before `expires_at`'),
});
export type BatchCounts = z.infer<typeof batchCounts>;

/** Returns how many items a retry of the batch would run again. */
export const countUnsuccessful = (counts: BatchCounts): number =>
  UNSUCCESSFUL_ITEM_STATUSES.reduce((sum, status) => sum + counts[status], 0);

const MAX_ECONOMY_MODELS = 100;
const modelNames = z.array(z.string()).max(MAX_ECONOMY_MODELS);

/** How a batch uses the batch endpoints of providers. */
export const batchEconomy = z.object({
  fallback: z.boolean().describe('`economy_fallback` of the request'),
  models: modelNames.describe('Models that its items name and that run through a batch endpoint'),
  other_models: modelNames.describe('Models that its items name and that have none: these items run the normal way'),
});
export type BatchEconomy = z.infer<typeof batchEconomy>;
export const MAX_BATCH_WAITS = 10;

/** The reason why items of a batch are queued. */
const batchWait = waitingFor.extend({
  model: z.string().describe('`provider/model`'),
  items: count.describe('Number of queued items that wait for it'),
});
export type BatchWait = z.infer<typeof batchWait>;

export const batch = z.object({
  id: z.string().describe('`bat_…`'),
  object: z.literal('batch'),
  kind: kind.nullable().describe('For items that name none'),
  status: z.enum(BATCH_STATUSES).describe('`completed`: every item has ended, successfully or not'),
  counts: batchCounts,
  progress: z.object({
    completed: count.describe('Items that have ended'),
    total: count,
    per_second: z
      .number()
      .nullable()
      .describe(
        'Items that ended per second lately, without time in which all of them waited for a provider. Null while that is unknown',
      ),
    remaining_s: count
      .nullable()
      .describe(
        'Estimated seconds to the end: at this pace, and with the time until providers are called again. Null while that is unknown',
      ),
    waiting_for: z
      .array(batchWait)
      .max(MAX_BATCH_WAITS)
      .describe('The providers that its queued items wait for; those with the most items first'),
  }),
  economy: batchEconomy.nullable().describe('Null: not requested'),
  webhook_url: z.string().nullable(),
  metadata: storedMetadata,
  user_id: z.string().describe('The creator'),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable().describe('When its first item was sent to the workers'),
  expires_at: z.iso
    .datetime()
    .nullable()
    .describe('When items that have not started expire; a retry moves it. Null: never'),
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
  index: z.int().describe('Its index in the batch, from 0'),
  kind,
  status: z.enum(BATCH_ITEM_STATUSES),
  after: z.array(z.string()).max(MAX_AFTER),
  execution_id: z.string().nullable().describe('Its latest execution'),
  error: errorBody.nullable().describe('Why it failed, expired, or was skipped'),
  finished_at: z.iso.datetime().nullable(),
});
export type BatchItemView = z.infer<typeof batchItemView>;

/** A line of `GET /batches/{id}/results`. */
export const batchResult = z.object({
  cursor: z.string().describe('Send it as `after` to continue after this line'),
  item_id: z.string(),
  index: z.int(),
  kind,
  status: z.enum(ENDED_ITEM_STATUSES),
  error: errorBody.nullable(),
  execution: execution.nullable().describe('Null: none was started, or it was deleted'),
});
export type BatchResult = z.infer<typeof batchResult>;

/** A frame of `GET /batches/{id}/events`, with the whole state each time. */
export const batchFrame = z.object({
  type: z.enum(['batch.progress', 'batch.completed', 'batch.cancelled']),
  batch,
});

export const batchesQuery = listQuery.extend({ status: z.enum(BATCH_STATUSES).optional() });
export type BatchesQuery = z.infer<typeof batchesQuery>;

export const batchItemsQuery = listQuery.extend({ status: z.enum(BATCH_ITEM_STATUSES).optional() });
export type BatchItemsQuery = z.infer<typeof batchItemsQuery>;

export const batchResultsQuery = z.strictObject({
  after: z.string().max(100).optional().describe('`cursor` of the last line you received'),
  follow: queryFlag.default(false).describe('`true`: continues until the batch has ended'),
});
