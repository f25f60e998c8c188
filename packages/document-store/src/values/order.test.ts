import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { describe, expect, test } from 'vitest';
import { compareValues, equalValues, identicalValues, typeOrder } from './order.ts';

const decimal = (text: string) => Decimal128.fromString(text);
const long = (text: string) => Long.fromString(text);

/** Each line is greater than the one before. The values of a line are equal. */
const ascending: unknown[][] = [
  [new MinKey()],
  [undefined],
  [null],
  [new Double(Number.NaN), decimal('NaN'), Number.NaN],
  [new Double(Number.NEGATIVE_INFINITY), decimal('-Infinity')],
  [decimal('-1E+400')],
  [new Double(-Number.MAX_VALUE)],
  [long('-9223372036854775808'), new Double(-(2 ** 63)), decimal('-9223372036854775808')],
  [long('-9223372036854775807'), decimal('-9223372036854775807')],
  [long('-9007199254740993'), decimal('-9007199254740993')],
  [long('-9007199254740992'), new Double(-(2 ** 53))],
  [new Int32(-1), new Double(-1), long('-1'), decimal('-1.000')],
  [decimal('-1E-400')],
  [new Int32(0), new Double(-0), new Double(0), long('0'), decimal('0'), decimal('-0E+10'), 0, 0n],
  [decimal('1E-400')],
  [new Double(Number.MIN_VALUE)],
  [decimal('0.1')],
  [new Double(0.1)],
  [decimal('0.10000000000000001')],
  [new Int32(1), new Double(1), long('1'), decimal('1'), 1, 1n],
  [new Double(1.5), decimal('1.5'), 1.5],
  [new Double(2 ** 53), long('9007199254740992'), decimal('9007199254740992')],
  [long('9007199254740993'), decimal('9007199254740993'), decimal('9007199254740993.0')],
  [decimal('9007199254740993.5')],
  [long('9007199254740994'), new Double(2 ** 53 + 2)],
  [long('9223372036854775807'), decimal('9223372036854775807')],
  [new Double(2 ** 63), decimal('9223372036854775808')],
  [new Double(1e23)],
  [decimal('1E+23')],
  [new Double(Number.MAX_VALUE)],
  [decimal('1E+309')],
  [new Double(Number.POSITIVE_INFINITY), decimal('Infinity')],
  ['', new BSONSymbol('')],
  ['\0'],
  ['a', new BSONSymbol('a')],
  ['a\0'],
  ['a\u0001'],
  ['ab'],
  ['b'],
  ['é'],
  ['\uffff'],
  ['\u{10000}'],
  [{}],
  [{ a: new Int32(2) }, { a: new Double(2) }],
  [{ a: new Int32(2), b: 1 }],
  [{ b: new Int32(3) }],
  [{ a: 'x' }],
  [[]],
  [[null]],
  [[new Int32(1)], [new Double(1)]],
  [[new Int32(1), 'x']],
  [[new Int32(2)]],
  [[[new Int32(1)]]],
  [new Binary(Buffer.from('')), Buffer.from('')],
  [new Binary(Buffer.from('b'))],
  [new Binary(Buffer.from('a'), 5)],
  [new Binary(Buffer.from('aa'))],
  [new ObjectId('000000000000000000000001')],
  [new ObjectId('ff0000000000000000000001')],
  [false],
  [true],
  [new Date(-1)],
  [new Date(0)],
  [new Date(2 ** 40)],
  [new Timestamp({ t: 1, i: 2 })],
  [new Timestamp({ t: 1, i: 3 })],
  [new Timestamp({ t: 0xffffffff, i: 0 })],
  [new BSONRegExp('a', '')],
  [new BSONRegExp('a', 'i'), /a/i],
  [new BSONRegExp('b', '')],
  [new Code('a')],
  [new Code('b')],
  [new Code('a', {})],
  [new Code('a', { x: 1 })],
  [new MaxKey()],
];

describe('compareValues', () => {
  test('orders all types as MongoDB does', () => {
    for (const [row, left] of ascending.entries()) {
      for (const [column, right] of ascending.entries()) {
        for (const a of left) {
          for (const b of right) {
            const message = `${row} ${String(a)} against ${column} ${String(b)}`;
            expect(Math.sign(compareValues(a, b)), message).toBe(Math.sign(row - column));
            expect(equalValues(a, b), message).toBe(row === column);
          }
        }
      }
    }
  });

  test('compares documents by type, name, and value, in field order', () => {
    expect(compareValues({ b: 1 }, { a: 'x' })).toBeLessThan(0);
    expect(compareValues({ b: 1 }, { a: 2 })).toBeGreaterThan(0);
    expect(compareValues({ a: 1, b: 2 }, { b: 2, a: 1 })).toBeLessThan(0);
    expect(compareValues(new Map([['a', 1]]), { a: 1 })).toBe(0);
  });

  test('ignores a _bsontype of the value itself', () => {
    const forged = { _bsontype: 'Int32', value: 5 };
    expect(typeOrder(forged)).toBe(typeOrder({}));
    expect(equalValues(forged, new Int32(5))).toBe(false);
    expect(typeOrder({ _bsontype: 'ObjectId', id: 'x' })).toBe(typeOrder({}));
  });
});

describe('identicalValues', () => {
  test.each([
    [new Int32(1), new Int32(1), true],
    [new Int32(1), new Double(1), false],
    [new Int32(1), Long.fromNumber(1), false],
    [new Double(0), new Double(-0), false],
    [new Double(Number.NaN), new Double(Number.NaN), true],
    [decimal('1.0'), decimal('1.00'), false],
    [decimal('1.0'), decimal('1.0'), true],
    [Long.fromNumber(7), Long.fromNumber(7), true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, false],
    [{ a: [new Int32(1)] }, { a: [new Int32(1)] }, true],
    [{ a: [new Int32(1)] }, { a: [new Double(1)] }, false],
    ['a', 'a', true],
    ['a', new BSONSymbol('a'), false],
    [null, undefined, false],
    [new Date(5), new Date(5), true],
  ])('%s and %s: %s', (left, right, expected) => {
    expect(identicalValues(left, right)).toBe(expected);
  });
});
