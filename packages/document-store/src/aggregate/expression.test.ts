import { BSONRegExp, Decimal128, type Document, Double, EJSON, Long, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { compileFilter } from '../query/matcher.ts';
import { encode } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { compileReader, Variables } from './expression.ts';

const id = new ObjectId('650000000000000000000001');
const double = (value: number) => new Double(value);
const long = (value: string | number) => Long.fromString(String(value));
const decimal = (value: string) => Decimal128.fromString(value);
const date = (text: string) => new Date(text);
const branch = (condition: unknown, result: unknown) =>
  Object.fromEntries([
    ['case', condition],
    ['then', result],
  ]);

const document: Document = {
  int: 7,
  double: 2.5,
  long: long('9223372036854775807'),
  decimal: decimal('1.10'),
  text: 'Héllo',
  empty: '',
  null: null,
  list: [3, 1, 2],
  nested: [{ a: 1, b: 'x' }, { a: 2 }, 5, { b: 'y' }],
  sub: { a: 1, b: { c: 2 } },
  day: date('2024-03-31T00:30:15.250Z'),
  id,
  yes: true,
};

/** Compares as canonical Extended JSON, so types count. `undefined` means a missing value. */
function evaluate(expression: unknown, of: Document = document): string {
  const read = compileReader(decode(encode({ expression })).expression, Variables.of());
  return canonical(read(decode(encode(of))));
}

function canonical(value: unknown): string {
  return value === undefined
    ? 'missing'
    : EJSON.stringify({ value: decode(encode({ value })).value }, { relaxed: false });
}

const cases: Record<string, [expression: unknown, expected: unknown][]> = {
  'paths, literals, and variables': [
    ['$int', 7],
    ['$nowhere', undefined],
    ['$sub.b.c', 2],
    ['$nested.a', [1, 2]],
    ['$list.0', []],
    ['$$ROOT.int', 7],
    ['$$CURRENT.sub.a', 1],
    ['$$REMOVE', undefined],
    [{ $literal: '$int' }, '$int'],
    [
      ['$int', '$nowhere'],
      [7, null],
    ],
    [
      { a: '$int', b: '$nowhere', c: { d: '$double' } },
      { a: 7, c: { d: 2.5 } },
    ],
    [{ $let: { vars: { x: '$int', y: 1 }, in: { $add: ['$$x', '$$y'] } } }, 8],
    [{ $let: { vars: { CURRENT: '$sub' }, in: '$b.c' } }, 2],
    [{ $type: '$$NOW' }, 'date'],
    ['$__proto__', undefined],
    ['$constructor.name', undefined],
  ],
  'arithmetic by type': [
    [{ $add: ['$int', 1] }, 8],
    [{ $add: ['$int', double(1)] }, double(8)],
    [{ $add: [2147483647, 1] }, long(2147483648)],
    [{ $add: ['$long', 1] }, double(2 ** 63)],
    [{ $add: [-1, long('-9223372036854775808')] }, double(-(2 ** 63))],
    [{ $add: ['$decimal', 1] }, decimal('2.10')],
    [{ $add: [0.1, 0.2, 0.3] }, double(0.6)],
    [{ $add: ['$day', 750] }, date('2024-03-31T00:30:16Z')],
    [{ $add: ['$int', '$null'] }, null],
    [{ $subtract: ['$int', long(8)] }, long(-1)],
    [{ $subtract: [-1, long('-9223372036854775808')] }, long('9223372036854775807')],
    [{ $subtract: ['$day', date('2024-03-31T00:30:15Z')] }, long(250)],
    [{ $subtract: ['$day', 250] }, date('2024-03-31T00:30:15Z')],
    [{ $multiply: ['$int', 2, 3] }, 42],
    [{ $multiply: ['$int', 0.5] }, 3.5],
    [{ $multiply: ['$long', 2] }, double(2 ** 64)],
    [{ $divide: [6, 3] }, double(2)],
    [{ $divide: [decimal('1'), 3] }, decimal('0.3333333333333333333333333333333333')],
    [{ $mod: [-7, 3] }, -1],
    [{ $mod: [7.5, 2] }, 1.5],
    [{ $mod: [decimal('7.5'), 2] }, decimal('1.5')],
    [{ $pow: [2, 31] }, long(2147483648)],
    [{ $pow: [2, 64] }, double(2 ** 64)],
    [{ $pow: [2, -1] }, 0.5],
    [{ $abs: -3 }, 3],
    [{ $abs: -2147483648 }, long(2147483648)],
    [{ $ceil: 1.2 }, double(2)],
    [{ $floor: decimal('-1.2') }, decimal('-2')],
    [{ $round: [2.5] }, double(2)],
    [{ $round: [1234, -2] }, 1200],
    [{ $round: [decimal('2.345'), 2] }, decimal('2.34')],
    [{ $trunc: [-1.29, 1] }, -1.2],
    [{ $sqrt: 16 }, double(4)],
    [{ $ln: 1 }, double(0)],
    [{ $log: [8, 2] }, double(3)],
    [{ $sum: ['$list', 1] }, 1],
    [{ $sum: '$list' }, 6],
    [{ $avg: [1, 2] }, 1.5],
    [{ $max: '$list' }, 3],
    [{ $min: ['$int', '$null', '$double'] }, 2.5],
  ],
  'comparison and conditions': [
    [{ $eq: [1, double(1)] }, true],
    [{ $eq: ['$nowhere', null] }, false],
    [{ $lt: ['$nowhere', null] }, true],
    [{ $gt: ['$text', '$long'] }, true],
    [{ $cmp: [decimal('1.1'), 1.1] }, -1],
    [{ $and: ['$yes', 1, 'x'] }, true],
    [{ $and: [] }, true],
    [{ $or: ['$null', 0] }, false],
    [{ $not: '$nowhere' }, true],
    [{ $cond: ['$yes', 'a', 'b'] }, 'a'],
    [
      {
        $cond: Object.fromEntries([
          ['if', 0],
          ['then', { $divide: [1, 0] }],
          ['else', 'b'],
        ]),
      },
      'b',
    ],
    [{ $ifNull: ['$nowhere', '$null', 3] }, 3],
    [
      {
        $switch: {
          branches: [branch(false, 1), branch(true, 2)],
          default: 3,
        },
      },
      2,
    ],
  ],
  texts: [
    [{ $concat: ['$text', '!'] }, 'Héllo!'],
    [{ $concat: ['$text', '$null'] }, null],
    [{ $toUpper: '$text' }, 'HéLLO'],
    [{ $toLower: '$int' }, '7'],
    [{ $strLenCP: '$text' }, 5],
    [{ $strLenBytes: '$text' }, 6],
    [{ $substrCP: ['$text', 1, 2] }, 'él'],
    [{ $substrBytes: ['$text', 3, -1] }, 'llo'],
    [{ $indexOfCP: ['$text', 'l', 3] }, 3],
    [{ $split: ['a-b-c', '-'] }, ['a', 'b', 'c']],
    [{ $trim: { input: ' \t a b\n' } }, 'a b'],
    [{ $ltrim: { input: 'xxaxx', chars: 'x' } }, 'axx'],
    [{ $replaceOne: { input: 'a$a', find: 'a', replacement: { $literal: '$&' } } }, '$&$a'],
    [{ $replaceAll: { input: 'a.a', find: 'a', replacement: 'b' } }, 'b.b'],
    [{ $strcasecmp: ['abc', 'ABD'] }, -1],
    [{ $regexMatch: { input: '$text', regex: '^h', options: 'i' } }, true],
    [{ $regexMatch: { input: '$text', regex: new BSONRegExp('l+') } }, true],
    [{ $regexFind: { input: '$text', regex: 'l(l)(x)?' } }, { match: 'll', idx: 2, captures: ['l', null] }],
    [
      { $regexFindAll: { input: '😀a😀b', regex: '[ab]' } },
      [
        { match: 'a', idx: 1, captures: [] },
        { match: 'b', idx: 3, captures: [] },
      ],
    ],
  ],
  arrays: [
    [{ $size: '$list' }, 3],
    [{ $arrayElemAt: ['$list', -1] }, 2],
    [{ $arrayElemAt: ['$list', 9] }, undefined],
    [{ $first: '$list' }, 3],
    [{ $last: '$list' }, 2],
    [{ $map: { input: '$list', as: 'n', in: { $multiply: ['$$n', '$int'] } } }, [21, 7, 14]],
    [{ $map: { input: '$null', in: 1 } }, null],
    [{ $filter: { input: '$list', cond: { $gt: ['$$this', 1] }, limit: 1 } }, [3]],
    [{ $reduce: { input: '$list', initialValue: '', in: { $concat: ['$$value', { $toString: '$$this' }] } } }, '312'],
    [{ $slice: ['$list', -2] }, [1, 2]],
    [{ $slice: ['$list', 1, 1] }, [1]],
    [{ $concatArrays: ['$list', [9]] }, [3, 1, 2, 9]],
    [{ $in: [double(2), '$list'] }, true],
    [{ $indexOfArray: ['$list', 2] }, 2],
    [{ $range: [0, 6, 2] }, [0, 2, 4]],
    [{ $reverseArray: '$list' }, [2, 1, 3]],
    [{ $sortArray: { input: '$list', sortBy: -1 } }, [3, 2, 1]],
    [{ $sortArray: { input: [{ a: 2 }, { a: 1 }], sortBy: { a: 1 } } }, [{ a: 1 }, { a: 2 }]],
    [{ $isArray: '$list' }, true],
    [{ $setUnion: ['$list', [double(1), 5]] }, [1, 2, 3, 5]],
    [{ $setIntersection: ['$list', [2, 3, 9]] }, [2, 3]],
    [{ $setDifference: ['$list', [1]] }, [3, 2]],
    [{ $setEquals: ['$list', [1, 2, 3, 3]] }, true],
    [{ $setIsSubset: [[1], '$list'] }, true],
    [{ $allElementsTrue: [[1, 'a']] }, true],
    [{ $anyElementTrue: [[0, null]] }, false],
  ],
  documents: [
    [{ $mergeObjects: ['$sub', { a: 9, z: 1 }, null] }, { a: 9, b: { c: 2 }, z: 1 }],
    [
      { $objectToArray: '$sub' },
      [
        { k: 'a', v: 1 },
        { k: 'b', v: { c: 2 } },
      ],
    ],
    [
      {
        $arrayToObject: [
          [
            ['a', 1],
            ['b', 2],
          ],
        ],
      },
      { a: 1, b: 2 },
    ],
    [{ $arrayToObject: { $literal: [{ k: 'a', v: 1 }] } }, { a: 1 }],
    [
      {
        $objectToArray: {
          $arrayToObject: [
            [
              ['__proto__', 1],
              ['constructor', 2],
            ],
          ],
        },
      },
      [
        { k: '__proto__', v: 1 },
        { k: 'constructor', v: 2 },
      ],
    ],
    [{ $getField: 'int' }, 7],
    [{ $getField: { field: 'a', input: '$sub' } }, 1],
    [{ $getField: { field: 'a', input: '$int' } }, undefined],
    [{ $getField: '__proto__' }, undefined],
    [{ $setField: { field: 'a.b', input: {}, value: 1 } }, { 'a.b': 1 }],
    [{ $setField: { field: 'a', input: {}, value: null } }, { a: null }],
    [{ $unsetField: { field: 'a', input: '$sub' } }, { b: { c: 2 } }],
  ],
  dates: [
    [{ $year: '$day' }, 2024],
    [{ $month: { date: '$day', timezone: 'America/New_York' } }, 3],
    [{ $dayOfMonth: { date: '$day', timezone: 'America/New_York' } }, 30],
    [{ $hour: { date: '$day', timezone: '+05:30' } }, 6],
    [{ $dayOfWeek: '$day' }, 1],
    [{ $isoDayOfWeek: '$day' }, 7],
    [{ $week: '$day' }, 13],
    [{ $isoWeek: '$day' }, 13],
    [{ $isoWeekYear: date('2021-01-01') }, long(2020)],
    [{ $dayOfYear: '$day' }, 91],
    [{ $millisecond: '$day' }, 250],
    [{ $year: '$nowhere' }, null],
    [{ $year: '$id' }, 2023],
    [{ $dateToString: { date: '$day' } }, '2024-03-31T00:30:15.250Z'],
    [
      { $dateToString: { date: '$day', format: '%d.%m.%Y %H:%M:%S.%L %z %j %u %%', timezone: 'Europe/Berlin' } },
      '31.03.2024 01:30:15.250 +0100 091 7 %',
    ],
    [{ $dateToString: { date: '$null', onNull: 'none' } }, 'none'],
    [{ $dateFromString: { dateString: '2024-02-29T10:00:00+02:00' } }, date('2024-02-29T08:00:00Z')],
    [{ $dateFromString: { dateString: '2024-07-01', timezone: 'Europe/Berlin' } }, date('2024-06-30T22:00:00Z')],
    [{ $dateFromString: { dateString: '2023-02-29', onError: 'bad' } }, 'bad'],
    // On the night when clocks go forward, a day has 23 hours.
    [
      { $dateAdd: { startDate: '$day', unit: 'day', amount: 1, timezone: 'Europe/Berlin' } },
      date('2024-03-31T23:30:15.250Z'),
    ],
    [{ $dateSubtract: { startDate: date('2024-03-31'), unit: 'month', amount: 1 } }, date('2024-02-29')],
    [
      { $dateDiff: { startDate: date('2023-12-31T23:00Z'), endDate: date('2024-01-01T01:00Z'), unit: 'year' } },
      long(1),
    ],
    [{ $dateDiff: { startDate: date('2024-01-06'), endDate: date('2024-01-07'), unit: 'week' } }, long(1)],
    [
      {
        $dateDiff: { startDate: date('2024-01-06'), endDate: date('2024-01-07'), unit: 'week', startOfWeek: 'monday' },
      },
      long(0),
    ],
    [
      { $dateDiff: { startDate: date('2024-01-01T00:59:00Z'), endDate: date('2024-01-01T01:01:00Z'), unit: 'hour' } },
      long(1),
    ],
    [{ $dateTrunc: { date: '$day', unit: 'month', timezone: 'Europe/Berlin' } }, date('2024-02-29T23:00:00Z')],
    [{ $dateTrunc: { date: '$day', unit: 'week', startOfWeek: 'Mon' } }, date('2024-03-25')],
    [{ $dateTrunc: { date: '$day', unit: 'minute', binSize: 20 } }, date('2024-03-31T00:20:00Z')],
    [{ $dateTrunc: { date: '$day', unit: 'quarter' } }, date('2024-01-01')],
  ],
  conversions: [
    [{ $type: '$nowhere' }, 'missing'],
    [{ $type: '$decimal' }, 'decimal'],
    [{ $isNumber: '$long' }, true],
    [{ $toInt: '12' }, 12],
    [{ $toInt: -1.9 }, -1],
    [{ $toLong: '$day' }, long(date('2024-03-31T00:30:15.250Z').getTime())],
    [{ $toDouble: '1.5e2' }, double(150)],
    [{ $toDecimal: '1.10' }, decimal('1.10')],
    [{ $toDecimal: 0.1 }, decimal('0.100000000000000')],
    [{ $toString: '$double' }, '2.5'],
    [{ $toString: '$id' }, '650000000000000000000001'],
    [{ $toObjectId: '650000000000000000000001' }, id],
    [{ $toBool: 'false' }, true],
    [{ $toDate: '2024-01-02' }, date('2024-01-02')],
    [{ $toDate: long(1000) }, date('1970-01-01T00:00:01Z')],
    [{ $toInt: null }, null],
    [{ $convert: { input: 'x', to: 'int', onError: 'no' } }, 'no'],
    [{ $convert: { input: '$nowhere', to: 'int', onNull: 0 } }, 0],
    [{ $convert: { input: '7', to: 18 } }, long(7)],
  ],
};

for (const [name, rows] of Object.entries(cases)) {
  describe(name, () => {
    test.each(rows.map(([expression, expected]) => [EJSON.stringify(expression), expression, expected] as const))(
      '%s',
      (_, expression, expected) => expect(evaluate(expression)).toBe(canonical(expected)),
    );
  });
}

describe('errors', () => {
  test.each<[unknown, number]>([
    [{ $nope: 1 }, 168],
    [{ $function: {} }, 168],
    [{ $sin: 0 }, 168],
    [{ $firstN: { n: 1, input: [] } }, 168],
    [{ $dateFromString: { dateString: '1.1.2024', format: '%d' } }, 40415],
    [{ $abs: [1, 2] }, 16020],
    [{ $slice: [1] }, 28667],
    [{ $add: 1, $subtract: 2 }, 15983],
    ['$a..b', 15998],
    ['$a.', 40353],
    ['$$nowhere', 17276],
    [{ $map: { input: [] } }, 40414],
    [{ $filter: { input: [], cond: 1, other: 1 } }, 40415],
    [{ $let: { vars: { X: 1 }, in: 1 } }, 2],
    [{ $switch: { branches: [] } }, 40068],
  ])('throws before reading a document: %j', (expression, code) => {
    expect(() => compileReader(expression, Variables.of())).toThrow(expect.objectContaining({ code }));
  });

  test.each<[unknown, number]>([
    [{ $add: ['$text', 1] }, 14],
    [{ $divide: [1, 0] }, 2],
    [{ $mod: [1, 0] }, 16610],
    [{ $concat: ['$int'] }, 16702],
    [{ $size: '$int' }, 17124],
    [{ $toInt: 'x' }, 241],
    [{ $toInt: long('3000000000') }, 241],
    [{ $arrayElemAt: ['$text', 0] }, 28689],
    [{ $dateToString: { date: '$text' } }, 16006],
    [{ $year: { date: '$day', timezone: 'Mars/Olympus' } }, 40485],
    [{ $regexMatch: { input: '$int', regex: 'x' } }, 51104],
    [{ $regexMatch: { input: 'x', regex: '(' } }, 51091],
    [{ $switch: { branches: [branch(false, 1)] } }, 40066],
    [{ $mergeObjects: ['$int'] }, 40400],
    [{ $in: [1, '$int'] }, 40081],
  ])('throws while evaluating a document: %j', (expression, code) => {
    expect(() => evaluate(expression)).toThrow(expect.objectContaining({ code }));
  });
});

describe('bounds', () => {
  const thousand = { $range: [0, 1000] };
  const loops = (depth: number): unknown =>
    depth === 0 ? 1 : { $reduce: { input: thousand, initialValue: 0, in: loops(depth - 1) } };

  test.each<[string, unknown, number]>([
    ['a huge range', { $range: [0, 2_000_000_000] }, 146],
    ['nested loops', loops(4), 146],
    ['an array that doubles', { $reduce: { input: thousand, initialValue: [1], in: ['$$value', '$$value'] } }, 10334],
    [
      'a string that doubles',
      { $reduce: { input: thousand, initialValue: 'x', in: { $concat: ['$$value', '$$value'] } } },
      10334,
    ],
    ['a pattern that backtracks', { $regexMatch: { input: `${'a'.repeat(60)}!`, regex: '(a+)+$' } }, 51156],
  ])('%s is refused', (_, expression, code) => {
    expect(() => evaluate(expression)).toThrow(expect.objectContaining({ code }));
  });
});

test('compares two fields in the $expr of a query, with missing ones lowest', () => {
  const filter = compileFilter(decode(encode({ $expr: { $gt: ['$a', '$b'] } })));
  expect(filter(decode(encode({ a: 2, b: 1 })))).toBe(true);
  expect(filter(decode(encode({ a: 1 })))).toBe(true);
  expect(filter(decode(encode({ b: 1 })))).toBe(false);
});
