import { z } from 'zod';
import { BATCH_STATUSES, batchCounts } from './batches.ts';
import { EXECUTION_STATUSES, progress, SURFACES, usage } from './execution.ts';
import { ASSET_KINDS } from './names/index.ts';
import type { Owner } from './owner.ts';

const ofExecution = {
  execution_id: z.string(),
  kind: z.string(),
  surface: z.enum(SURFACES).nullable(),
  status: z.enum(EXECUTION_STATUSES),
  session_id: z.string().nullable(),
  batch_id: z.string().nullable(),
};
const ended = {
  ...ofExecution,
  model: z.string().nullable(),
  attempt: z.int(),
  duration_ms: z.int().nullable().describe('Run time; null: it never started'),
  usage,
  output: z.array(z.string()).max(20).describe('Item types of the output, such as `text`; at most 20'),
  asset_ids: z.array(z.string()).max(20).describe('Assets in the output; at most 20'),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
};
const ofBatch = { batch_id: z.string(), status: z.enum(BATCH_STATUSES), counts: batchCounts };

/** An event of a scope. */
const feedEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('execution.queued'), ...ofExecution, model: z.string().nullable() }),
  z.object({ type: z.literal('execution.started'), ...ofExecution, attempt: z.int() }),
  z.object({ type: z.literal('execution.progress'), ...ofExecution, progress }),
  z.object({ type: z.literal('execution.cancelling'), ...ofExecution }),
  z.object({
    type: z.literal('execution.requires_action'),
    ...ofExecution,
    tool_calls: z
      .array(z.object({ tool_call_id: z.string(), name: z.string() }))
      .max(20)
      .describe('Calls that wait for a decision; at most 20'),
  }),
  z.object({ type: z.literal('execution.succeeded'), ...ended }),
  z.object({ type: z.literal('execution.failed'), ...ended }),
  z.object({ type: z.literal('execution.cancelled'), ...ended }),
  z.object({ type: z.literal('batch.created'), ...ofBatch }),
  z.object({ type: z.literal('batch.progress'), ...ofBatch }),
  z.object({ type: z.literal('batch.completed'), ...ofBatch }),
  z.object({ type: z.literal('batch.cancelled'), ...ofBatch }),
  z.object({
    type: z.literal('asset.created'),
    asset_id: z.string(),
    kind: z.enum(ASSET_KINDS),
    mime_type: z.string(),
    size_bytes: z.int(),
    execution_id: z.string().nullable(),
  }),
  z.object({ type: z.literal('asset.deleted'), asset_id: z.string() }),
  z.object({ type: z.literal('session.updated'), session_id: z.string() }),
  z.object({ type: z.literal('session.deleted'), session_id: z.string() }),
  z.object({ type: z.literal('folder.updated'), folder_id: z.string() }),
  z.object({ type: z.literal('folder.deleted'), folder_id: z.string() }),
]);
export type FeedEvent = z.infer<typeof feedEvent>;

/** Publishes an event of a scope. Not awaited; never fails. */
export type PublishFeedEvent = (owner: Owner, event: FeedEvent) => void;

/** The time, and the user: who runs the execution, or owns or deletes the asset, batch, or session. */
export const feedStamp = z.object({ time: z.iso.datetime(), user_id: z.string() });
export type StampedFeedEvent = FeedEvent & z.infer<typeof feedStamp>;

export const feedFrame = z.union([
  z.object({ type: z.literal('events.opened') }).describe('The first event. Resume from its id'),
  z
    .object({ type: z.literal('events.lost') })
    .describe(
      'There were too many events, and some were lost. Reload your lists. No events are missing after this one',
    ),
  z.intersection(feedEvent, feedStamp),
]);
