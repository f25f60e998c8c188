import { Int32, Long } from 'bson';
import { failedToParse, locationError, StoreError } from '../errors.ts';
import { fieldNames, isFields } from '../values/fields.ts';
import { formatDate, parseDate, weekOf, type ZonedTime, zoned, zoneOf } from './date-text.ts';
import {
  anything,
  date,
  type Kind,
  later,
  listOf,
  named,
  nullable,
  type Operator,
  type Operators,
  optional,
  text,
  typeOf,
  whole,
} from './operator.ts';

const UNITS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'] as const;
type Unit = (typeof UNITS)[number];

const UNIT_MS: Partial<Record<Unit, number>> = { hour: 3_600_000, minute: 60_000, second: 1000, millisecond: 1 };
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const SUNDAY = 7;

const unit: Kind<Unit> = {
  ...(text(5439013) as Kind<unknown>),
  read(value) {
    if (!UNITS.includes(value as Unit)) throw failedToParse(`unknown time unit value: ${value}`);
    return value as Unit;
  },
};

/** The number of a day of the week, from Monday, the first. */
const startOfWeek: Kind<number | undefined> = {
  ...(optional(text(5439015)) as Kind<unknown>),
  read(value) {
    const name = (value as string).toLowerCase();
    const day = DAYS.findIndex((known) => known === name || (name.length === 3 && known.startsWith(name)));
    if (day < 0) throw failedToParse(`unknown day of week value: ${value}`);
    return day + 1;
  },
};

const timezone = optional({ ...text(40517), read: (value): string => zoneOf(value as string) });

/** A part of a date: its argument is a date, or `{date, timezone}`. */
function part(read: (time: ZonedTime) => unknown): Operator {
  const byName = named({ date: date(16006), timezone }, ({ date, timezone = 'UTC' }) => {
    const value = read(zoned(date, timezone));
    return typeof value === 'number' ? new Int32(value) : value;
  });
  return (argument, scope, name) => {
    const [operand] = listOf(argument, name, 1, 1);
    const isNamed = isFields(operand) && !fieldNames(operand)[0]?.startsWith('$');
    return byName(isNamed ? operand : { date: operand }, scope, name);
  };
}

const $dateToString = named(
  { date: nullable(date(16006)), format: optional(text(18533)), timezone, onNull: later },
  ({ date, format, timezone = 'UTC', onNull }) => {
    if (!date) return onNull ? onNull() : null;
    return formatDate(zoned(date, timezone), format ?? `%Y-%m-%dT%H:%M:%S.%L${timezone === 'UTC' ? 'Z' : ''}`);
  },
);

const $dateFromString = named(
  { dateString: anything, timezone, onError: later, onNull: later },
  ({ dateString, timezone = 'UTC', onError, onNull }) => {
    if (dateString == null) return onNull ? onNull() : null;
    const found = typeof dateString === 'string' ? parseDate(dateString, timezone) : undefined;
    if (found) return found;
    if (onError) return onError();
    const shown = typeof dateString === 'string' ? `'${dateString.slice(0, 100)}'` : typeOf(dateString);
    throw new StoreError(241, 'ConversionFailure', `Error parsing date string ${shown}`);
  },
);

function duration(unit: Unit, amount: number): Temporal.DurationLike {
  return unit === 'quarter' ? { months: amount * 3 } : { [`${unit}s`]: amount };
}

function adding(sign: 1 | -1): Operator {
  const kinds = { startDate: date(16006), unit, amount: whole(5166405), timezone };
  return named(kinds, ({ startDate, unit, amount, timezone = 'UTC' }) => {
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

const $dateDiff = named(
  { startDate: date(16006), endDate: date(16006), unit, timezone, startOfWeek },
  ({ startDate, endDate, unit, timezone = 'UTC', startOfWeek = SUNDAY }) => {
    // Clock changes must not count in hours and less, so those are of the first moment's offset.
    const offset = zoned(startDate, timezone).offsetNanoseconds / 1e6;
    const length = UNIT_MS[unit];
    const number = (moment: Date): number =>
      length === undefined
        ? ordinal(zoned(moment, timezone), unit, startOfWeek)
        : Math.floor((moment.getTime() + offset) / length);
    return Long.fromNumber(number(endDate) - number(startDate));
  },
);

/** The beginning of the bin in which a date lies; bins are counted from the start of 2000, in the zone's local time. */
const $dateTrunc = named(
  { date: date(16006), unit, binSize: optional(whole(5439017)), timezone, startOfWeek },
  ({ date, unit, binSize = 1, timezone = 'UTC', startOfWeek = SUNDAY }) => {
    if (binSize <= 0) throw locationError(5439017, "$dateTrunc requires 'binSize' to be greater than 0");
    let origin = Temporal.PlainDateTime.from('2000-01-01T00:00').toZonedDateTime(timezone);
    // The first week begins with the first such day of 2000.
    if (unit === 'week') origin = origin.add({ days: (startOfWeek - origin.dayOfWeek + 7) % 7 });
    const length = UNIT_MS[unit];
    if (length !== undefined) {
      const [bin, start] = [binSize * length, origin.epochMilliseconds];
      return new Date(start + Math.floor((date.getTime() - start) / bin) * bin);
    }
    const passed = ordinal(zoned(date, timezone), unit, startOfWeek) - ordinal(origin, unit, startOfWeek);
    return new Date(origin.add(duration(unit, Math.floor(passed / binSize) * binSize)).epochMilliseconds);
  },
);

export const dateOperators: Operators = {
  $dateAdd: adding(1),
  $dateDiff,
  $dateFromString,
  $dateSubtract: adding(-1),
  $dateToString,
  $dateTrunc,
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
