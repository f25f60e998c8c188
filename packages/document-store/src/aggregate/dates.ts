import { Int32, Long, ObjectId, type Timestamp } from 'bson';
import { failedToParse, locationError, StoreError } from '../errors.ts';
import { type Fields, isFields } from '../values/fields.ts';
import { integerOf } from '../values/numbers.ts';
import { formatDate, isoDay, offsetMinutes, parseDate, weekOf, type ZonedTime, zoned, zoneOf } from './date-text.ts';
import { namedArguments, type Operator, operator, type Scope, stringArgument, typeOf } from './operator.ts';

type Values = Record<string, unknown>;

function dateOf(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (typeOf(value) === 'timestamp') return new Date((value as Timestamp).getHighBitsUnsigned() * 1000);
  throw locationError(16006, `can't convert from BSON type ${typeOf(value)} to Date`);
}

/** The zone that an operator is told; undefined where it is told null. */
function timezone(values: Values): string | undefined {
  if (!('timezone' in values)) return 'UTC';
  if (values.timezone == null) return undefined;
  if (typeof values.timezone !== 'string')
    throw locationError(40517, `timezone must evaluate to a string, found ${typeOf(values.timezone)}`);
  return zoneOf(values.timezone);
}

/** An operator on dates with arguments by name; null for one that must be there (its name has no `?`) makes null. */
function dateOperator(names: readonly string[], apply: (values: Values) => unknown): Operator {
  const required = names.filter((name) => !name.endsWith('?'));
  return (argument, scope, name) => {
    const given = [...namedArguments(argument, name, names, [18628, 18534, 18628])];
    const expressions = given.map(([field, operand]) => [field, scope.compile(operand)] as const);
    return (frame) => {
      const values: Values = {};
      for (const [field, expression] of expressions) values[field] = expression(frame);
      return required.some((field) => values[field] == null) ? null : apply(values);
    };
  };
}

/** A part of a date: its argument is a date, or `{date, timezone}`. */
function part(
  read: (time: ZonedTime) => number,
  make: (value: number) => unknown = (value) => new Int32(value),
): Operator {
  const byName = dateOperator(['date', 'timezone?'], (values) => {
    const zone = timezone(values);
    return zone === undefined ? null : make(read(zoned(dateOf(values.date), zone)));
  });
  return (argument, scope, name) => {
    const list: unknown[] = Array.isArray(argument) ? argument : [argument];
    const operand = list[0];
    if (list.length !== 1)
      throw locationError(
        40536,
        `${name} accepts exactly one argument if given an array, but was given ${list.length}`,
      );
    const isNamed = isFields(operand) && !isExpression(operand);
    return byName(isNamed ? operand : { date: operand }, scope, name);
  };
}

function isExpression(operand: Fields): boolean {
  const [first] = operand instanceof Map ? operand.keys() : Object.keys(operand);
  return first?.startsWith('$') ?? false;
}

function toText(values: Values): unknown {
  const zone = timezone(values);
  if ('format' in values && values.format == null) return null;
  if (zone === undefined) return null;
  const format =
    values.format === undefined ? undefined : stringArgument(values.format, 18533, "$dateToString 'format'");
  return formatDate(
    zoned(dateOf(values.date), zone),
    format ?? (zone === 'UTC' ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L'),
  );
}

/** `onNull` stands for a date that is null; it goes before the null of others. */
function compileToString(argument: unknown, scope: Scope, name: string): ReturnType<Operator> {
  const given = namedArguments(argument, name, ['date', 'format?', 'timezone?', 'onNull?'], [18629, 18534, 18628]);
  const onNull = given.has('onNull') ? scope.compile(given.get('onNull')) : undefined;
  const date = scope.compile(given.get('date'));
  given.delete('onNull');
  const text = dateOperator(['date', 'format?', 'timezone?'], toText)(Object.fromEntries(given), scope, name);
  return (frame) => (onNull && date(frame) == null ? onNull(frame) : text(frame));
}

function compileFromString(argument: unknown, scope: Scope, name: string): ReturnType<Operator> {
  const names = ['dateString', 'format?', 'timezone?', 'onError?', 'onNull?'];
  const given = namedArguments(argument, name, names, [40540, 40541, 40542]);
  const compiled = new Map([...given].map(([field, operand]) => [field, scope.compile(operand)]));
  return (frame) => {
    const text = compiled.get('dateString')?.(frame);
    if (text == null) return compiled.get('onNull')?.(frame) ?? null;
    const values: Values = {};
    for (const field of ['format', 'timezone']) if (compiled.has(field)) values[field] = compiled.get(field)?.(frame);
    const zone = timezone(values);
    if (zone === undefined || ('format' in values && values.format == null)) return null;
    const format =
      values.format === undefined ? undefined : stringArgument(values.format, 40684, "$dateFromString 'format'");
    const date = typeof text === 'string' ? parseDate(text, zone, format) : undefined;
    if (date) return date;
    const onError = compiled.get('onError');
    if (onError) return onError(frame);
    const shown = typeof text === 'string' ? `'${text.slice(0, 100)}'` : typeOf(text);
    throw new StoreError(241, 'ConversionFailure', `Error parsing date string ${shown}`);
  };
}

function wholeNumber(values: Values, name: string, otherwise: number): number {
  const value = values[name];
  if (value === undefined) return otherwise;
  const whole = integerOf(value);
  if (whole === undefined) throw locationError(40515, `'${name}' must evaluate to an integer, found ${typeOf(value)}`);
  if (Math.abs(whole) > 1e9) throw locationError(31034, `'${name}' is out of range`);
  return whole;
}

function fromParts(values: Values): unknown {
  const zone = timezone(values);
  if (zone === undefined || Object.values(values).some((value) => value == null)) return null;
  const isIso = 'isoWeekYear' in values;
  if (isIso === 'year' in values)
    throw locationError(40489, "$dateFromParts requires either 'year' or 'isoWeekYear', and not both");
  const n = (name: string, otherwise: number): number => wholeNumber(values, name, otherwise);
  const year = n(isIso ? 'isoWeekYear' : 'year', 1970);
  if (year < 1 || year > 9999)
    throw locationError(40523, `'year' must evaluate to an integer in the range 1 to 9999, found ${year}`);
  // Parts beyond their range go on into the next larger ones.
  const day = isIso
    ? isoDay(year, n('isoWeek', 1), n('isoDayOfWeek', 1))
    : Temporal.PlainDate.from({ year, month: 1, day: 1 })
        .add({ months: n('month', 1) - 1 })
        .add({ days: n('day', 1) - 1 });
  const local = day
    .toPlainDateTime()
    .add({ hours: n('hour', 0), minutes: n('minute', 0), seconds: n('second', 0), milliseconds: n('millisecond', 0) });
  return new Date(local.toZonedDateTime(zone).epochMilliseconds);
}

function toParts(values: Values): unknown {
  const zone = timezone(values);
  if (zone === undefined || ('iso8601' in values && values.iso8601 == null)) return null;
  const time = zoned(dateOf(values.date), zone);
  const { year, month, day, hour, minute, second, millisecond } = time;
  const date = values.iso8601
    ? { isoWeekYear: time.yearOfWeek, isoWeek: time.weekOfYear, isoDayOfWeek: time.dayOfWeek }
    : { year, month, day };
  const parts = { ...date, hour, minute, second, millisecond };
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, new Int32(value ?? 0)]));
}

const units = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'] as const;
type Unit = (typeof units)[number];

const millisecondsOf: Partial<Record<Unit, number>> = { hour: 3_600_000, minute: 60_000, second: 1000, millisecond: 1 };
const daysOf = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

function unitOf({ unit }: Values): Unit {
  if (!units.includes(unit as Unit)) throw failedToParse(`unknown time unit value: ${String(unit)}`);
  return unit as Unit;
}

function startOfWeekOf({ startOfWeek = 'sunday' }: Values): number {
  const name = typeof startOfWeek === 'string' ? startOfWeek.toLowerCase() : '';
  const day = daysOf.findIndex((known) => known === name || (name.length === 3 && known.startsWith(name)));
  if (day < 0) throw failedToParse(`unknown day of week value: ${String(startOfWeek)}`);
  return day + 1;
}

function duration(unit: Unit, amount: number): Temporal.DurationLike {
  return unit === 'quarter' ? { months: amount * 3 } : { [`${unit}s`]: amount };
}

function adding(sign: 1 | -1): Operator {
  return dateOperator(['startDate', 'unit', 'amount', 'timezone?'], (values) => {
    const zone = timezone(values);
    if (zone === undefined) return null;
    const amount = integerOf(values.amount);
    if (amount === undefined) throw locationError(5166405, '$dateAdd expects integer amount of time units');
    const unit = unitOf(values);
    try {
      const time = zoned(dateOf(values.startDate), zone).add(duration(unit, sign * amount));
      return new Date(time.epochMilliseconds);
    } catch {
      throw locationError(5166406, 'the date would be out of range');
    }
  });
}

/** The number of a unit in which a moment lies, counted from some beginning. */
function ordinal(time: ZonedTime, unit: Unit, startOfWeek: number): number {
  const days = (): number =>
    Math.floor(Date.UTC(2000, 0, 1) / 86_400_000) +
    Temporal.PlainDate.from('2000-01-01').until(time.toPlainDate()).days;
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
    case 'day':
      return days();
    default:
      return Math.floor((time.epochMilliseconds + time.offsetNanoseconds / 1e6) / (millisecondsOf[unit] as number));
  }
}

function difference(values: Values): unknown {
  const zone = timezone(values);
  if (zone === undefined) return null;
  const unit = unitOf(values);
  const first = unit === 'week' ? startOfWeekOf(values) : 7;
  const [start, end] = [dateOf(values.startDate), dateOf(values.endDate)];
  const size = millisecondsOf[unit];
  if (size !== undefined) {
    // Clock changes must not count, so hours and less are those of the first moment's offset.
    const offset = unit === 'hour' || unit === 'minute' ? offsetMinutes(zoned(start, zone)) * 60_000 : 0;
    return Long.fromNumber(Math.floor((end.getTime() + offset) / size) - Math.floor((start.getTime() + offset) / size));
  }
  return Long.fromNumber(ordinal(zoned(end, zone), unit, first) - ordinal(zoned(start, zone), unit, first));
}

/** The beginning of the bin in which a date lies; bins are counted from the start of 2000, in the zone's local time. */
function truncate(values: Values): unknown {
  const zone = timezone(values);
  if (zone === undefined || ('binSize' in values && values.binSize == null)) return null;
  const unit = unitOf(values);
  const size = values.binSize === undefined ? 1 : integerOf(values.binSize);
  if (size === undefined || size <= 0)
    throw locationError(5439017, "$dateTrunc requires 'binSize' to be greater than 0");
  const first = unit === 'week' ? startOfWeekOf(values) : 7;
  const time = zoned(dateOf(values.date), zone);
  let origin = Temporal.PlainDateTime.from('2000-01-01T00:00').toZonedDateTime(zone);
  // The first week begins with the first such day of 2000.
  if (unit === 'week') origin = origin.add({ days: (first - origin.dayOfWeek + 7) % 7 });
  const length = millisecondsOf[unit];
  if (length !== undefined) {
    const bin = size * length;
    return new Date(
      origin.epochMilliseconds + Math.floor((time.epochMilliseconds - origin.epochMilliseconds) / bin) * bin,
    );
  }
  const bins = Math.floor((ordinal(time, unit, first) - ordinal(origin, unit, first)) / size);
  return new Date(origin.add(duration(unit, bins * size)).epochMilliseconds);
}

export const dateOperators: Readonly<Record<string, Operator>> = {
  $dateAdd: adding(1),
  $dateDiff: dateOperator(['startDate', 'endDate', 'unit', 'timezone?', 'startOfWeek?'], difference),
  $dateFromParts: dateOperator(
    [
      'year?',
      'month?',
      'day?',
      'isoWeekYear?',
      'isoWeek?',
      'isoDayOfWeek?',
      'hour?',
      'minute?',
      'second?',
      'millisecond?',
      'timezone?',
    ],
    fromParts,
  ),
  $dateFromString: compileFromString,
  $dateSubtract: adding(-1),
  $dateToParts: dateOperator(['date', 'timezone?', 'iso8601?'], toParts),
  $dateToString: compileToString,
  $dateTrunc: dateOperator(['date', 'unit', 'binSize?', 'timezone?', 'startOfWeek?'], truncate),
  $dayOfMonth: part((time) => time.day),
  $dayOfWeek: part((time) => (time.dayOfWeek % 7) + 1),
  $dayOfYear: part((time) => time.dayOfYear),
  $hour: part((time) => time.hour),
  $isoDayOfWeek: part((time) => time.dayOfWeek),
  $isoWeek: part((time) => time.weekOfYear as number),
  $isoWeekYear: part(
    (time) => time.yearOfWeek as number,
    (value) => Long.fromNumber(value),
  ),
  $millisecond: part((time) => time.millisecond),
  $minute: part((time) => time.minute),
  $month: part((time) => time.month),
  $second: part((time) => time.second),
  $tsIncrement: operator(1, 1, ([value]) => timestampPart(value, (time) => time.getLowBitsUnsigned())),
  $tsSecond: operator(1, 1, ([value]) => timestampPart(value, (time) => time.getHighBitsUnsigned())),
  $week: part(weekOf),
  $year: part((time) => time.year),
};

function timestampPart(value: unknown, read: (time: Timestamp) => number): unknown {
  if (value == null) return null;
  if (typeOf(value) !== 'timestamp')
    throw locationError(5687301, `Argument must be a timestamp, but is ${typeOf(value)}`);
  return Long.fromNumber(read(value as Timestamp));
}
