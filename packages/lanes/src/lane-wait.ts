import { ChorusError, type ErrorCode, providerOf, type WaitingFor, type WaitReason } from '@chorus/contract';
import type { LaneState } from './lane-state.ts';

const CODES: Record<WaitReason, ErrorCode> = {
  busy: 'provider_rate_limited',
  slow_down: 'provider_rate_limited',
  credit: 'provider_rate_limited',
  away: 'provider_unavailable',
  key: 'provider_auth',
};

const SAYS: Record<WaitReason, (provider: string) => string> = {
  busy: (provider) => `All calls that ${provider} allows at once are in use.`,
  slow_down: (provider) => `${provider} limits the rate of calls.`,
  credit: (provider) => `${provider} says that the account has no credit left.`,
  away: (provider) => `The last calls to ${provider} all failed.`,
  key: (provider) => `${provider} refused the key. Calls wait until an operator resumes them.`,
};

const BUSY_RETRY_S = 2;

/** Thrown by a call that cannot start in time, or that the provider puts off. The work can wait and try again. */
export class LaneWait extends ChorusError {
  readonly lane: string;
  readonly reason: WaitReason;
  /** Time until the next call is tried. Null: until an operator acts. 0: unknown. */
  readonly closedMs: number | null;
  readonly waiting: WaitingFor;

  /** @param cause The provider's error. Its message and code are shown if the work may not wait. */
  constructor(lane: string, reason: WaitReason, closedMs: number | null, cause?: ChorusError) {
    const closedS = closedMs === null ? undefined : Math.ceil(closedMs / 1000) || BUSY_RETRY_S;
    const retryAfterS = cause ? cause.retryAfterS : closedS;
    const provider = providerOf(lane) || lane;
    const again = retryAfterS === undefined ? '' : ` Try again in ${retryAfterS} s.`;
    super(cause?.code ?? CODES[reason], cause?.message ?? SAYS[reason](provider) + again, {
      ...(retryAfterS !== undefined && { retryAfterS }),
      ...(cause === undefined && { notStarted: true }),
    });
    this.lane = lane;
    this.reason = reason;
    this.closedMs = closedMs;
    this.waiting = { reason, provider, until: closedMs ? new Date(Date.now() + closedMs).toISOString() : null };
  }

  /** Explains why work waits before its first call: its lane is closed or full. */
  static of(lane: string, { reason, closedMs }: Pick<LaneState, 'reason' | 'closedMs'>): LaneWait {
    return new LaneWait(lane, reason ?? 'busy', closedMs);
  }
}
