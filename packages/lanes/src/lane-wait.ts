import { ChorusError, type ErrorCode, providerOf, type WaitReason } from '@chorus/contract';

const CODES: Record<WaitReason, ErrorCode> = {
  busy: 'provider_rate_limited',
  slow_down: 'provider_rate_limited',
  credit: 'provider_rate_limited',
  away: 'provider_error',
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

/** Thrown by a call that cannot start in time. */
export class LaneWait extends ChorusError {
  readonly lane: string;
  readonly reason: WaitReason;
  /** When the next call is tried, in epoch ms. Null: unknown, or when an operator acts. */
  readonly untilMs: number | null;

  constructor(lane: string, reason: WaitReason, closedMs: number | null) {
    const retryAfterS = closedMs === null ? undefined : Math.ceil(closedMs / 1000) || BUSY_RETRY_S;
    const again = retryAfterS === undefined ? '' : ` Try again in ${retryAfterS} s.`;
    const message = SAYS[reason](providerOf(lane) || lane) + again;
    super(CODES[reason], message, { ...(retryAfterS === undefined ? {} : { retryAfterS }), notStarted: true });
    this.name = 'LaneWait';
    this.lane = lane;
    this.reason = reason;
    this.untilMs = closedMs === null || closedMs <= 0 ? null : Date.now() + closedMs;
  }
}
