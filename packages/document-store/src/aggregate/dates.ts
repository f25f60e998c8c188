import { Int32, Long } from 'bson';
import { failedToParse, locationError, StoreError } from '../errors.ts';
import { fieldNames, isFields } from '../values/fields.ts';
import { integerOf } from '../values/numbers.ts';
import { formatDate, offsetMinutes, parseDate, weekOf, type ZonedTime, zoned, zoneOf } from './date-text.ts';
import { anything, date, later, nullable, optional, text, whole } from './kinds.ts';
import { type Kind, named, type Operator, type Operators, typeOf } from './operator.ts';

const CODES = [18628, 18534, 18628] as const;

const units = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'] as const;
type Unit = (typeof units)[number];

const millisecondsOf: Partial<Record<Unit, number>> = { hour: 3_600_000, minute: 60_000, second: 1000, millisecond: 1 };
const daysOfWeek = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const unit: Kind<Unit> = {
  ...(text(5439013) as Kind<unknown>),
  read(value) {
    if (!units.includes(value as Unit)) throw failedToParse(`unknown time unit value: ${value}`);
    return value as Unit;
  },
};

/** The number of a day of the week, from Monday, the first. */
const startOfWeek: Kind<number | undefined> = {
  ...(optional(text(5439015)) as Kind<unknown>),
  read(value) {
    const name = (value as string).toLowerCase();
    const day = daysOfWeek.findIndex((known) => known === name || (name.length === 3 && known.startsWith(name)));
    if (day < 0) throw failedToParse(`unknown day of week value: ${value}`);
    return day + 1;
  },
};

const SUNDAY = 7;

const timezone = optional({ ...text(40517), read: (value): string => zoneOf(value as string) });

/** A part of a date: its argument is a date, or `{date, timezone}`. */
function part(read: (time: ZonedTime) => unknown): Operator {
  const byName = named({ date: date(16006), timezone }, CODES, ({ date, timezone = 'UTC' }) => {
    const value = read(zoned(date, timezone));
    return typeof value === 'number' ? new Int32(value) : value;
  });
  return (argument, scope, name) => {
    const list: unknown[] = Array.isArray(argument) ? argument : [argument];
    const operand = list[0];
    if (list.length !== 1) throw locationError(40536, `${name} accepts exactly one argument, found ${list.length}`);
    const isNamed = isFields(operand) && !fieldNames(operand)[0]?.startsWith('$');
    return byName(isNamed ? operand : { date: operand }, scope, name);
  };
}

/** `onNull` stands for a date that is null. */
const toText = named(
  { date: nullable(date(16006)), format: optional(text(18533)), timezone, onNull: later },
  [18629, 18534, 18628],
  ({ date, format, timezone = 'UTC', onNull }) => {
    if (!date) return onNull ? onNull() : null;
    return formatDate(zoned(date, timezone), format ?? `%Y-%m-%dT%H:%M:%S.%L${timezone === 'UTC' ? 'Z' : ''}`);
  },
);

const fromText = named(
  { dateString: anything, format: optional(text(40684)), timezone, onError: later, onNull: later },
  [40540, 40541, 40542],
  ({ dateString, format, timezone = 'UTC', onError, onNull }) => {
    if (dateString == null) return onNull ? onNull() : null;
    const found = typeof dateString === 'string' ? parseDate(dateString, timezone, format) : undefined;
    if (found) return found;
    if (onError) return onError();
    const shown = typeof dateString === 'string' ? `'${dateString.slice(0, 100)}'` : typeOf(dateString);
    throw new StoreError(241, 'ConversionFailure', `Error parsing date string ${shown}`);
  },
);

/** A part that a date is made from; what is beyond its range goes on into the next larger ones. */
const datePart: Kind<number | undefined> = optional({
  ...whole(40515),
  accepts: (value) => Math.abs(integerOf(value) ?? Number.NaN) <= 1e9,
});

const fromParts = named(
  {
    year: { ...datePart, optional: false },
    month: datePart,
    day: datePart,
    hour: datePart,
    minute: datePart,
    second: datePart,
    millisecond: datePart,
    timezone,
  },
  [40519, 40518, 40516],
  ({ year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0, timezone = 'UTC' }) => {
    if (year < 1 || year > 9999)
      throw locationError(40523, `'year' must evaluate to an integer in the range 1 to 9999, found ${year}`);
    const local = new Temporal.PlainDateTime(year, 1, 1)
      .add({ months: month - 1 })
      .add({ days: day - 1 })
      .add({ hours: hour })
      .add({ minutes: minute })
      .add({ seconds: second })
      .add({ milliseconds: millisecond });
    return new Date(local.toZonedDateTime(timezone).epochMilliseconds);
  },
);

const PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond'] as const;

const toParts = named({ date: date(16006), timezone }, CODES, ({ date, timezone = 'UTC' }) => {
  const time = zoned(date, timezone);
  return Object.fromEntries(PARTS.map((name) => [name, new Int32(time[name])]));
});

function duration(unit: Unit, amount: number): Temporal.DurationLike {
  return unit === 'quarter' ? { months: amount * 3 } : { [`${unit}s`]: amount };
}

function adding(sign: 1 | -1): Operator {
  const kinds = { startDate: date(16006), unit, amount: whole(5166405), timezone };
  return named(kinds, [5166400, 5166401, 5166402], ({ startDate, unit, amount, timezone = 'UTC' }) => {
    try {
      return new Date(zoned(startDate, timezone).add(duration(unit, sign * amount)).epochMilliseconds);
    } catch {
      throw locationError(5166406, 'the date would be out of range');
    }
  });
}

/** The number of a unit of days or more in which a moment lies, counted from some beginning. */
function ordinal(time: ZonedTime, unit: Unit, startOfWeek: number): number {
  const days = (): number => Temporal.PlainDate.from('1970-01-01').until(time.toPlainDate()).days;
  switch (unit) {
    case 'year':
      return time.year;
    case 'quarter':
      return time.year * 4 + Math.floor((time.month - 1) / 3);
    case 'month':
      return time.year * 12 + time.month - 1;
    case 'week':
      // Day 0, 1970-01-01, was a Thursday.
      return Math.floor((days() + 4 - startOfWeek) / 7);
    default:
      return days();
  }
}

const difference = named(
  { startDate: date(16006), endDate: date(16006), unit, timezone, startOfWeek },
  [5166301, 5166302, 5166303],
  ({ startDate, endDate, unit, timezone = 'UTC', startOfWeek = SUNDAY }) => {
    // Clock changes must not count in hours and less, so those are of the first moment's offset.
    const offset = offsetMinutes(zoned(startDate, timezone)) * 60_000;
    const length = millisecondsOf[unit];
    const number = (moment: Date): number =>
      length === undefined
        ? ordinal(zoned(moment, timezone), unit, startOfWeek)
        : Math.floor((moment.getTime() + offset) / length);
    return Long.fromNumber(number(endDate) - number(startDate));
  },
);

/** The beginning of the bin in which a date lies; bins are counted from the start of 2000, in the zone's local time. */
const truncate = named(
  { date: date(16006), unit, binSize: optional(whole(5439017)), timezone, startOfWeek },
  [5439007, 5439008, 5439009],
  ({ date, unit, binSize = 1, timezone = 'UTC', startOfWeek = SUNDAY }) => {
    if (binSize <= 0) throw locationError(5439017, "$dateTrunc requires 'binSize' to be greater than 0");
    const time = zoned(date, timezone);
    let origin = Temporal.PlainDateTime.from('2000-01-01T00:00').toZonedDateTime(timezone);
    // The first week begins with the first such day of 2000.
    if (unit === 'week') origin = origin.add({ days: (startOfWeek - origin.dayOfWeek + 7) % 7 });
    const length = millisecondsOf[unit];
    if (length !== undefined) {
      const [bin, start] = [binSize * length, origin.epochMilliseconds];
      return new Date(start + Math.floor((date.getTime() - start) / bin) * bin);
    }
    const bins = Math.floor((ordinal(time, unit, startOfWeek) - ordinal(origin, unit, startOfWeek)) / binSize);
    return new Date(origin.add(duration(unit, bins * binSize)).epochMilliseconds);
  },
);

export const dateOperators: Operators = {
  $dateAdd: adding(1),
  $dateDiff: difference,
  $dateFromParts: fromParts,
  $dateFromString: fromText,
  $dateSubtract: adding(-1),
  $dateToParts: toParts,
  $dateToString: toText,
  $dateTrunc: truncate,
  $dayOfMonth: part((time) => time.day),
  $dayOfWeek: part((time) => (time.dayOfWeek % 7) + 1),
  $dayOfYear: part((time) => time.dayOfYear),
  $hour: part((time) => time.hour),
  $isoDayOfWeek: part((time) => time.dayOfWeek),
  $isoWeek: part((time) => time.weekOfYear),
  $isoWeekYear: part((time) => Long.fromNumber(time.yearOfWeek as number)),
  $millisecond: part((time) => time.millisecond),
  $minute: part((time) => time.minute),
  $month: part((time) => time.month),
  $second: part((time) => time.second),
  $week: part(weekOf),
  $year: part((time) => time.year),
};
