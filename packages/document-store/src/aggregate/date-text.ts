import { locationError } from '../errors.ts';

export type ZonedTime = Temporal.ZonedDateTime;

/** A time zone's name or offset as Temporal takes it. Throws 40485 for one that there is not. */
export function zoneOf(zone: string): string {
  const offset = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (offset) return `${offset[1]}${offset[2]}:${offset[3] ?? '00'}`;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return zone;
  } catch {
    throw locationError(40485, `unrecognized time zone identifier: "${zone.slice(0, 100)}"`);
  }
}

/** A moment as the clocks of a zone show it. */
export function zoned(date: Date, zone: string): ZonedTime {
  return Temporal.Instant.fromEpochMilliseconds(date.getTime()).toZonedDateTimeISO(zone);
}

/** Weeks that begin on Sunday; the days before the year's first are week 0. */
export function weekOf(time: ZonedTime): number {
  return Math.floor((time.dayOfYear + 6 - (time.dayOfWeek % 7)) / 7);
}

const padded = (value: number | undefined, width: number): string => String(value).padStart(width, '0');

/** What the letters of a format stand for. */
const LETTERS = new Map<string, (time: ZonedTime) => string>([
  ['%', () => '%'],
  ['B', (time) => time.toLocaleString('en', { month: 'long' })],
  ['G', (time) => padded(time.yearOfWeek, 4)],
  ['H', (time) => padded(time.hour, 2)],
  ['L', (time) => padded(time.millisecond, 3)],
  ['M', (time) => padded(time.minute, 2)],
  ['S', (time) => padded(time.second, 2)],
  ['U', (time) => padded(weekOf(time), 2)],
  ['V', (time) => padded(time.weekOfYear, 2)],
  ['Y', (time) => padded(time.year, 4)],
  ['b', (time) => time.toLocaleString('en', { month: 'short' })],
  ['d', (time) => padded(time.day, 2)],
  ['j', (time) => padded(time.dayOfYear, 3)],
  ['m', (time) => padded(time.month, 2)],
  ['u', (time) => String(time.dayOfWeek)],
  ['w', (time) => String((time.dayOfWeek % 7) + 1)],
  ['z', (time) => time.offset.replace(':', '')],
]);

/** Writes a time by a format of `%` letters. */
export function formatDate(time: ZonedTime, format: string): string {
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    const write = LETTERS.get(letter);
    if (!write) throw locationError(18536, `Invalid format character '%${letter}' in format string`);
    return write(time);
  });
}

const WITH_OFFSET = /\d:\d\d.*(z|[+-]\d\d(:?\d\d)?)$/i;

/** Reads a date in the forms of ISO 8601; undefined for what is none. An offset in the text goes before `zone`. */
export function parseDate(text: string, zone: string): Date | undefined {
  try {
    const moment = WITH_OFFSET.test(text)
      ? Temporal.Instant.from(text)
      : Temporal.PlainDateTime.from(text).toZonedDateTime(zone);
    return new Date(moment.epochMilliseconds);
  } catch {
    return undefined;
  }
}
