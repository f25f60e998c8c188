import { z } from 'zod';

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

/** What an execution waits for while it is queued. */
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
