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

/** Minutes from UTC. */
export function offsetMinutes(time: ZonedTime): number {
  return time.offsetNanoseconds / 60e9;
}

/** Weeks that begin on Sunday; the days before the year's first are week 0. */
export function weekOf(time: ZonedTime): number {
  return Math.floor((time.dayOfYear + 6 - (time.dayOfWeek % 7)) / 7);
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

function padded(value: number | undefined, width: number): string {
  return String(value).padStart(width, '0');
}

function offsetText(time: ZonedTime): string {
  const minutes = Math.abs(offsetMinutes(time));
  return `${offsetMinutes(time) < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60), 2)}${padded(minutes % 60, 2)}`;
}

/** The letters of a format: how each is written, and, for those that can be read, what it looks like. */
const letters = new Map<string, [write: (time: ZonedTime) => string, pattern?: string]>([
  ['B', [(time) => MONTHS[time.month - 1] as string, '[A-Za-z]+']],
  ['G', [(time) => padded(time.yearOfWeek, 4)]],
  ['H', [(time) => padded(time.hour, 2), '\\d{1,2}']],
  ['L', [(time) => padded(time.millisecond, 3), '\\d{1,3}']],
  ['M', [(time) => padded(time.minute, 2), '\\d{1,2}']],
  ['S', [(time) => padded(time.second, 2), '\\d{1,2}']],
  ['U', [(time) => padded(weekOf(time), 2)]],
  ['V', [(time) => padded(time.weekOfYear, 2)]],
  ['Y', [(time) => padded(time.year, 4), '\\d{4}']],
  ['Z', [(time) => String(offsetMinutes(time)), '[+-]?\\d{1,4}']],
  ['b', [(time) => (MONTHS[time.month - 1] as string).slice(0, 3), '[A-Za-z]+']],
  ['d', [(time) => padded(time.day, 2), '\\d{1,2}']],
  ['j', [(time) => padded(time.dayOfYear, 3), '\\d{1,3}']],
  ['m', [(time) => padded(time.month, 2), '\\d{1,2}']],
  ['u', [(time) => String(time.dayOfWeek)]],
  ['w', [(time) => String((time.dayOfWeek % 7) + 1)]],
  ['z', [offsetText, 'Z|[A-Za-z_/]+|[+-]\\d{2}(?::?\\d{2})?']],
  ['%', [() => '%', '%']],
]);

function invalidLetter(letter: string): Error {
  if (letter === '') return locationError(18535, "Unmatched '%' at end of format string");
  return locationError(18536, `Invalid format character '%${letter}' in format string`);
}

/** Writes a time by a format of `%` letters. */
export function formatDate(time: ZonedTime, format: string): string {
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    const [write] = letters.get(letter) ?? [];
    if (!write) throw invalidLetter(letter);
    return write(time);
  });
}

const iso =
  /^(?<Y>\d{4})-(?<m>\d{1,2})(?:-(?<d>\d{1,2}))?(?:[T ]+(?<H>\d{1,2}):(?<M>\d{2})(?::(?<S>\d{2})(?:[.,](?<L>\d{1,9}))?)?)? *(?<z>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

/** Reads a date by a format, or in the forms of ISO 8601; undefined for what is none. A zone in the text goes before `zone`. */
export function parseDate(text: string, zone: string, format?: string): Date | undefined {
  const parts = (format === undefined ? iso : formatPattern(format)).exec(text)?.groups;
  if (!parts) return undefined;
  const number = (letter: string, otherwise: number): number => Number(parts[letter] ?? otherwise);
  const clock = {
    hour: number('H', 0),
    minute: number('M', 0),
    second: number('S', 0),
    millisecond: Number((parts.L ?? '0').padEnd(3, '0').slice(0, 3)),
  };
  const month = monthOf(parts.B ?? parts.b) ?? number('m', 1);
  try {
    const date = Temporal.PlainDate.from(
      { year: number('Y', 1970), month, day: number('d', 1) },
      { overflow: 'reject' },
    );
    const day = parts.j ? date.with({ month: 1, day: 1 }).add({ days: number('j', 1) - 1 }) : date;
    const local = day.toPlainDateTime(Temporal.PlainTime.from(clock, { overflow: 'reject' }));
    return new Date(local.toZonedDateTime(writtenZone(parts) ?? zone).epochMilliseconds - number('Z', 0) * 60_000);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function monthOf(name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const wanted = name.toLowerCase();
  return MONTHS.findIndex((month) => [month, month.slice(0, 3)].some((known) => known.toLowerCase() === wanted)) + 1;
}

/** The zone that stands in the text of a date: by name or offset, or as minutes, which are counted from UTC. */
function writtenZone({ z, Z }: Record<string, string>): string | undefined {
  if (Z !== undefined) return 'UTC';
  if (z === undefined) return undefined;
  return /^(z|utc|gmt)$/i.test(z) ? 'UTC' : zoneOf(z);
}

function formatPattern(format: string): RegExp {
  const source = format.replace(/%(.?)|[\\^$.*+?()[\]{}|/]/gs, (found, letter: string | undefined) => {
    if (letter === undefined) return `\\${found}`;
    const [, pattern] = letters.get(letter) ?? [];
    if (!pattern) throw invalidLetter(letter);
    return letter === '%' ? pattern : `(?<${letter}>${pattern})`;
  });
  try {
    return new RegExp(`^${source}$`);
  } catch {
    throw locationError(18536, 'a letter stands twice in the format string');
  }
}
