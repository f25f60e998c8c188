import { locationError } from '../errors.ts';
import { temporal } from './temporal.ts';

export type ZonedTime = Temporal.ZonedDateTime;

/** Returns a time zone's name or offset in Temporal's form. Throws 40485 if it is unknown. */
export function normalizeTimeZone(zone: string): string {
  const offset = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (offset) return `${offset[1]}${offset[2]}:${offset[3] ?? '00'}`;
  try {
    temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return zone;
  } catch {
    throw locationError(40485, `unrecognized time zone identifier: "${zone.slice(0, 100)}"`);
  }
}

export function toZonedTime(date: Date, zone: string): ZonedTime {
  return temporal.Instant.fromEpochMilliseconds(date.getTime()).toZonedDateTimeISO(zone);
}

/** Weeks start on Sunday. Days before the first Sunday belong to week 0. */
export function weekOf(time: ZonedTime): number {
  return Math.floor((time.dayOfYear + 6 - (time.dayOfWeek % 7)) / 7);
}

const pad = (value: number | undefined, width: number): string => String(value).padStart(width, '0');

const FORMATTERS = new Map<string, (time: ZonedTime) => string>([
  ['%', () => '%'],
  ['B', (time) => time.toLocaleString('en', { month: 'long' })],
  ['G', (time) => pad(time.yearOfWeek, 4)],
  ['H', (time) => pad(time.hour, 2)],
  ['L', (time) => pad(time.millisecond, 3)],
  ['M', (time) => pad(time.minute, 2)],
  ['S', (time) => pad(time.second, 2)],
  ['U', (time) => pad(weekOf(time), 2)],
  ['V', (time) => pad(time.weekOfYear, 2)],
  ['Y', (time) => pad(time.year, 4)],
  ['b', (time) => time.toLocaleString('en', { month: 'short' })],
  ['d', (time) => pad(time.day, 2)],
  ['j', (time) => pad(time.dayOfYear, 3)],
  ['m', (time) => pad(time.month, 2)],
  ['u', (time) => String(time.dayOfWeek)],
  ['w', (time) => String((time.dayOfWeek % 7) + 1)],
  ['z', (time) => time.offset.replace(':', '')],
]);

export function formatDate(time: ZonedTime, format: string): string {
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    const write = FORMATTERS.get(letter);
    if (!write) throw locationError(18536, `Invalid format character '%${letter}' in format string`);
    return write(time);
  });
}

const WITH_OFFSET = /\d:\d\d.*(z|[+-]\d\d(:?\d\d)?)$/i;

/** Parses an ISO 8601 date; undefined if it is not one. An offset in the text overrides `zone`. */
export function parseDate(text: string, zone: string): Date | undefined {
  try {
    const moment = WITH_OFFSET.test(text)
      ? temporal.Instant.from(text)
      : temporal.PlainDateTime.from(text).toZonedDateTime(zone);
    return new Date(moment.epochMilliseconds);
  } catch {
    return undefined;
  }
}
