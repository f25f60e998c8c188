/** Pauses between attempts, in milliseconds; the last one is repeated. */
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000];

/** After so long it is given up. */
const GIVE_UP_AFTER_MS = 86_400_000;

/** A receiver may ask for a longer pause, up to this. */
const MAX_ASKED_MS = 7_200_000;

/** Each pause is up to so much longer or shorter, so that what failed at once does not come back at once. */
const JITTER = 0.2;

export interface Tried {
  /** Attempts since it was due, this one included. */
  attempts: number;
  dueSince: Date;
  now: Date;
  /** The `Retry-After` of the answer. */
  retryAfter: string | null;
}

/** When a delivery that failed is tried again; null: no more. The last attempt is a day after it was due. */
export function nextAttempt({ attempts, dueSince, now, retryAfter }: Tried, random = Math.random): Date | null {
  const last = dueSince.getTime() + GIVE_UP_AFTER_MS;
  if (now.getTime() >= last) return null;
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0;
  const jittered = delay * (1 + JITTER * (2 * random() - 1));
  const asked = Math.min(askedMs(retryAfter, now), MAX_ASKED_MS);
  return new Date(Math.min(now.getTime() + Math.max(jittered, asked), last));
}

/** `Retry-After` in seconds or as a date; what is neither asks for nothing. */
function askedMs(header: string | null, now: Date): number {
  if (header === null) return 0;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
