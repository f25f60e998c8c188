import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeCompoundKey, encodeKey } from './keys.ts';
import { compareValues } from './order.ts';

const landmarks = [0n, 1n, 2n ** 31n, 2n ** 53n, 10n ** 17n, 2n ** 62n, 2n ** 63n - 1n];
/** Integers close to the limits of types and of a double's precision, where types meet. */
const nearLandmark = fc
  .tuple(fc.constantFrom(...landmarks), fc.bigInt({ min: -3n, max: 3n }), fc.boolean())
  .map(([landmark, offset, negative]) => (negative ? -(landmark + offset) : landmark + offset))
  .filter((value) => value >= -(2n ** 63n) && value < 2n ** 63n);

const number = fc.oneof(
  fc.integer().map((value) => new Int32(value)),
  fc.double().map((value) => new Double(value)),
  nearLandmark.map((value) => new Double(Number(value))),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  nearLandmark.map((value) => Long.fromBigInt(value)),
  nearLandmark.map((value) => Decimal128.fromString(String(value))),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 33n), max: 10n ** 33n }), fc.integer({ min: -40, max: 40 }))
    .map(([coefficient, exponent]) => Decimal128.fromString(`${coefficient}E${exponent}`)),
  fc.integer({ min: -3000, max: 3000 }).map((exponent) => Decimal128.fromString(`7E${exponent}`)),
  fc.constantFrom(...['NaN', 'Infinity', '-Infinity', '0.1', '-0'].map((text) => Decimal128.fromString(text))),
);

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('\0', '\u0001', 'a', 'b', 'ÿ', '\uffff', '\u{10ffff}'), maxLength: 5 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const name = fc.constantFrom('a', 'b', 'ab', '', '__proto__', 'é').map(String);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    number,
    text,
    fc.constantFrom(null, undefined, true, false, new MinKey(), new MaxKey()),
    fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => new Binary(bytes)),
    fc.date({ noInvalidDate: true }),
    fc.tuple(fc.nat(), fc.nat()).map(([t, i]) => new Timestamp({ t, i })),
    fc.tuple(fc.constantFrom('a', 'ab', ''), fc.constantFrom('', 'i', 'im')).map(([p, o]) => new BSONRegExp(p, o)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

describe('encodeKey', () => {
  test('orders numbers of all types by memcmp as compareValues does', () => {
    fc.assert(
      fc.property(number, number, (left, right) => {
        const order = Math.sign(compareValues(left, right));
        expect(Math.sign(Buffer.compare(encodeKey(left), encodeKey(right)))).toBe(order);
        expect(Math.sign(compareValues(right, left))).toBe(-order || 0);
      }),
      { seed: 7, numRuns: 3000 },
    );
  });

  test('orders all values by memcmp as compareValues does', () => {
    fc.assert(
      fc.property(value, value, (left, right) => {
        const order = Math.sign(compareValues(left, right));
        expect(Math.sign(Buffer.compare(encodeKey(left), encodeKey(right)))).toBe(order);
        expect(Math.sign(compareValues(right, left))).toBe(-order || 0);
        expect(compareValues(left, left)).toBe(0);
      }),
      { seed: 7, numRuns: 3000 },
    );
  });

  test('gives keys that do not depend on earlier ones', () => {
    const long = 'x'.repeat(100_000);
    const before = encodeKey({ a: ['b', new Int32(5)] });
    encodeKey(long);
    expect(encodeKey({ a: ['b', new Int32(5)] })).toEqual(before);
    expect(encodeKey(long).length).toBe(100_003);
  });

  test('takes few bytes for common values', () => {
    expect(encodeKey(new Int32(7)).length).toBe(10);
    expect(encodeKey('abc').length).toBe(6);
    expect(encodeKey(new ObjectId()).length).toBe(13);
  });
});

describe('encodeCompoundKey', () => {
  test('orders lists value by value in each direction', () => {
    const lists = fc.tuple(
      fc.array(value, { minLength: 3, maxLength: 3 }),
      fc.array(value, { minLength: 3, maxLength: 3 }),
      fc.array(fc.constantFrom(1, -1), { minLength: 3, maxLength: 3 }),
      fc.nat({ max: 2 }),
    );
    fc.assert(
      fc.property(lists, ([left, other, directions, shared]) => {
        const right = [...left.slice(0, shared), ...other.slice(shared)];
        let order = 0;
        for (const [index, direction] of directions.entries()) {
          order ||= direction * Math.sign(compareValues(left[index], right[index]));
        }
        const keys = [encodeCompoundKey(left, directions), encodeCompoundKey(right, directions)] as const;
        expect(Math.sign(Buffer.compare(...keys))).toBe(order || 0);
      }),
      { seed: 7, numRuns: 2000 },
    );
  });

  test('starts with the key of its first values, and not with any other', () => {
    fc.assert(
      fc.property(value, value, value, (first, second, third) => {
        const prefix = encodeCompoundKey([first], [-1]);
        const starts = (key: Buffer) => key.subarray(0, prefix.length).equals(prefix);
        expect(starts(encodeCompoundKey([first, second], [-1, 1]))).toBe(true);
        expect(starts(encodeCompoundKey([third, second], [-1, 1]))).toBe(compareValues(first, third) === 0);
      }),
      { seed: 7, numRuns: 2000 },
    );
  });
});
