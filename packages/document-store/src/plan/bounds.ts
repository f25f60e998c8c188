import { encodeKey } from '../values/keys.ts';
import { typeOrder } from '../values/order.ts';

/** A range of keys in byte order. `lower` is inclusive, `upper` exclusive. */
export interface Interval {
  lower: Buffer;
  upper: Buffer;
  /** True if all keys have the same value, so that the index's next field can narrow the range. */
  point: boolean;
}

/** Returns the smallest byte string above all strings with this prefix. */
function successor(prefix: Uint8Array): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  const next = Buffer.from(prefix.subarray(0, length));
  next[length - 1] = (next[length - 1] as number) + 1;
  return next;
}

export function pointInterval(value: unknown): Interval {
  const lower = encodeKey(value);
  return { lower, upper: successor(lower), point: true };
}

export function prefixInterval(prefix: Buffer): Interval {
  return { lower: prefix, upper: successor(prefix), point: false };
}

const NUMBER_ORDER = 15;
// NaN is in no range, so ranges start after it.
const FIRST_NUMBER_BYTE = 16;
const LAST_NUMBER_BYTE = 18;

/** The keys that can compare with `value`: all of its type, without NaN. */
export function typeInterval(value: unknown): Interval {
  const order = typeOrder(value);
  if (order === NUMBER_ORDER) {
    return { lower: Buffer.of(FIRST_NUMBER_BYTE), upper: Buffer.of(LAST_NUMBER_BYTE + 1), point: false };
  }
  return prefixInterval(Buffer.of(order));
}

export function rangeInterval(operator: '$gt' | '$gte' | '$lt' | '$lte', value: unknown): Interval {
  const bracket = typeInterval(value);
  const { lower, upper } = pointInterval(value);
  if (operator === '$gt' || operator === '$gte') {
    return { lower: operator === '$gt' ? upper : lower, upper: bracket.upper, point: false };
  }
  return { lower: bracket.lower, upper: operator === '$lt' ? lower : upper, point: false };
}

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

/** Intersects two sorted lists without overlaps. The result is sorted as well. */
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

/** Converts intervals for a descending field, whose keys have all bits inverted. */
export function descending(intervals: Interval[]): Interval[] {
  return intervals.map(invertInterval).reverse();
}

function invertInterval({ lower, upper, point }: Interval): Interval {
  // A point's lower end is a whole key, to which keys of further fields are appended.
  const turnedLower = point ? invertBits(lower) : successor(invertBits(upper));
  return { lower: turnedLower, upper: successor(invertBits(lower)), point };
}

function invertBits(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => ~byte));
}

export function withPrefix(prefix: Buffer, interval: Interval): Interval {
  return {
    lower: Buffer.concat([prefix, interval.lower]),
    upper: Buffer.concat([prefix, interval.upper]),
    point: interval.point,
  };
}
