import { locationError } from '../errors.ts';

export type ZonedTime = Temporal.ZonedDateTime;

/** A time zone's name or offset as Temporal takes it. Throws 40485 for one that there is not. */
export function zoneOf(zone: string): string {
  const offset = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (offset) return `${offset[1]}${offset[2]}:${offset[3] ?? '00'}`;
  const known = knownZones.get(zone);
  if (known !== undefined) return known;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
  } catch {
    throw locationError(40485, `unrecognized time zone identifier: "${zone.slice(0, 100)}"`);
  }
  if (knownZones.size > 1000) knownZones.clear();
  knownZones.set(zone, zone);
  return zone;
}

const knownZones = new Map<string, string>();

/** A moment as the clocks of a zone show it. */
export function zoned(date: Date, zone: string): ZonedTime {
  return Temporal.Instant.fromEpochMilliseconds(date.getTime()).toZonedDateTimeISO(zone);
}

/** Minutes from UTC. */
export function offsetMinutes(time: ZonedTime): number {
  return time.offsetNanoseconds / 60e9;
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** Weeks that begin on Sunday; the days before the year's first are week 0. */
export function weekOf(time: ZonedTime): number {
  return Math.floor((time.dayOfYear + 6 - (time.dayOfWeek % 7)) / 7);
}

function offsetText(time: ZonedTime): string {
  const minutes = Math.abs(offsetMinutes(time));
  return `${offsetMinutes(time) < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60), 2)}${padded(minutes % 60, 2)}`;
}

const writers: Readonly<Record<string, (time: ZonedTime) => string>> = {
  B: (time) => months[time.month - 1] as string,
  G: (time) => padded(time.yearOfWeek as number, 4),
  H: (time) => padded(time.hour, 2),
  L: (time) => padded(time.millisecond, 3),
  M: (time) => padded(time.minute, 2),
  S: (time) => padded(time.second, 2),
  U: (time) => padded(weekOf(time), 2),
  V: (time) => padded(time.weekOfYear as number, 2),
  Y: (time) => padded(time.year, 4),
  Z: (time) => String(offsetMinutes(time)),
  b: (time) => (months[time.month - 1] as string).slice(0, 3),
  d: (time) => padded(time.day, 2),
  j: (time) => padded(time.dayOfYear, 3),
  m: (time) => padded(time.month, 2),
  u: (time) => String(time.dayOfWeek),
  w: (time) => String((time.dayOfWeek % 7) + 1),
  z: offsetText,
  '%': () => '%',
};

/** Writes a time by a format of `%` letters. */
export function formatDate(time: ZonedTime, format: string): string {
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    const write = Object.hasOwn(writers, letter) ? writers[letter] : undefined;
    if (!write) {
      throw locationError(
        letter === '' ? 18535 : 18536,
        letter === ''
          ? "Unmatched '%' at end of format string"
          : `Invalid format character '%${letter}' in format string`,
      );
    }
    return write(time);
  });
}

const iso =
  /^(?<Y>\d{4})-(?<m>\d{1,2})(?:-(?<d>\d{1,2}))?(?:[T ]+(?<H>\d{1,2}):(?<M>\d{2})(?::(?<S>\d{2})(?:[.,](?<L>\d{1,9}))?)?)? *(?<z>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

const patterns: Readonly<Record<string, string>> = {
  B: '(?<B>[A-Za-z]+)',
  b: '(?<B>[A-Za-z]+)',
  G: '(?<G>\\d{4})',
  H: '(?<H>\\d{1,2})',
  L: '(?<L>\\d{1,3})',
  M: '(?<M>\\d{1,2})',
  S: '(?<S>\\d{1,2})',
  V: '(?<V>\\d{1,2})',
  Y: '(?<Y>\\d{4})',
  Z: '(?<Z>[+-]?\\d{1,4})',
  d: '(?<d>\\d{1,2})',
  j: '(?<j>\\d{1,3})',
  m: '(?<m>\\d{1,2})',
  u: '(?<u>\\d)',
  z: '(?<z>Z|[A-Za-z_/]+|[+-]\\d{2}(?::?\\d{2})?)',
  '%': '%',
};

/** Reads a date by a format, or in the forms of ISO 8601; undefined for what is none. A zone in the text goes before `zone`. */
export function parseDate(text: string, zone: string, format?: string): Date | undefined {
  const parts = (format === undefined ? iso : formatPattern(format)).exec(text)?.groups;
  if (!parts) return undefined;
  const number = (letter: string, otherwise: number): number => Number(parts[letter] ?? otherwise);
  const named = parts.B?.toLowerCase();
  const month = named
    ? months.findIndex((name) => [name, name.slice(0, 3)].some((known) => known.toLowerCase() === named)) + 1
    : number('m', 1);
  const milliseconds = Number((parts.L ?? '0').padEnd(3, '0').slice(0, 3));
  const clock = { hour: number('H', 0), minute: number('M', 0), second: number('S', 0), millisecond: milliseconds };
  const wanted = parts.Z ? undefined : parts.z;
  try {
    const day = parts.G
      ? isoDay(number('G', 1970), number('V', 1), number('u', 1))
      : calendarDay(number('Y', 1970), month, number('d', 1), parts.j);
    const local = day.toPlainDateTime(Temporal.PlainTime.from(clock, { overflow: 'reject' }));
    const inZone = wanted && !/^(z|utc|gmt)$/i.test(wanted) ? zoneOf(wanted) : parts.Z || wanted ? 'UTC' : zone;
    return new Date(local.toZonedDateTime(inZone).epochMilliseconds - number('Z', 0) * 60_000);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function calendarDay(year: number, month: number, day: number, dayOfYear: string | undefined): Temporal.PlainDate {
  const date = Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
  return dayOfYear === undefined ? date : date.with({ month: 1, day: 1 }).add({ days: Number(dayOfYear) - 1 });
}

/** A day by its ISO week; days and weeks beyond their range go on into the next. */
export function isoDay(year: number, week: number, day: number): Temporal.PlainDate {
  const fourth = Temporal.PlainDate.from({ year, month: 1, day: 4 });
  return fourth.add({ days: (week - 1) * 7 + day - fourth.dayOfWeek });
}

function formatPattern(format: string): RegExp {
  const source = format.replace(/%(.?)|[\\^$.*+?()[\]{}|/]/gs, (found, letter: string | undefined) => {
    if (letter === undefined) return `\\${found}`;
    const pattern = Object.hasOwn(patterns, letter) ? patterns[letter] : undefined;
    if (!pattern) throw locationError(18536, `Invalid format character '%${letter}' in format string`);
    return pattern;
  });
  try {
    return new RegExp(`^${source}$`);
  } catch {
    throw locationError(18536, 'a letter stands twice in the format string');
  }
}
