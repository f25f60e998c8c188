import { z } from 'zod';
import { KEYED_PROVIDERS } from './provider-keys.ts';

/**
 * Why work waits for its provider. `busy`: all calls that the lane allows are in use. `slow_down`: the provider limits
 * the rate. `away`: it does not answer. `key` and `credit`: it refused the key or the account, so the lane is paused.
 */
export const WAIT_REASONS = ['busy', 'slow_down', 'away', 'key', 'credit'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** Reasons that do not end by themselves: an operator must act. */
export const STOP_REASONS = ['key', 'credit'] as const satisfies readonly WaitReason[];
export type StopReason = (typeof STOP_REASONS)[number];

export function isStopReason(reason: WaitReason | null): reason is StopReason {
  return STOP_REASONS.some((one) => one === reason);
}

/** The reason why an execution is queued. */
export const waitingFor = z.object({
  reason: z.enum(WAIT_REASONS),
  provider: z.string(),
  until: z.iso.datetime().nullable().describe('When the next call is tried. Null: unknown, or when an operator acts'),
});
export type WaitingFor = z.infer<typeof waitingFor>;

/**
 * Returns the lane of a model: all calls that share one limit of a provider. Null: it runs on this machine, which the
 * places of its pool bound.
 *
 * @param model `provider/model`
 */
export function laneOf(model: string | null | undefined): string | null {
  if (!model) return null;
  const provider = providerOf(model);
  return provider === '' || provider === 'embedded' ? null : model;
}

/** Returns the provider of a model or lane. Empty: it names none. */
export function providerOf(model: string): string {
  const slash = model.indexOf('/');
  return slash > 0 ? model.slice(0, slash) : '';
}

/** Lanes that a report lists at most. */
export const MAX_LISTED_LANES = 4_000;

/** A lane, as operators see it. */
export const laneEntry = z.object({
  lane: z.string().describe('`provider/model`'),
  object: z.literal('lane'),
  provider: z.string(),
  model: z.string(),
  limit: z.int().describe('Calls that may run at once, as learned from the answers of the provider'),
  set_limit: z
    .int()
    .nullable()
    .describe('The limit that `<PROVIDER>_MAX_CONCURRENCY` or `MODEL_MAX_CONCURRENCY` sets. Null: none'),
  in_use: z.int().describe('Calls in flight, over all processes'),
  waiting: z.int().describe('Jobs that wait for the lane, over all queues. They hold no worker'),
  oldest_waiting_ms: z.int().nullable().describe('How long the oldest job has waited. Null: none is waiting'),
  accepted: z.int().describe('Calls of about the last minute that the provider accepted'),
  refused: z.int().describe('Calls of about the last minute that the provider refused with "slow down"'),
  failed: z.int().describe('Calls of about the last minute that failed since the provider did not answer'),
  reason: z
    .enum(WAIT_REASONS)
    .nullable()
    .describe(
      'Why calls wait. `busy`: the limit is used. `slow_down`: the provider limits the rate. `away`: it does not answer. ' +
        '`key` and `credit`: it refused the key, or no credit is left, so the lane is stopped. Null: calls start at once',
    ),
  since: z.iso.datetime().nullable().describe('When the reason began'),
  until: z.iso.datetime().nullable().describe('When the next call is tried. Null: now, or when an operator resumes it'),
  half_open: z.boolean().describe('Whether single calls test if the provider is back'),
});
export type LaneEntry = z.infer<typeof laneEntry>;

/** `POST /lanes/resume` */
export const laneResume = z
  .strictObject({
    lane: z.string().min(3).max(500).optional().describe('One lane: `provider/model`'),
    provider: z.enum(KEYED_PROVIDERS).optional().describe('All lanes of a provider'),
  })
  .refine(({ lane, provider }) => (lane === undefined) !== (provider === undefined), {
    error: 'send one of lane, provider',
  });
export type LaneResume = z.infer<typeof laneResume>;
