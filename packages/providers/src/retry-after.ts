/**
 * Seconds to wait by an HTTP `Retry-After` header: a number of seconds or a date.
 * @returns null where the header is absent or says nothing; never negative
 */
export function parseRetryAfter(header: string | undefined, now: number = Date.now()): number | null {
  if (header === undefined || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
