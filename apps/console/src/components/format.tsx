import { formatDate, formatNumber } from '../i18n/i18n.ts';

const formatUnit = (value: number, unit: string, unitDisplay: 'narrow' | 'short' | 'long', maximumFractionDigits = 0) =>
  formatNumber(value, { style: 'unit', unit, unitDisplay, maximumFractionDigits });

export function formatDuration(ms: number): string {
  if (ms < 1_000) return formatUnit(Math.round(ms), 'millisecond', 'narrow');
  const seconds = ms / 1_000;
  if (seconds < 60) return formatUnit(seconds, 'second', 'narrow', 1);
  const minutes = Math.floor(seconds / 60);
  const parts: [number, string][] =
    minutes < 60
      ? [
          [minutes, 'minute'],
          [Math.floor(seconds % 60), 'second'],
        ]
      : [
          [Math.floor(minutes / 60), 'hour'],
          [minutes % 60, 'minute'],
        ];
  return parts.map(([value, unit]) => formatUnit(value, unit, 'narrow')).join(' ');
}

/** Formats US dollars: cents, or two digits of smaller amounts. */
export function formatCost(usd: number): string {
  const digits = usd === 0 || usd >= 0.01 ? {} : { maximumSignificantDigits: 2 };
  return formatNumber(usd, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits });
}

/** Formats US dollars with four digits, for sums of small amounts. */
export const formatExactCost = (usd: number): string =>
  formatNumber(usd, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 4,
    maximumFractionDigits: 4,
  });

/** Formats a day in UTC, such as `2026-03-31`. */
export const formatDay = (day: string): string => formatDate(new Date(day), { dateStyle: 'medium', timeZone: 'UTC' });

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function formatSize(bytes: number): string {
  const exponent = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** exponent;
  // The short form of "bytes" is the singular.
  if (exponent === 0) return formatUnit(value, 'byte', 'long');
  return formatUnit(value, UNITS[exponent] ?? 'gigabyte', 'short', value >= 100 ? 0 : 1);
}

/** Formats an ISO 8601 time in the user's language and time zone. */
export function Time({ at }: { at: string }) {
  return <time dateTime={at}>{formatDate(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })}</time>;
}
