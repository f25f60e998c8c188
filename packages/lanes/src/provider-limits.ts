/** A rate limit, as the headers of an answer describe it. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** Time until all of it is available again, or until more is. */
  resetMs?: number | null;
  /** The time that the limit applies to, by default a minute. */
  perMs?: number | null;
}

/** The rate limits in the headers of an answer. */
export interface ProviderLimits {
  requests?: RateLimit | null;
  tokens?: RateLimit | null;
  retryAfterMs?: number | null;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_LIMIT = 1e12;

/** A limit whose values are in range. */
export interface HeardLimit {
  limit: number;
  remaining: number;
  per: number;
  reset?: number;
}

/** Returns null for implausible values. */
export function heardLimit(heard: RateLimit | null | undefined): HeardLimit | null {
  if (!heard) return null;
  const { limit, remaining, resetMs, perMs } = heard;
  if (!(limit >= 1 && limit <= MAX_LIMIT) || !Number.isFinite(remaining)) return null;
  const per = perMs && perMs >= 1 && perMs <= 31 * DAY_MS ? perMs : MINUTE_MS;
  const isReset = typeof resetMs === 'number' && resetMs >= 0;
  return {
    limit,
    remaining: Math.min(limit, Math.max(0, remaining)),
    per,
    ...(isReset ? { reset: Math.min(resetMs, per, DAY_MS) } : {}),
  };
}

/** Returns 0 for invalid pauses. */
export function pauseOf(retryAfterMs: number | null | undefined): number {
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, DAY_MS) : 0;
}

/** Reports whether no request is left, or too few tokens for most calls. */
export function isUsedUp({ requests, tokens }: ProviderLimits): boolean {
  if (requests && requests.remaining < 1) return true;
  return !!tokens && tokens.remaining < tokens.limit / 20;
}
