/** The last pause is repeated. */
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000];

const GIVE_UP_AFTER_MS = 86_400_000;

/** The longest pause that a receiver may request. */
const MAX_ASKED_MS = 7_200_000;

/** Varies each pause by up to this share, to spread retries. */
const JITTER = 0.2;

export interface Tried {
  /** Attempts since it was due, including this one. */
  attempts: number;
  dueSince: Date;
  now: Date;
  /** The response's `Retry-After` header. */
  retryAfter: string | null;
}

/** Returns when to retry a failed delivery. Null: never. The last attempt is a day after it was due. */
export function nextAttempt({ attempts, dueSince, now, retryAfter }: Tried, random = Math.random): Date | null {
  const last = dueSince.getTime() + GIVE_UP_AFTER_MS;
  if (now.getTime() >= last) return null;
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0;
  const jittered = delay * (1 + JITTER * (2 * random() - 1));
  const asked = Math.min(askedMs(retryAfter, now), MAX_ASKED_MS);
  return new Date(Math.min(now.getTime() + Math.max(jittered, asked), last));
}

/** Parses `Retry-After`, in seconds or as a date. Anything else is 0. */
function askedMs(header: string | null, now: Date): number {
  if (header === null) return 0;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
