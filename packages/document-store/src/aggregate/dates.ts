import { Int32, Long } from 'bson';
import { failedToParse, locationError, StoreError } from '../errors.ts';
import { fieldNames, isFields } from '../values/fields.ts';
import { formatDate, normalizeTimeZone, parseDate, toZonedTime, weekOf, type ZonedTime } from './date-format.ts';
import {
  anything,
  date,
  lazy,
  namedOperator,
  nullable,
  type Operator,
  type Operators,
  optional,
  type Parameter,
  readOperands,
  text,
  typeOrMissing,
  wholeNumber,
} from './operator.ts';
import { temporal } from './temporal.ts';

const UNITS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'] as const;
type Unit = (typeof UNITS)[number];

const UNIT_MS: Partial<Record<Unit, number>> = { hour: 3_600_000, minute: 60_000, second: 1000, millisecond: 1 };
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const SUNDAY = 7;

const unit: Parameter<Unit> = {
  ...(text(5439013) as Parameter<unknown>),
  read(value) {
    if (!UNITS.includes(value as Unit)) throw failedToParse(`unknown time unit value: ${value}`);
    return value as Unit;
  },
};

const startOfWeek: Parameter<number | undefined> = {
  ...(optional(text(5439015)) as Parameter<unknown>),
  read(value) {
    const name = (value as string).toLowerCase();
    const day = DAYS.findIndex((known) => known === name || (name.length === 3 && known.startsWith(name)));
    if (day < 0) throw failedToParse(`unknown day of week value: ${value}`);
    return day + 1;
  },
};

const timezone = optional({ ...text(40517), read: (value): string => normalizeTimeZone(value as string) });

function datePartOperator(read: (time: ZonedTime) => unknown): Operator {
  const byName = namedOperator({ date: date(16006), timezone }, ({ date, timezone = 'UTC' }) => {
    const value = read(toZonedTime(date, timezone));
    return typeof value === 'number' ? new Int32(value) : value;
  });
  return (argument, scope, name) => {
    const [operand] = readOperands(argument, name, 1, 1);
    const isNamed = isFields(operand) && !fieldNames(operand)[0]?.startsWith('$');
    return byName(isNamed ? operand : { date: operand }, scope, name);
  };
}

const $dateToString = namedOperator(
  { date: nullable(date(16006)), format: optional(text(18533)), timezone, onNull: lazy },
  ({ date, format, timezone = 'UTC', onNull }) => {
    if (!date) return onNull ? onNull() : null;
    return formatDate(toZonedTime(date, timezone), format ?? `%Y-%m-%dT%H:%M:%S.%L${timezone === 'UTC' ? 'Z' : ''}`);
  },
);

const $dateFromString = namedOperator(
  { dateString: anything, timezone, onError: lazy, onNull: lazy },
  ({ dateString, timezone = 'UTC', onError, onNull }) => {
    if (dateString == null) return onNull ? onNull() : null;
    const found = typeof dateString === 'string' ? parseDate(dateString, timezone) : undefined;
    if (found) return found;
    if (onError) return onError();
    const shown = typeof dateString === 'string' ? `'${dateString.slice(0, 100)}'` : typeOrMissing(dateString);
    throw new StoreError(241, 'ConversionFailure', `Error parsing date string ${shown}`);
  },
);

function duration(unit: Unit, amount: number): Temporal.DurationLike {
  return unit === 'quarter' ? { months: amount * 3 } : { [`${unit}s`]: amount };
}

function dateShiftOperator(sign: 1 | -1): Operator {
  const parameters = { startDate: date(16006), unit, amount: wholeNumber(5166405), timezone };
  return namedOperator(parameters, ({ startDate, unit, amount, timezone = 'UTC' }) => {
    try {
      return new Date(toZonedTime(startDate, timezone).add(duration(unit, sign * amount)).epochMilliseconds);
    } catch {
      throw locationError(5166406, 'the date would be out of range');
    }
  });
}

/** Numbers the day, week, month, quarter, or year of a time, counted from a fixed origin. */
function ordinal(time: ZonedTime, unit: Unit, startOfWeek: number): number {
  const days = (): number => temporal.PlainDate.from('1970-01-01').until(time.toPlainDate()).days;
  switch (unit) {
    case 'year':
      return time.year;
    case 'quarter':
      return time.year * 4 + Math.floor((time.month - 1) / 3);
    case 'month':
      return time.year * 12 + time.month - 1;
    case 'week':
      // 1970-01-01 was a Thursday.
      return Math.floor((days() + 4 - startOfWeek) / 7);
    default:
      return days();
  }
}

const $dateDiff = namedOperator(
  { startDate: date(16006), endDate: date(16006), unit, timezone, startOfWeek },
  ({ startDate, endDate, unit, timezone = 'UTC', startOfWeek = SUNDAY }) => {
    // Units up to an hour use the start's offset, so that clock changes do not count.
    const offset = toZonedTime(startDate, timezone).offsetNanoseconds / 1e6;
    const length = UNIT_MS[unit];
    const number = (moment: Date): number =>
      length === undefined
        ? ordinal(toZonedTime(moment, timezone), unit, startOfWeek)
        : Math.floor((moment.getTime() + offset) / length);
    return Long.fromNumber(number(endDate) - number(startDate));
  },
);

/** Bins are counted from the start of 2000 in the zone's local time. */
const $dateTrunc = namedOperator(
  { date: date(16006), unit, binSize: optional(wholeNumber(5439017)), timezone, startOfWeek },
  ({ date, unit, binSize = 1, timezone = 'UTC', startOfWeek = SUNDAY }) => {
    if (binSize <= 0) throw locationError(5439017, "$dateTrunc requires 'binSize' to be greater than 0");
    let origin = temporal.PlainDateTime.from('2000-01-01T00:00').toZonedDateTime(timezone);
    if (unit === 'week') origin = origin.add({ days: (startOfWeek - origin.dayOfWeek + 7) % 7 });
    const length = UNIT_MS[unit];
    if (length !== undefined) {
      const [bin, start] = [binSize * length, origin.epochMilliseconds];
      return new Date(start + Math.floor((date.getTime() - start) / bin) * bin);
    }
    const passed = ordinal(toZonedTime(date, timezone), unit, startOfWeek) - ordinal(origin, unit, startOfWeek);
    return new Date(origin.add(duration(unit, Math.floor(passed / binSize) * binSize)).epochMilliseconds);
  },
);

export const dateOperators: Operators = {
  $dateAdd: dateShiftOperator(1),
  $dateDiff,
  $dateFromString,
  $dateSubtract: dateShiftOperator(-1),
  $dateToString,
  $dateTrunc,
  $dayOfMonth: datePartOperator((time) => time.day),
  $dayOfWeek: datePartOperator((time) => (time.dayOfWeek % 7) + 1),
  $dayOfYear: datePartOperator((time) => time.dayOfYear),
  $hour: datePartOperator((time) => time.hour),
  $isoDayOfWeek: datePartOperator((time) => time.dayOfWeek),
  $isoWeek: datePartOperator((time) => time.weekOfYear),
  $isoWeekYear: datePartOperator((time) => Long.fromNumber(time.yearOfWeek as number)),
  $millisecond: datePartOperator((time) => time.millisecond),
  $minute: datePartOperator((time) => time.minute),
  $month: datePartOperator((time) => time.month),
  $second: datePartOperator((time) => time.second),
  $week: datePartOperator(weekOf),
  $year: datePartOperator((time) => time.year),
};
