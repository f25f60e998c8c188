import { encodeKey } from '../values/keys.ts';
import { typeOrder } from '../values/order.ts';

/** A stretch of keys, compared bytewise: from `lower`, inclusive, to `upper`, exclusive. */
export interface Interval {
  lower: Buffer;
  upper: Buffer;
  /** True when it holds the keys of exactly one value, so that the next field of an index can narrow it further. */
  point: boolean;
}

/** The least byte string above everything that begins with `prefix` (which must have a byte below 255). */
export function successor(prefix: Uint8Array): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  const next = Buffer.from(prefix.subarray(0, length));
  next[length - 1] = (next[length - 1] as number) + 1;
  return next;
}

/** The keys of one value. */
export function pointInterval(value: unknown): Interval {
  const lower = encodeKey(value);
  return { lower, upper: successor(lower), point: true };
}

/** The keys that begin with these bytes. */
export function prefixInterval(prefix: Buffer): Interval {
  return { lower: prefix, upper: successor(prefix), point: false };
}

const NUMBERS = 15;
// Numbers take four first bytes, from NaN to those above zero. NaN lies in no range, so ranges begin after it.
const FIRST_NUMBER = 16;
const LAST_NUMBER = 18;

/** The keys of all values that a comparison with `value` can be true for: those of its type, without NaN. */
export function bracketOf(value: unknown): Interval {
  const order = typeOrder(value);
  if (order === NUMBERS) {
    return { lower: Buffer.of(FIRST_NUMBER), upper: Buffer.of(LAST_NUMBER + 1), point: false };
  }
  return prefixInterval(Buffer.of(order));
}

/** The keys of the values of the same type that are above (below) `value`, or also equal to it. */
export function rangeInterval(operator: '$gt' | '$gte' | '$lt' | '$lte', value: unknown): Interval {
  const bracket = bracketOf(value);
  const { lower, upper } = pointInterval(value);
  if (operator === '$gt' || operator === '$gte') {
    return { lower: operator === '$gt' ? upper : lower, upper: bracket.upper, point: false };
  }
  return { lower: bracket.lower, upper: operator === '$lt' ? lower : upper, point: false };
}

/** Orders intervals and joins those that overlap. */
export function union(intervals: Interval[]): Interval[] {
  const sorted = [...intervals].sort((one, other) => Buffer.compare(one.lower, other.lower));
  const joined: Interval[] = [];
  for (const interval of sorted) {
    const last = joined.at(-1);
    if (last && Buffer.compare(interval.lower, last.upper) < 0) {
      if (Buffer.compare(interval.upper, last.upper) <= 0) continue;
      joined[joined.length - 1] = { lower: last.lower, upper: interval.upper, point: false };
    } else if (Buffer.compare(interval.lower, interval.upper) < 0) {
      joined.push(interval);
    }
  }
  return joined;
}

/** The keys that are in both lists; each list ordered and without overlaps, as the answer. */
export function intersection(left: Interval[], right: Interval[]): Interval[] {
  const common: Interval[] = [];
  for (let one = 0, other = 0; one < left.length && other < right.length; ) {
    const a = left[one] as Interval;
    const b = right[other] as Interval;
    const lower = Buffer.compare(a.lower, b.lower) >= 0 ? a : b;
    const upper = Buffer.compare(a.upper, b.upper) <= 0 ? a : b;
    if (Buffer.compare(lower.lower, upper.upper) < 0) {
      common.push({ lower: lower.lower, upper: upper.upper, point: a.point || b.point });
    }
    if (upper === a) one += 1;
    else other += 1;
  }
  return common;
}

/** The same keys as they stand in an index where the field descends, that is with every bit turned. */
export function descending(intervals: Interval[]): Interval[] {
  return intervals.map(turned).reverse();
}

function turned({ lower, upper, point }: Interval): Interval {
  // A point's lower end is the value's own key, to which further fields are appended: it must stay whole.
  const turnedLower = point ? inverted(lower) : successor(inverted(upper));
  return { lower: turnedLower, upper: successor(inverted(lower)), point };
}

function inverted(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => ~byte));
}

/** The interval's keys, each behind `prefix`. */
export function behind(prefix: Buffer, interval: Interval): Interval {
  return {
    lower: Buffer.concat([prefix, interval.lower]),
    upper: Buffer.concat([prefix, interval.upper]),
    point: interval.point,
  };
}
