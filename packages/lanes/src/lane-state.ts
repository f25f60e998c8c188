import { WAIT_REASONS, type WaitReason } from '@chorus/contract';
import { z } from 'zod';

/** A lane as all processes see it. */
export interface LaneState {
  /** Calls that may run at once, as learned. */
  limit: number;
  /** The limit that an operator set. */
  setLimit: number | null;
  /** Calls in flight, over all processes. */
  inUse: number;
  /** Time until the next call may start. Null: until an operator resumes the lane. */
  closedMs: number | null;
  reason: WaitReason | null;
  /** When the reason began, in epoch ms. */
  since: number | null;
  /** Whether single calls test if the provider is back. */
  halfOpen: boolean;
  /** Whether the provider has answered a call before. Then a stop may be over soon, such as when a key is replaced. */
  hasAnswered: boolean;
  /** How many jobs can usefully run now. */
  size: number;
  /** The same for jobs of batches, among them. */
  batchSize: number;
  /** Calls of about the last minute. */
  refused: number;
  accepted: number;
  failed: number;
  /** When the state was read, in µs of Redis's clock. News may arrive out of order. */
  at: number;
}

const count = z.number().catch(0);

const seenSchema = z.object({
  lane: z.string(),
  limit: z.number(),
  set: z.number().nullish(),
  used: count,
  closed: z.number(),
  reason: z.enum(WAIT_REASONS).nullish().catch(null),
  since: z.number().nullish(),
  half: z.boolean(),
  answered: z.boolean().catch(false),
  size: count,
  batchSize: count,
  refused: count,
  accepted: count,
  failed: count,
  at: z.coerce.number(),
});

const newsSchema = seenSchema.extend({
  /** The process that published it. */
  by: z.string().nullish(),
  /** Whether slots are free while others wait. */
  free: z.boolean().nullish(),
  /** Whether spare permits are needed by others. */
  scarce: z.boolean().nullish(),
});

const replySchema = seenSchema.extend({
  granted: z.number(),
  /** Those for calls of batches, among `granted`. */
  batches: z.number(),
  extra: z.number(),
  probe: z.boolean(),
  late: z.boolean(),
  /** Changes of the limit, if the server may queue calls. */
  level: z.number().optional(),
  scarce: z.boolean(),
  epoch: z.number(),
  started: z.number(),
});
export type Seen = z.infer<typeof seenSchema>;
export type News = z.infer<typeof newsSchema>;
export type Reply = z.infer<typeof replySchema>;

export const readReply = (json: unknown): Reply => replySchema.parse(JSON.parse(String(json)));
export const readSeen = (json: unknown): Seen => seenSchema.parse(JSON.parse(String(json)));

/** Returns null for messages that are not ours. */
export function readNews(message: string): News | null {
  try {
    return newsSchema.safeParse(JSON.parse(message)).data ?? null;
  } catch {
    return null;
  }
}

export function stateOf({
  limit,
  set,
  used,
  closed,
  reason,
  since,
  half,
  answered,
  size,
  batchSize,
  ...rest
}: Seen): LaneState {
  return {
    limit,
    setLimit: set ?? null,
    inUse: used,
    closedMs: closed < 0 ? null : closed,
    reason: reason ?? null,
    since: reason ? (since ?? null) : null,
    halfOpen: half,
    hasAnswered: answered,
    size,
    batchSize,
    refused: rest.refused,
    accepted: rest.accepted,
    failed: rest.failed,
    at: rest.at,
  };
}
