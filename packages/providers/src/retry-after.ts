/** Headers with lower-case names, as `node:http` has them. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** Longer times are shortened to this one. */
const MAX_MS = 31 * DAY_MS;
const MAX_AMOUNT = 1e12;
/** No valid number, duration, or date is longer. */
const MAX_LENGTH = 40;

const UNITS_MS: Readonly<Record<string, number>> = {
  d: DAY_MS,
  h: 60 * MINUTE_MS,
  m: MINUTE_MS,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|us|µs|ns|[dhms]))+$/;

/** Numbers from here on are seconds or milliseconds since 1970 rather than a duration. */
const EPOCH_S = 1e9;
const EPOCH_MS = 1e12;

type Header = string | string[] | undefined;

/** Reads a finite number of at most 10¹². Returns null for anything else. */
export function parseAmount(header: Header): number | null {
  const text = textOf(header);
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) && Math.abs(number) <= MAX_AMOUNT ? number : null;
}

/**
 * Reads the time until an event: `6m0s`, `120ms`, seconds, a date, or a time since 1970.
 *
 * @returns between 0 and 31 days, or null if it is missing or invalid
 */
export function parseTimeMs(header: Header, nowMs: number): number | null {
  const text = textOf(header);
  if (text === '') return null;
  const number = Number(text);
  if (Number.isFinite(number)) {
    if (number >= EPOCH_MS) return bounded(number - nowMs);
    return bounded(number >= EPOCH_S ? number * 1000 - nowMs : number * 1000);
  }
  if (DURATION.test(text)) {
    const parts = text.matchAll(/(\d+(?:\.\d+)?)([a-zµ]+)/g);
    return bounded(parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS_MS[unit ?? ''] ?? 0), 0));
  }
  const date = text.includes(':') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : bounded(date - nowMs);
}

/** Reads `retry-after-ms` and `retry-after`, which is a number of seconds or a date. */
export function parseRetryAfterMs(headers: AnswerHeaders, nowMs: number): number | null {
  const exact = headers['retry-after-ms'];
  const inMs = exact === undefined ? null : parseAmount(exact);
  if (inMs !== null) return bounded(inMs);
  const header = headers['retry-after'];
  return header === undefined ? null : parseTimeMs(header, nowMs);
}

/** Matches the time in messages: "Please try again in 1m2.5s", "Please retry after 6 seconds". */
const IN_WORDS =
  /\b(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?)( ?seconds?\b| ?milliseconds?\b|(?:[dhms]|ms)[\d.dhms]*)/i;

/** Reads the time that a message asks to wait. */
export function retryTimeInWords(message: string, nowMs: number): number | null {
  const [, amount = '', unit = ''] = IN_WORDS.exec(message) ?? [];
  if (amount === '') return null;
  if (/second/i.test(unit)) return bounded(Number(amount) * (/milli/i.test(unit) ? 1 : 1000));
  return parseTimeMs(`${amount}${unit.replace(/\.$/, '')}`.toLowerCase(), nowMs);
}

function textOf(header: Header): string {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  return text.length > MAX_LENGTH ? '' : text;
}

function bounded(ms: number): number {
  return Math.min(MAX_MS, Math.max(0, Math.ceil(ms)));
}
