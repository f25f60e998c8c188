import { BSONRegExp, Decimal128, type Document, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { compileFilter } from '../query/matcher.ts';
import { encode } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { compileUpdate, type UpdateOptions } from './update.ts';

const stored = (document: Document) => decode(encode(document));
/** Compares bytes, since types and field order count. */
const text = (document: Document) => Buffer.from(encode(document)).toString('latin1');
const long = (value: string | number) => Long.fromString(String(value));
const decimal = (value: string) => Decimal128.fromString(value);

/** A deeply frozen value cannot be modified unnoticed. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}

function apply(update: Document, before: Document, options: UpdateOptions = {}) {
  const arrayFilters = options.arrayFilters && (stored({ list: options.arrayFilters }).list as unknown);
  const compiled = compileUpdate(frozen(stored({ update }).update), { ...options, arrayFilters });
  const document = frozen(stored(before));
  const positional = options.filter && compileFilter(stored(options.filter)).positional(document);
  const result = compiled.apply(document, { isInsert: false, positional });
  expect(result.changed).toBe(result.doc !== document);
  return result;
}

/** Without `after`, the document must stay unchanged. */
type Case = [name: string, update: Document, before: Document, after?: Document | undefined, options?: UpdateOptions];

function table(cases: Case[]): void {
  test.each(cases)('%s', (_name, update, before, after, options) => {
    const { doc, changed } = apply(update, before, options);
    expect(text(doc)).toBe(text(stored(after ?? before)));
    expect(changed).toBe(after !== undefined);
  });
}

describe('$set and $unset', () => {
  table([
    ['a new field', { $set: { a: 1 } }, { _id: 1 }, { _id: 1, a: 1 }],
    ['in place', { $set: { a: 9 } }, { _id: 1, a: 1, b: 2 }, { _id: 1, a: 9, b: 2 }],
    ['the same', { $set: { a: { b: [1] } } }, { a: { b: [1] } }],
    ['the same number of another type', { $set: { a: new Double(1) } }, { a: 1 }, { a: new Double(1) }],
    ['the same fields in another order', { $set: { a: { y: 1, x: 1 } } }, { a: { x: 1, y: 1 } }, { a: { y: 1, x: 1 } }],
    ['null instead of missing', { $set: { a: null } }, {}, { a: null }],
    [
      'new fields in the order of their names',
      { $set: { b: 1, a: 2, 10: 1, 9: 1 } },
      { z: 1 },
      new Map([
        ['z', 1],
        ['9', 1],
        ['10', 1],
        ['a', 2],
        ['b', 1],
      ]),
    ],
    ['over several operators', { $set: { c: 1 }, $inc: { b: 1 }, $push: { a: 1 } }, {}, { a: [1], b: 1, c: 1 }],
    ['a path', { $set: { 'a.b.c': 1 } }, { a: { x: 1 } }, { a: { x: 1, b: { c: 1 } } }],
    ['two paths under one new field', { $set: { 'a.c': 1, 'a.b': 2 } }, {}, { a: { b: 2, c: 1 } }],
    ['an element', { $set: { 'a.1': 9 } }, { a: [1, 2] }, { a: [1, 9] }],
    ['an element beyond the end', { $set: { 'a.3': 9 } }, { a: [1] }, { a: [1, null, null, 9] }],
    ['a field in an element', { $set: { 'a.0.b': 9 } }, { a: [{ b: 1, c: 2 }] }, { a: [{ b: 9, c: 2 }] }],
    ['a field in a new element', { $set: { 'a.1.b': 9 } }, { a: [1] }, { a: [1, { b: 9 }] }],
    ['a number that is not an array index', { $set: { 'a.0': 1 } }, {}, { a: { 0: 1 } }],
    ['a nested name with a dollar sign', { $set: { 'a.$b': 1 } }, {}, { a: { $b: 1 } }],
    ['inside a name with a dollar sign', { $set: { '$a.b': 2 } }, { $a: { b: 1 } }, { $a: { b: 2 } }],
    ['$unset of a name with a dollar sign', { $unset: { $a: '' } }, { $a: 1, b: 1 }, { b: 1 }],
    ['a reference', { $set: { 'a.$id': 2 } }, { a: { $ref: 'x', $id: 1 } }, { a: { $ref: 'x', $id: 2 } }],
    ['nothing', { $set: {} }, { a: 1 }],
    ['$unset', { $unset: { a: '' } }, { a: 1, b: 2 }, { b: 2 }],
    ['$unset of a missing field', { $unset: { c: '', 'a.b': '', 'b.c.d': '' } }, { a: 1, b: {} }],
    ['$unset of an element', { $unset: { 'a.0': '' } }, { a: [1, 2] }, { a: [null, 2] }],
    ['$unset on a path', { $unset: { 'a.b': '' } }, { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
    ['$setOnInsert outside an insert', { $setOnInsert: { a: 1, 'b.c': 1 } }, { b: 5 }],
    ['the same _id', { $set: { _id: 1, a: 2 } }, { _id: 1 }, { _id: 1, a: 2 }],
  ]);

  test('sets __proto__ as a field and leaves prototypes alone', () => {
    const update = JSON.parse('{"$set": {"__proto__.polluted": true, "constructor.prototype.polluted": true}}');
    const { doc } = compileUpdate(update).apply({ _id: 1 }, { isInsert: false });
    expect(JSON.stringify(doc)).toBe(
      '{"_id":1,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
    expect(({} as Document).polluted).toBeUndefined();
    const unset = JSON.parse('{"$unset": {"__proto__.toString": ""}}');
    expect(compileUpdate(unset).apply({ a: 1 }, { isInsert: false }).changed).toBe(false);
    expect(typeof {}.toString).toBe('function');
  });
});

describe('arithmetic', () => {
  const max = '9223372036854775807';
  table([
    ['int and int', { $inc: { a: 2 } }, { a: 1 }, { a: new Int32(3) }],
    ['int over 31 bits', { $inc: { a: 1 } }, { a: 2147483647 }, { a: long('2147483648') }],
    ['int and long', { $inc: { a: long(2) } }, { a: 1 }, { a: long(3) }],
    ['long and int', { $inc: { a: 2 } }, { a: long(1) }, { a: long(3) }],
    ['long beyond double', { $inc: { a: 1 } }, { a: long('9007199254740993') }, { a: long('9007199254740994') }],
    ['int and double', { $inc: { a: 0.5 } }, { a: 1 }, { a: new Double(1.5) }],
    ['double with a whole result', { $inc: { a: 0.5 } }, { a: 1.5 }, { a: new Double(2) }],
    ['decimal', { $inc: { a: decimal('0.1') } }, { a: decimal('0.2') }, { a: decimal('0.3') }],
    ['decimal and int', { $inc: { a: 1 } }, { a: decimal('1.50') }, { a: decimal('2.50') }],
    ['decimal and double by 15 digits', { $inc: { a: 0.1 } }, { a: decimal('1') }, { a: decimal('1.100000000000000') }],
    [
      'decimal rounded half to even',
      { $inc: { a: decimal('1.5') } },
      { a: decimal('1000000000000000000000000000000002') },
      { a: decimal('1000000000000000000000000000000004') },
    ],
    ['a missing field', { $inc: { a: long(5), 'b.c': 1.5 } }, {}, { a: long(5), b: { c: new Double(1.5) } }],
    ['by zero', { $inc: { a: 0 } }, { a: 5 }],
    ['zero of another type', { $inc: { a: long(0) } }, { a: 5 }, { a: long(5) }],
    [
      'down to the lowest',
      { $inc: { a: -1 } },
      { a: long('-9223372036854775807') },
      { a: long('-9223372036854775808') },
    ],
    ['$mul of ints', { $mul: { a: 3 } }, { a: 2 }, { a: new Int32(6) }],
    ['$mul over 31 bits', { $mul: { a: 2147483647 } }, { a: 2147483647 }, { a: long('4611686014132420609') }],
    ['$mul by double', { $mul: { a: 0.5 } }, { a: 5 }, { a: new Double(2.5) }],
    ['$mul of decimals', { $mul: { a: decimal('1.1') } }, { a: decimal('1.1') }, { a: decimal('1.21') }],
    ['$mul of infinity', { $mul: { a: 0 } }, { a: decimal('Infinity') }, { a: decimal('NaN') }],
    [
      '$mul of a missing field',
      { $mul: { a: 2, b: long(2), c: 1.5, d: decimal('2') } },
      {},
      { a: new Int32(0), b: long(0), c: new Double(0), d: decimal('0') },
    ],
    ['$min', { $min: { a: 1, b: 5, c: 3 } }, { a: 2, b: 4 }, { a: 1, b: 4, c: 3 }],
    ['$max', { $max: { a: 3, b: 3 } }, { a: 2, b: 4 }, { a: 3, b: 4 }],
    ['$max of an equal number of another type', { $max: { a: new Double(2) } }, { a: 2 }],
    ['$max across types', { $max: { a: 'x' }, $min: { b: null } }, { a: 5, b: 5 }, { a: 'x', b: null }],
    ['$bit and', { $bit: { a: { and: 10 } } }, { a: 13 }, { a: new Int32(8) }],
    ['$bit or, xor', { $bit: { a: { or: 5 }, b: { xor: 5 } } }, { a: 3, b: 1 }, { a: new Int32(7), b: new Int32(4) }],
    ['$bit with long', { $bit: { a: { or: long(1) } } }, { a: 2 }, { a: long(3) }],
    ['$bit of a missing field', { $bit: { a: { or: 5 } } }, {}, { a: new Int32(5) }],
    ['$bit of negative', { $bit: { a: { and: -2 } } }, { a: -1 }, { a: new Int32(-2) }],
  ]);

  test('fails if the result exceeds 64 bits', () => {
    expect(() => apply({ $inc: { a: 1 } }, { _id: 1, a: long(max) })).toThrow(expect.objectContaining({ code: 2 }));
    expect(() => apply({ $mul: { a: 2 } }, { _id: 1, a: long(max) })).toThrow(expect.objectContaining({ code: 2 }));
  });
});

describe('$rename and $currentDate', () => {
  table([
    ['a field', { $rename: { a: 'b' } }, { a: 1, c: 2 }, { c: 2, b: 1 }],
    ['over a field', { $rename: { a: 'b' } }, { a: 1, b: 2, c: 3 }, { b: 1, c: 3 }],
    ['to a path', { $rename: { a: 'x.y' } }, { a: [1] }, { x: { y: [1] } }],
    ['out of a path', { $rename: { 'a.b': 'c' } }, { a: { b: 1 } }, { a: {}, c: 1 }],
    ['a missing field', { $rename: { a: 'b.c' } }, { b: 5 }],
    ['a missing element', { $rename: { 'a.5': 'b' } }, { a: [1] }],
    ['beside others', { $rename: { a: 'b' }, $set: { c: 1 } }, { a: 1 }, { b: 1, c: 1 }],
    ['to the same value', { $rename: { a: 'b' } }, { a: 1, b: 1 }, { b: 1 }],
  ]);

  test('$currentDate sets dates and timestamps', () => {
    const before = Date.now();
    const { doc } = apply(
      { $currentDate: { a: true, b: { $type: 'date' }, c: { $type: 'timestamp' }, d: { $type: 'timestamp' } } },
      {},
    );
    expect(doc.a).toBeInstanceOf(Date);
    expect(doc.b.getTime()).toBeGreaterThanOrEqual(before);
    expect(doc.c).toBeInstanceOf(Timestamp);
    expect(doc.d.compare(doc.c)).toBeGreaterThan(0);
  });
});

describe('arrays', () => {
  table([
    ['$push', { $push: { a: 3 } }, { a: [1, 2] }, { a: [1, 2, 3] }],
    ['$push of an array', { $push: { a: [3] } }, { a: [1] }, { a: [1, [3]] }],
    ['$push to a missing field', { $push: { 'a.b': 1 } }, {}, { a: { b: [1] } }],
    ['$push to an array in an element', { $push: { 'a.0.b': 2 } }, { a: [{ b: [1] }] }, { a: [{ b: [1, 2] }] }],
    ['$each', { $push: { a: { $each: [2, 3] } } }, { a: [1] }, { a: [1, 2, 3] }],
    ['$each without values', { $push: { a: { $each: [] } } }, { a: [1] }],
    ['$each without values on a missing field', { $push: { a: { $each: [] } } }, {}, { a: [] }],
    ['$position', { $push: { a: { $each: [8, 9], $position: 1 } } }, { a: [1, 2] }, { a: [1, 8, 9, 2] }],
    ['$position from the end', { $push: { a: { $each: [9], $position: -1 } } }, { a: [1, 2] }, { a: [1, 9, 2] }],
    [
      '$position beyond both ends',
      { $push: { a: { $each: [8], $position: 99 }, b: { $each: [8], $position: -99 } } },
      { a: [1], b: [1] },
      { a: [1, 8], b: [8, 1] },
    ],
    ['$slice', { $push: { a: { $each: [3], $slice: 1 } } }, { a: [1, 2] }, { a: [1] }],
    ['$slice from the end', { $push: { a: { $each: [3], $slice: -2 } } }, { a: [1, 2] }, { a: [2, 3] }],
    ['$slice to none', { $push: { a: { $each: [3], $slice: 0 } } }, { a: [1, 2] }, { a: [] }],
    ['$sort of values', { $push: { a: { $each: [2], $sort: 1 } } }, { a: [3, 1] }, { a: [1, 2, 3] }],
    ['$sort descending', { $push: { a: { $each: [], $sort: -1 } } }, { a: [1, 3, 2] }, { a: [3, 2, 1] }],
    [
      '$sort by fields',
      { $push: { a: { $each: [{ n: 1, m: 2 }], $sort: { n: 1, m: -1 } } } },
      { a: [{ n: 2 }, { n: 1, m: 1 }, 5] },
      { a: [5, { n: 1, m: 2 }, { n: 1, m: 1 }, { n: 2 }] },
    ],
    ['$sort, then $slice', { $push: { a: { $each: [5], $sort: -1, $slice: 2 } } }, { a: [9, 1] }, { a: [9, 5] }],
    ['$addToSet', { $addToSet: { a: 2 } }, { a: [1] }, { a: [1, 2] }],
    ['$addToSet of an existing element', { $addToSet: { a: new Double(1) } }, { a: [1] }],
    [
      '$addToSet of a document',
      { $addToSet: { a: { x: 1, y: 2 } } },
      { a: [{ y: 2, x: 1 }] },
      {
        a: [
          { y: 2, x: 1 },
          { x: 1, y: 2 },
        ],
      },
    ],
    ['$addToSet of several', { $addToSet: { a: { $each: [1, 2, 2, 3] } } }, { a: [1] }, { a: [1, 2, 3] }],
    ['$addToSet to a missing field', { $addToSet: { a: { $each: [1, 1] } } }, {}, { a: [1] }],
    ['$pop', { $pop: { a: 1, b: -1 } }, { a: [1, 2], b: [1, 2] }, { a: [1], b: [2] }],
    ['$pop of an empty array', { $pop: { a: 1, c: 1 } }, { a: [] }],
    ['$pull of a value', { $pull: { a: 1 } }, { a: [1, 2, new Double(1), [1]] }, { a: [2, [1]] }],
    ['$pull by condition', { $pull: { a: { $gte: 2 } } }, { a: [1, 2, 3] }, { a: [1] }],
    ['$pull by $in', { $pull: { a: { $in: [1, 'x'] } } }, { a: [1, 2, 'x'] }, { a: [2] }],
    ['$pull by regular expression', { $pull: { a: new BSONRegExp('^x', '') } }, { a: ['xy', 'y', 5] }, { a: ['y', 5] }],
    [
      '$pull by query',
      { $pull: { a: { b: 1, c: { $gt: 1 } } } },
      { a: [{ b: 1, c: 2, d: 3 }, { b: 1, c: 1 }, 5] },
      { a: [{ b: 1, c: 1 }, 5] },
    ],
    ['$pull by $or', { $pull: { a: { $or: [{ b: 1 }, { b: 2 }] } } }, { a: [{ b: 1 }, { b: 3 }] }, { a: [{ b: 3 }] }],
    ['$pull of an array', { $pull: { a: [1, 2] } }, { a: [[1, 2], 1, [2, 1]] }, { a: [1, [2, 1]] }],
    [
      '$pull by $elemMatch',
      { $pull: { a: { l: { $elemMatch: { x: 1 } } } } },
      { a: [{ l: [{ x: 1 }] }, { l: [] }] },
      { a: [{ l: [] }] },
    ],
    ['$pull without a match', { $pull: { a: 9, b: 1, 'c.d': 1 } }, { a: [1], c: {} }],
    ['$pullAll', { $pullAll: { a: [1, null] } }, { a: [1, null, 2, 1] }, { a: [2] }],
  ]);
});

test('pushes more values than a call may have arguments', () => {
  const many = Array.from({ length: 300_000 }, () => true);
  const { doc } = compileUpdate({ $push: { a: { $each: many } } }).apply({ a: [false] }, { isInsert: false });
  expect(doc.a).toHaveLength(300_001);
});

describe('positional operators', () => {
  table([
    ['$', { $set: { 'a.$': 9 } }, { a: [1, 2, 3] }, { a: [1, 9, 3] }, { filter: { a: 2 } }],
    [
      '$ and on',
      { $inc: { 'a.$.n': 1 } },
      { a: [{ n: 1 }, { n: 5 }] },
      { a: [{ n: 1 }, { n: 6 }] },
      { filter: { 'a.n': 5 } },
    ],
    [
      '$ in two operators',
      { $set: { 'a.$.x': 1 }, $unset: { 'a.$.y': '' } },
      { a: [{ y: 1 }] },
      { a: [{ x: 1 }] },
      { filter: { 'a.y': 1 } },
    ],
    [
      '$ by $elemMatch',
      { $set: { 'a.$.z': 1 } },
      { a: [{ x: 1 }, { x: 1, y: 1 }] },
      { a: [{ x: 1 }, { x: 1, y: 1, z: 1 }] },
      { filter: { a: { $elemMatch: { x: 1, y: 1 } } } },
    ],
    ['$unset of $', { $unset: { 'a.$': '' } }, { a: [1, 2] }, { a: [1, null] }, { filter: { a: 2 } }],
    ['$[]', { $inc: { 'a.$[]': 1 } }, { a: [1, 2] }, { a: [2, 3] }],
    ['$[] of none', { $inc: { 'a.$[]': 1 } }, { a: [] }],
    ['$[] and on', { $set: { 'a.$[].x': 1 } }, { a: [{ x: 1 }, { x: 2 }, {}] }, { a: [{ x: 1 }, { x: 1 }, { x: 1 }] }],
    [
      '$[] twice',
      { $mul: { 'a.$[].b.$[]': 2 } },
      { a: [{ b: [1, 2] }, { b: [3] }] },
      { a: [{ b: [2, 4] }, { b: [6] }] },
    ],
    ['$[] with $push and $pull', { $push: { 'a.$[].l': 1 } }, { a: [{ l: [] }, {}] }, { a: [{ l: [1] }, { l: [1] }] }],
    ['$[i]', { $set: { 'a.$[i]': 0 } }, { a: [1, 5, 9] }, { a: [1, 0, 0] }, { arrayFilters: [{ i: { $gt: 3 } }] }],
    [
      '$[i] by a field',
      { $set: { 'a.$[i].n': 0 } },
      {
        a: [
          { k: 1, n: 1 },
          { k: 2, n: 1 },
        ],
      },
      {
        a: [
          { k: 1, n: 1 },
          { k: 2, n: 0 },
        ],
      },
      { arrayFilters: [{ 'i.k': 2 }] },
    ],
    ['$[i] without a match', { $set: { 'a.$[i]': 0 } }, { a: [1] }, undefined, { arrayFilters: [{ i: 9 }] }],
    [
      'two identifiers',
      { $set: { 'a.$[x].b.$[y]': 0 } },
      {
        a: [
          { k: 1, b: [1, 2] },
          { k: 2, b: [1, 2] },
        ],
      },
      {
        a: [
          { k: 1, b: [1, 2] },
          { k: 2, b: [1, 0] },
        ],
      },
      { arrayFilters: [{ 'x.k': 2 }, { y: { $gte: 2 } }] },
    ],
    [
      '$or in a filter',
      { $set: { 'a.$[i].n': 0 } },
      { a: [{ p: 1 }, { q: 1 }, { r: 1 }] },
      { a: [{ p: 1, n: 0 }, { q: 1, n: 0 }, { r: 1 }] },
      { arrayFilters: [{ $or: [{ 'i.p': 1 }, { 'i.q': 1 }] }] },
    ],
    [
      'two filters on different elements',
      { $set: { 'a.$[x].n': 1 }, $inc: { 'a.$[y].n': 10 } },
      { a: [{ k: 1 }, { k: 2, n: 1 }] },
      {
        a: [
          { k: 1, n: 1 },
          { k: 2, n: 11 },
        ],
      },
      { arrayFilters: [{ 'x.k': 1 }, { 'y.k': 2 }] },
    ],
    [
      '$ followed by $[]',
      { $set: { 'a.$.b.$[]': 0 } },
      {
        a: [
          { k: 1, b: [1] },
          { k: 2, b: [1, 1] },
        ],
      },
      {
        a: [
          { k: 1, b: [1] },
          { k: 2, b: [0, 0] },
        ],
      },
      { filter: { 'a.k': 2 } },
    ],
  ]);
});

describe('refusals', () => {
  const failures: [Document, Document, number, UpdateOptions?][] = [
    [{ $foo: { a: 1 } }, {}, 9],
    [{ $set: { a: 1 }, b: 1 }, {}, 9],
    [{ $set: 5 }, {}, 9],
    [{ constructor: 1, $set: {} }, {}, 52],
    [{ a: 1, $b: 2 }, {}, 52],
    [{ $set: { a: 1, 'a.b': 1 } }, {}, 40],
    [{ $set: { 'a.b': 1 }, $unset: { a: 1 } }, {}, 40],
    [{ $set: { a: 1 }, $inc: { a: 1 } }, {}, 40],
    [{ $setOnInsert: { a: 1 }, $inc: { a: 1 } }, {}, 40],
    [{ $rename: { a: 'b' }, $set: { b: 1 } }, {}, 40],
    [{ $rename: { a: 'b' }, $set: { 'a.x': 1 } }, {}, 40],
    [{ $set: { 'a.$[]': 1, 'a.0': 1 } }, { a: [1] }, 40],
    [{ $set: { 'a.$': 1, 'a.1': 1 } }, { a: [1, 2] }, 40, { filter: { a: 2 } }],
    [
      { $set: { 'a.$[x].n': 1, 'a.$[y].n': 2 } },
      { a: [{ p: 1, q: 1 }] },
      40,
      { arrayFilters: [{ 'x.p': 1 }, { 'y.q': 1 }] },
    ],
    [{ $set: { 'a.$[x]': 1, 'a.$[].n': 2 } }, { a: [{ p: 1 }] }, 40, { arrayFilters: [{ 'x.p': 1 }] }],
    [{ $set: { _id: 2 } }, { _id: 1 }, 66],
    [{ $set: { '_id.x': 2 } }, { _id: { x: 1 } }, 66],
    [{ $unset: { _id: 1 } }, { _id: 1 }, 66],
    [{ $inc: { _id: 1 } }, { _id: 1 }, 66],
    [{ $rename: { _id: 'a' } }, { _id: 1 }, 66],
    [{ _id: 2 }, { _id: 1 }, 66],
    [{ $set: { 'a.b': 1 } }, { a: 5 }, 28],
    [{ $set: { 'a.b': 1 } }, { a: [1] }, 28],
    [{ $set: { 'a.b': 1 } }, { a: null }, 28],
    [{ $pop: { 'a.b': 1 } }, { a: 5 }, 28],
    [{ $pull: { 'a.b': 1 } }, { a: 5 }, 28],
    [{ $pullAll: { 'a.b': [1] } }, { a: [] }, 28],
    [{ $rename: { 'a.b': 'c' } }, { a: 5 }, 28],
    [{ $rename: { 'a.b': 'c' } }, { a: [{ b: 1 }] }, 28],
    [{ $pull: { a: { $expr: true } } }, {}, 224],
    [{ $pull: { a: { b: 1, $or: [{ $expr: true }] } } }, {}, 224],
    [{ $set: { 'a.$[i]': 1 } }, {}, 224, { arrayFilters: [{ $and: [{ i: 1 }, { $expr: true }] }] }],
    [{ $set: { 'a.2000000': 1 } }, { a: [] }, 34],
    [{ $set: { '': 1 } }, {}, 56],
    [{ $set: { 'a.': 1 } }, {}, 56],
    [{ $set: { $a: 1 } }, {}, 52],
    [{ $set: { '$a.b': 1 } }, {}, 52],
    [{ $rename: { a: '$a' } }, { a: 1 }, 52],
    [{ $set: { $: 1 } }, {}, 2],
    [{ $set: { '$[]': 1 } }, {}, 2],
    [{ $set: { 'a.$.b.$': 1 } }, {}, 2],
    [{ $set: { 'a.$': 1 } }, { a: [1] }, 2],
    [{ $set: { 'a.$': 1 } }, { b: 1 }, 2, { filter: { b: 1 } }],
    [{ $set: { 'a.$[]': 1 } }, {}, 2],
    [{ $set: { 'a.$[]': 1 } }, { a: 1 }, 2],
    [{ $set: { 'a.$[i]': 1 } }, { a: [1] }, 2],
    [{ $set: { a: 1 } }, {}, 9, { arrayFilters: [{ i: 1 }] }],
    [{ $set: { 'a.$[i]': 1 } }, {}, 9, { arrayFilters: [{ i: 1 }, { i: 2 }] }],
    [{ $set: { 'a.$[i]': 1 } }, {}, 9, { arrayFilters: [{ i: 1, j: 2 }] }],
    [{ $set: { 'a.$[i]': 1 } }, {}, 9, { arrayFilters: [{}] }],
    [{ $set: { 'a.$[I]': 1 } }, {}, 2, { arrayFilters: [{ I: 1 }] }],
    [{ a: 1 }, {}, 9, { arrayFilters: [{ i: 1 }] }],
    [{ $inc: { a: 'x' } }, {}, 14],
    [{ $inc: { a: 1 } }, { a: 'x' }, 14],
    [{ $inc: { a: 1 } }, { a: null }, 14],
    [{ $mul: { a: null } }, {}, 14],
    [{ $push: { a: 1 } }, { a: 5 }, 2],
    [{ $push: { a: { $each: 1 } } }, {}, 2],
    [{ $push: { a: { $each: [], $foo: 1 } } }, {}, 2],
    [{ $push: { a: { $each: [], $slice: 1.5 } } }, {}, 2],
    [{ $push: { a: { $each: [], $position: 'x' } } }, {}, 2],
    [{ $push: { a: { $each: [], $sort: 2 } } }, {}, 2],
    [{ $push: { a: { $each: [], $sort: {} } } }, {}, 2],
    [{ $push: { a: { $each: [], $sort: { 'a..b': 1 } } } }, {}, 2],
    [{ $addToSet: { a: 1 } }, { a: 5 }, 2],
    [{ $addToSet: { a: { $each: [1], $slice: 1 } } }, {}, 2],
    [{ $addToSet: { a: { $each: 1 } } }, {}, 14],
    [{ $pop: { a: 2 } }, {}, 9],
    [{ $pop: { a: 'x' } }, {}, 9],
    [{ $pop: { a: 1 } }, { a: 5 }, 14],
    [{ $pull: { a: 1 } }, { a: 5 }, 2],
    [{ $pullAll: { a: 1 } }, {}, 2],
    [{ $pullAll: { a: [1] } }, { a: 5 }, 2],
    [{ $bit: { a: 1 } }, {}, 2],
    [{ $bit: { a: {} } }, {}, 2],
    [{ $bit: { a: { nor: 1 } } }, {}, 2],
    [{ $bit: { a: { and: 1.5 } } }, {}, 2],
    [{ $bit: { a: { and: 1 } } }, { a: 1.5 }, 2],
    [{ $rename: { a: 1 } }, {}, 2],
    [{ $rename: { a: 'a' } }, {}, 2],
    [{ $rename: { a: 'a.b' } }, {}, 2],
    [{ $rename: { 'a.$': 'b' } }, {}, 2],
    [{ $rename: { a: 'b.$[]' } }, {}, 2],
    [{ $rename: { 'a.0': 'b' } }, { a: [1] }, 2],
    [{ $rename: { b: 'a.0' } }, { a: [1], b: 1 }, 2],
    [{ $currentDate: { a: 'date' } }, {}, 2],
    [{ $currentDate: { a: { $type: 'x' } } }, {}, 2],
    [{ $currentDate: { a: { type: 'date' } } }, {}, 2],
  ];
  test.each(failures)('%j on %j: %d', (update, before, code, options) => {
    expect(() => apply(update, before, options)).toThrow(expect.objectContaining({ code }));
  });

  test('rejects updates that are not documents', () => {
    expect(() => compileUpdate('x')).toThrow(expect.objectContaining({ code: 9 }));
  });
});

describe('replacements', () => {
  table([
    ['keeps _id', { b: 1 }, { _id: 1, a: 1 }, { _id: 1, b: 1 }],
    ['puts _id first', { b: 1, _id: 1 }, { _id: 1 }, { _id: 1, b: 1 }],
    ['keeps the type of _id', { _id: new Double(1), b: 1 }, { _id: 1 }, { _id: new Int32(1), b: 1 }],
    ['the same', { a: 1 }, { _id: 1, a: 1 }],
    ['by nothing', {}, { _id: 1, a: 1 }, { _id: 1 }],
    [
      'keeps numeric names after _id',
      { 1: 'a' },
      new Map([['_id', 1]]),
      new Map<string, unknown>([
        ['_id', 1],
        ['1', 'a'],
      ]),
    ],
  ]);
});

describe('pipelines', () => {
  table([
    ['fields by expression', [{ $set: { b: '$a' } }, { $unset: 'a' }], { _id: 1, a: 2 }, { _id: 1, b: 2 }],
    ['keeps _id', [{ $replaceWith: { b: 1 } }], { _id: 1, a: 2 }, { _id: 1, b: 1 }],
    ['without effect', [{ $set: { a: '$a' } }], { _id: 1, a: 2 }],
    ['a name with a dollar sign', [{ $replaceWith: { $literal: { $a: 1 } } }], { _id: 1 }, { _id: 1, $a: 1 }],
  ]);

  test.each([
    [[{ $set: { _id: 2 } }], undefined, 66],
    [[{ $match: {} }], undefined, 72],
    [[{ $set: { a: 1 } }], [{ i: 1 }], 9],
  ])('%j with filters %j: %d', (update, arrayFilters, code) => {
    expect(() => apply(update, { _id: 1 }, { arrayFilters })).toThrow(expect.objectContaining({ code }));
  });
});

describe('upserts', () => {
  const upsert = (filter: Document, update: Document) => {
    const compiled = compileUpdate(stored({ update }).update, { filter: stored(filter) });
    const { doc, changed } = compiled.apply(compiled.seed(), { isInsert: true });
    expect(changed).toBe(true);
    return doc;
  };

  test.each<[Document, Document, Document]>([
    [{ _id: 1 }, { $set: { a: 1 } }, { _id: 1, a: 1 }],
    [{ b: 2, a: 1, _id: 5 }, { $set: { c: 1 } }, { _id: 5, a: 1, b: 2, c: 1 }],
    [{ _id: 1, a: { $eq: 2 }, b: { $gt: 1 }, c: new BSONRegExp('x', '') }, { $inc: { n: 1 } }, { _id: 1, a: 2, n: 1 }],
    [{ _id: 1, 'a.b': 2, 'a.c': 3 }, { $set: { x: 1 } }, { _id: 1, a: { b: 2, c: 3 }, x: 1 }],
    [{ $and: [{ _id: 1 }, { a: 2 }] }, { $set: { x: 1 } }, { _id: 1, a: 2, x: 1 }],
    [{ _id: 1, $or: [{ a: 2 }] }, { $set: { x: 1 } }, { _id: 1, a: 2, x: 1 }],
    [{ _id: 1, $or: [{ a: 2 }, { a: 3 }] }, { $set: { x: 1 } }, { _id: 1, x: 1 }],
    [{ _id: 1, a: { $in: [2, 3] }, b: { $all: [4] } }, { $set: { x: 1 } }, { _id: 1, b: 4, x: 1 }],
    [{ _id: 1, a: { x: 1, y: 2 } }, { $set: { 'a.z': 3 } }, { _id: 1, a: { x: 1, y: 2, z: 3 } }],
    [{ _id: 1, n: 5 }, { $inc: { n: 1 } }, { _id: 1, n: 6 }],
    [{ _id: 1, a: 2 }, { $set: { a: 3 } }, { _id: 1, a: 3 }],
    [{ _id: 1 }, { $setOnInsert: { a: 1, 'b.c': 2 }, $push: { l: 1 } }, { _id: 1, a: 1, b: { c: 2 }, l: [1] }],
    [{ a: 1 }, { $set: { _id: 7 } }, { _id: 7, a: 1 }],
    [{ '_id.x': 1, '_id.y': 2 }, { $set: { a: 1 } }, { _id: { x: 1, y: 2 }, a: 1 }],
    [{ _id: 1 }, { $set: { $a: 1 } }, { _id: 1, $a: 1 }],
    [{ _id: 1 }, { a: 1, $b: 2 }, { _id: 1, a: 1, $b: 2 }],
    [{ _id: 1, a: 1, 'a.b': 1 }, { b: 2 }, { _id: 1, b: 2 }],
    [{ _id: 1, a: { $eq: new BSONRegExp('x', '') } }, { $set: { b: 1 } }, { _id: 1, a: new BSONRegExp('x', ''), b: 1 }],
    [{ a: 1 }, { $setOnInsert: { _id: 7 } }, { _id: 7, a: 1 }],
    [{ _id: 1, a: 1 }, { b: 2 }, { _id: 1, b: 2 }],
    [{ a: 1 }, { b: 2, _id: 9 }, { _id: 9, b: 2 }],
    [{ _id: 1, a: null }, { $set: { x: 1 } }, { _id: 1, a: null, x: 1 }],
  ])('%j with %j', (filter, update, expected) => {
    expect(text(upsert(filter, update))).toBe(text(stored(expected)));
  });

  test('creates an ObjectId without an _id', () => {
    const updated = upsert({ a: 1 }, { $set: { b: 1 } });
    expect(Object.keys(updated)).toEqual(['_id', 'a', 'b']);
    expect(updated._id).toBeInstanceOf(ObjectId);
    const replaced = upsert({ a: 1 }, { b: 1 });
    expect(Object.keys(replaced)).toEqual(['_id', 'b']);
    expect(replaced._id).toBeInstanceOf(ObjectId);
    expect(upsert({}, { $set: {} })._id).toBeInstanceOf(ObjectId);
  });

  test.each<[Document, Document, number]>([
    [{ a: 1, $and: [{ a: 2 }] }, { $set: { x: 1 } }, 54],
    [{ a: { b: 1 }, 'a.b': 1 }, { $set: { x: 1 } }, 54],
    [{ a: { $all: [1, 2] } }, { $set: { x: 1 } }, 54],
    [{ '_id.x': 1 }, { x: 1 }, 111],
    [{ _id: 1, $and: [{ _id: 1 }] }, { x: 1 }, 54],
    [{ _id: 1 }, { $set: { _id: 2 } }, 66],
    [{ _id: 1 }, { _id: 2 }, 66],
    [{ a: 5 }, { $set: { 'a.b': 1 } }, 28],
    [{ a: 5 }, { $set: { 'a.$': 1 } }, 2],
  ])('%j with %j: %d', (filter, update, code) => {
    expect(() => upsert(filter, update)).toThrow(expect.objectContaining({ code }));
  });

  test('does not seed prototypes', () => {
    const filter = JSON.parse('{"_id": 1, "__proto__.admin": true}');
    const compiled = compileUpdate({ $set: { a: 1 } }, { filter });
    const { doc } = compiled.apply(compiled.seed(), { isInsert: true });
    expect(JSON.stringify(doc)).toBe('{"_id":1,"__proto__":{"admin":true},"a":1}');
    expect(doc.admin).toBeUndefined();
  });
});
