import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Decimal128,
  type Document,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
} from 'bson';
import { describe, expect, test } from 'vitest';
import { encode } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { compileFilter } from './matcher.ts';

const stored = (document: Document) => decode(encode(document));
const matches = (filter: Document, document: Document) => compileFilter(stored(filter))(stored(document));

const id = new ObjectId();
const big = Long.fromString('9007199254740993');

/** Queries with matching and other documents. */
const cases: [string, Document, Document[], Document[]][] = [
  ['everything', {}, [{}, { a: 1 }], []],
  [
    'equality',
    { a: 1 },
    [{ a: 1 }, { a: new Double(1) }, { a: Long.fromNumber(1) }, { a: Decimal128.fromString('1.0') }, { a: [2, 1] }],
    [{}, { a: '1' }, { a: true }, { a: [[1]] }, { a: { 0: 1 } }],
  ],
  [
    'equality of long beyond double',
    { a: big },
    [{ a: big }, { a: Decimal128.fromString('9007199254740993') }],
    [{ a: new Double(9007199254740992) }],
  ],
  ['string', { a: 'x' }, [{ a: 'x' }, { a: new BSONSymbol('x') }, { a: ['y', 'x'] }], [{ a: 'X' }, { a: ['y'] }]],
  ['id', { _id: id }, [{ _id: id }], [{ _id: new ObjectId() }, { _id: id.toHexString() }]],
  ['boolean', { a: true }, [{ a: true }], [{ a: 1 }, { a: false }]],
  ['date', { a: new Date(5) }, [{ a: new Date(5) }], [{ a: 5 }, { a: new Date(6) }]],
  ['null', { a: null }, [{}, { a: null }, { a: [1, null] }], [{ a: 0 }, { a: [] }, { a: false }]],
  [
    'null on a path',
    { 'a.b': null },
    [{}, { a: {} }, { a: 5 }, { a: { b: null } }, { a: [{}, { b: 1 }] }],
    [{ a: { b: 1 } }, { a: [] }, { a: [1, 2] }, { a: [{ b: 1 }] }],
  ],
  ['whole array', { a: [1, 2] }, [{ a: [1, 2] }, { a: [[1, 2]] }], [{ a: [2, 1] }, { a: [1] }, { a: 1 }]],
  ['empty array', { a: [] }, [{ a: [] }, { a: [[]] }], [{}, { a: [1] }]],
  [
    'whole document, with its order',
    { a: { b: 1, c: 2 } },
    [{ a: { b: 1, c: 2 } }, { a: [{ b: 1, c: 2 }] }],
    [{ a: { c: 2, b: 1 } }, { a: { b: 1 } }, { a: { b: 1, c: 2, d: 3 } }],
  ],
  [
    'binary',
    { a: new Binary(Buffer.from('ab')) },
    [{ a: new Binary(Buffer.from('ab')) }],
    [{ a: new Binary(Buffer.from('ab'), 5) }, { a: 'ab' }],
  ],
  [
    'dotted path',
    { 'a.b': 1 },
    [{ a: { b: 1 } }, { a: [{ b: 2 }, { b: 1 }] }, { a: { b: [1] } }],
    [{ a: { b: 2 } }, { a: 1 }, { 'a.b': 2 }, { a: [[{ b: 1 }]] }],
  ],
  [
    'index in a path',
    { 'a.1': 5 },
    [{ a: [1, 5] }, { a: { 1: 5 } }, { a: [{ 1: 5 }] }],
    [{ a: [5] }, { a: [1, [5]] }, { a: [5, 1] }],
  ],
  ['index and on', { 'a.0.b': 1 }, [{ a: [{ b: 1 }] }, { a: [[{ b: 1 }]] }], [{ a: [{ b: 2 }, { b: 1 }] }]],
  ['array at an index', { 'a.0': [1] }, [{ a: [[1]] }], [{ a: [1] }]],
  ['index into a nested array', { 'a.0.1': 7 }, [{ a: [[6, 7]] }], [{ a: [6, 7] }]],
  ['$eq and $ne', { a: { $ne: 1 } }, [{}, { a: 2 }, { a: null }, { a: [2] }], [{ a: 1 }, { a: [2, 1] }]],
  ['$ne null', { a: { $ne: null } }, [{ a: 1 }, { a: [] }], [{}, { a: null }, { a: [null] }]],
  [
    '$gt',
    { a: { $gt: 1 } },
    [{ a: 2 }, { a: new Double(1.1) }, { a: [0, 2] }, { a: Decimal128.fromString('1E+3') }],
    [{ a: 1 }, { a: '2' }, {}, { a: null }, { a: new Date() }, { a: Number.NaN }],
  ],
  ['$gte', { a: { $gte: 'b' } }, [{ a: 'b' }, { a: 'c' }], [{ a: 'a' }, { a: 5 }, { a: new MaxKey() }]],
  [
    '$lt',
    { a: { $lt: new Date(10) } },
    [{ a: new Date(9) }, { a: [new Date(9), 'x'] }],
    [{ a: new Date(10) }, { a: 5 }],
  ],
  ['$lte null', { a: { $lte: null } }, [{}, { a: null }], [{ a: 1 }]],
  ['$gt null', { a: { $gt: null } }, [], [{}, { a: null }, { a: 1 }]],
  ['$gt MinKey', { a: { $gt: new MinKey() } }, [{ a: 1 }, { a: null }], [{ a: new MinKey() }]],
  ['$lte MaxKey', { a: { $lte: new MaxKey() } }, [{ a: 1 }, { a: new MaxKey() }], []],
  ['$gte NaN', { a: { $gte: Number.NaN } }, [{ a: Number.NaN }, { a: Decimal128.fromString('NaN') }], [{ a: 1 }]],
  ['$gt array', { a: { $gt: [1, 2] } }, [{ a: [1, 3] }, { a: [2] }], [{ a: [1, 2] }, { a: 9 }]],
  ['two bounds by different elements', { a: { $gt: 1, $lt: 3 } }, [{ a: 2 }, { a: [0, 5] }], [{ a: [5] }]],
  [
    '$in',
    { a: { $in: [1, 'x', null, new BSONRegExp('^y', '')] } },
    [{ a: 1 }, { a: 'x' }, {}, { a: 'yes' }, { a: [7, 'x'] }],
    [{ a: 2 }, { a: 'no' }],
  ],
  [
    'long $in',
    { a: { $in: [1, 2, 3, 'a', 'b', 'c', null, [9], id] } },
    [{ a: new Double(3) }, { a: 'c' }, {}, { a: [9] }, { a: id }, { a: new BSONSymbol('b') }],
    [{ a: 4 }, { a: 'd' }, { a: 9 }],
  ],
  ['empty $in', { a: { $in: [] } }, [], [{}, { a: 1 }]],
  ['$nin', { a: { $nin: [1, null] } }, [{ a: 2 }], [{ a: 1 }, {}, { a: [3, 1] }]],
  ['$exists', { a: { $exists: true } }, [{ a: null }, { a: [] }], [{}]],
  [
    '$exists false',
    { 'a.b': { $exists: false } },
    [{}, { a: [] }, { a: [1] }, { a: [{}] }],
    [{ a: { b: null } }, { a: [{}, { b: 1 }] }],
  ],
  ['$exists 0', { a: { $exists: 0 } }, [{}], [{ a: 1 }]],
  ['$type by name', { a: { $type: 'string' } }, [{ a: 'x' }, { a: [1, 'x'] }], [{ a: 1 }, {}]],
  ['$type array', { a: { $type: 'array' } }, [{ a: [] }, { a: [1] }], [{ a: 1 }]],
  [
    '$type number',
    { a: { $type: 'number' } },
    [{ a: 1 }, { a: 1.5 }, { a: Long.ONE }, { a: Decimal128.fromString('1') }],
    [{ a: '1' }],
  ],
  [
    '$type list',
    { a: { $type: [7, 'binData', -1] } },
    [{ a: id }, { a: new Binary(Buffer.from('x')) }, { a: new MinKey() }],
    [{ a: {} }],
  ],
  ['$type long', { a: { $type: 'long' } }, [{ a: Long.ONE }], [{ a: 1 }]],
  ['$and', { $and: [{ a: 1 }, { b: 2 }] }, [{ a: 1, b: 2 }], [{ a: 1 }, { b: 2 }]],
  ['$or', { $or: [{ a: 1 }, { b: 2 }] }, [{ a: 1 }, { b: 2 }], [{ a: 2 }]],
  ['$nor', { $nor: [{ a: 1 }, { b: 2 }] }, [{}, { a: 2 }], [{ a: 1 }, { b: 2 }]],
  ['$not', { a: { $not: { $gt: 1 } } }, [{}, { a: 1 }, { a: 'x' }], [{ a: 2 }, { a: [0, 2] }]],
  ['$not regex', { a: { $not: new BSONRegExp('x', '') } }, [{}, { a: 'y' }, { a: 1 }], [{ a: 'x' }]],
  ['$not of two', { a: { $not: { $gt: 1, $lt: 5 } } }, [{ a: 9 }, { a: 0 }], [{ a: 2 }]],
  [
    'pattern',
    { a: new BSONRegExp('^ab+$', 'i') },
    [{ a: 'ABB' }, { a: ['z', 'ab'] }, { a: new BSONRegExp('^ab+$', 'i') }],
    [{ a: 'a' }, { a: 1 }, { a: new BSONRegExp('^ab+$', '') }],
  ],
  ['$regex and $options', { a: { $regex: 'a b # comment', $options: 'xi' } }, [{ a: 'AB' }], [{ a: 'a b' }]],
  ['$options first', { a: { $options: 'i', $regex: 'x' } }, [{ a: 'X' }], [{ a: 'y' }]],
  ['$regex of a pattern', { a: { $regex: new BSONRegExp('^a.c$', 's') } }, [{ a: 'a\nc' }], [{ a: 'abbc' }]],
  [
    '$eq of a pattern is itself',
    { a: { $eq: new BSONRegExp('x', '') } },
    [{ a: new BSONRegExp('x', '') }],
    [{ a: 'x' }],
  ],
  [
    '$mod',
    { a: { $mod: [4, 1] } },
    [{ a: 5 }, { a: 5.9 }, { a: Long.fromNumber(9) }, { a: [0, 1] }],
    [{ a: 4 }, { a: '5' }, {}, { a: Number.POSITIVE_INFINITY }],
  ],
  ['$mod negative', { a: { $mod: [4, -1] } }, [{ a: -5 }, { a: Decimal128.fromString('-5.5') }], [{ a: 5 }]],
  ['$size', { a: { $size: 2 } }, [{ a: [1, [2, 3]] }], [{ a: [1] }, { a: 2 }, {}, { a: [[1, 2]] }]],
  ['$all', { a: { $all: [1, new BSONRegExp('^x', '')] } }, [{ a: ['xy', 1] }], [{ a: [1] }, { a: 1 }]],
  ['$all of one', { a: { $all: [1] } }, [{ a: 1 }, { a: [1, 2] }], [{ a: 2 }]],
  ['$all of an array', { a: { $all: [[1, 2]] } }, [{ a: [1, 2] }, { a: [[1, 2]] }], [{ a: [1] }]],
  ['$all of nothing', { a: { $all: [] } }, [], [{}, { a: [] }, { a: 1 }]],
  [
    '$all of $elemMatch',
    { a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } },
    [{ a: [{ b: 1 }, { b: 2 }] }],
    [{ a: [{ b: 1 }] }],
  ],
  [
    '$elemMatch of documents',
    { a: { $elemMatch: { b: 1, c: 2 } } },
    [{ a: [{ b: 1, c: 2 }] }],
    [{ a: [{ b: 1 }, { c: 2 }] }, { a: { b: 1, c: 2 } }],
  ],
  ['$elemMatch of values', { a: { $elemMatch: { $gt: 1, $lt: 3 } } }, [{ a: [0, 2] }], [{ a: [0, 5] }, { a: 2 }]],
  ['$elemMatch with $not', { a: { $elemMatch: { $not: { $gt: 1 } } } }, [{ a: [5, 1] }], [{ a: [5] }, { a: [] }]],
  ['$elemMatch with $ne and $in', { a: { $elemMatch: { $ne: 1, $in: [1, 2] } } }, [{ a: [1, 2] }], [{ a: [1, 3] }]],
  ['$elemMatch in $elemMatch', { a: { $elemMatch: { $elemMatch: { $gt: 1 } } } }, [{ a: [[1, 2]] }], [{ a: [1, 2] }]],
  [
    '$elemMatch with $or',
    { a: { $elemMatch: { $or: [{ b: 1 }, { c: 1 }] } } },
    [{ a: [{ c: 1 }] }],
    [{ a: [{ d: 1 }] }],
  ],
  ['$elemMatch of arrays by index', { a: { $elemMatch: { 0: 5 } } }, [{ a: [[5, 6]] }], [{ a: [[6, 5]] }]],
  [
    '$elemMatch on a path',
    { 'a.b': { $elemMatch: { $eq: 2 } } },
    [{ a: { b: [1, 2] } }, { a: [{ b: [2] }] }],
    [{ a: { b: 2 } }],
  ],
  ['empty $elemMatch', { a: { $elemMatch: {} } }, [{ a: [{}] }], [{ a: [1] }, { a: [] }]],
  [
    '$bitsAllSet by mask',
    { a: { $bitsAllSet: 5 } },
    [{ a: 5 }, { a: 7 }, { a: Long.fromNumber(13) }, { a: 5.0 }, { a: -1 }],
    [{ a: 4 }, { a: 5.5 }, { a: '5' }],
  ],
  ['$bitsAllClear by positions', { a: { $bitsAllClear: [0, 2] } }, [{ a: 2 }, { a: 0 }], [{ a: 1 }, { a: -1 }]],
  [
    '$bitsAnySet by binary',
    { a: { $bitsAnySet: new Binary(Buffer.from([0, 1])) } },
    [{ a: 256 }, { a: new Binary(Buffer.from([9, 1])) }],
    [{ a: 255 }],
  ],
  [
    '$bitsAnyClear beyond the sign',
    { a: { $bitsAnyClear: [200] } },
    [{ a: 1 }, { a: new Binary(Buffer.from([255])) }],
    [{ a: -1 }],
  ],
  ['$comment', { a: 1, $comment: 'why' }, [{ a: 1 }], [{ a: 2 }]],
  [
    'names of Object.prototype are fields',
    { constructor: null, toString: { $exists: false } },
    [{}],
    [{ constructor: 1 }],
  ],
  [
    'a reference is a value',
    { a: { $ref: 'x', $id: 1 } },
    [{ a: { $ref: 'x', $id: 1 } }],
    [{ a: { $ref: 'x', $id: 2 } }],
  ],
  ['a part of a reference', { 'a.$id': 1 }, [{ a: { $ref: 'x', $id: 1 } }], [{ a: { $ref: 'x', $id: 2 } }]],
];

describe('compileFilter', () => {
  describe.each(cases)('%s', (_name, filter, yes, no) => {
    test.each(yes.map((document) => [document]))('matches %j', (document) => {
      expect(matches(filter, document)).toBe(true);
    });
    test.each(no.map((document) => [document]))('does not match %j', (document) => {
      expect(matches(filter, document)).toBe(false);
    });
  });

  test('reads own fields called __proto__, and only own ones', () => {
    const filter = JSON.parse('{"__proto__.admin": true}');
    expect(compileFilter(filter)({})).toBe(false);
    expect(compileFilter(filter)(JSON.parse('{"__proto__": {"admin": true}}'))).toBe(true);
    expect(compileFilter({ '__proto__.hasOwnProperty': { $exists: true } })({})).toBe(false);
  });

  test('ignores a _bsontype in a document', () => {
    const document = { a: { _bsontype: 'Int32', value: 1 } };
    expect(compileFilter({ a: { $type: 'object' } })(document)).toBe(true);
    expect(compileFilter(stored({ a: 1 }))(document)).toBe(false);
  });

  test.each<[Document, number, string]>([
    [{ $foo: 1 }, 2, 'unknown top level operator: $foo'],
    [{ a: { $foo: 1 } }, 2, 'unknown operator: $foo'],
    [{ a: { $gt: 1, b: 2 } }, 2, 'unknown operator: b'],
    [{ $and: [] }, 2, 'nonempty array'],
    [{ $or: {} }, 2, 'must be an array'],
    [{ $or: [1] }, 2, 'full objects'],
    [{ a: { $in: 1 } }, 2, '$in needs an array'],
    [{ a: { $nin: 1 } }, 2, '$nin needs an array'],
    [{ a: { $in: [{ $gt: 1 }] } }, 2, 'cannot nest $ under $in'],
    [{ a: { $ne: new BSONRegExp('x', '') } }, 2, "Can't have regex"],
    [{ a: { $gt: new BSONRegExp('x', '') } }, 2, "Can't have RegEx"],
    [{ a: { $not: 1 } }, 2, '$not needs a regex or a document'],
    [{ a: { $not: {} } }, 2, '$not cannot be empty'],
    [{ a: { $size: 'x' } }, 2, '$size'],
    [{ a: { $size: 1.5 } }, 2, '$size'],
    [{ a: { $size: -1 } }, 2, 'non-negative'],
    [{ a: { $all: 1 } }, 2, '$all needs an array'],
    [{ a: { $all: [{ $gt: 1 }] } }, 2, 'no $ expressions in $all'],
    [{ a: { $elemMatch: 1 } }, 2, '$elemMatch needs an Object'],
    [{ a: { $mod: [1] } }, 2, 'not enough elements'],
    [{ a: { $mod: [0, 1] } }, 2, 'divisor cannot be 0'],
    [{ a: { $mod: ['x', 1] } }, 2, 'divisor not a number'],
    [{ a: { $type: 'nope' } }, 2, 'Unknown type name alias: nope'],
    [{ a: { $type: 99 } }, 2, 'Invalid numerical type code: 99'],
    [{ a: { $type: 'constructor' } }, 2, 'Unknown type name alias'],
    [{ a: { $type: [] } }, 9, 'at least one type'],
    [{ a: { $options: 'i' } }, 2, '$options needs a $regex'],
    [{ a: { $regex: 1 } }, 2, '$regex has to be a string'],
    [{ a: { $regex: '(' } }, 51091, 'Regular expression is invalid'],
    [{ a: { $regex: 'a', $options: 'g' } }, 51108, 'invalid flag'],
    [{ a: { $regex: new BSONRegExp('a', 'i'), $options: 'm' } }, 51075, 'options set in both'],
    [{ a: { $bitsAllSet: -1 } }, 9, 'non-negative'],
    [{ a: { $bitsAllSet: 'x' } }, 2, '$bitsAllSet'],
    [{ a: { $elemMatch: { $expr: 1 } } }, 2, '$expr can only be applied to the top-level document'],
    [{ $where: 'true' }, 115, '$where'],
    [{ $text: { $search: 'x' } }, 115, '$text'],
    [{ $jsonSchema: {} }, 115, '$jsonSchema'],
    [{ a: { $near: [0, 0] } }, 115, '$near'],
  ])('refuses %j', (filter, code, message) => {
    expect(() => compileFilter(stored(filter))).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  test('rejects queries that are nested too deeply', () => {
    let filter: Document = { a: 1 };
    for (let depth = 0; depth < 5000; depth += 1) filter = { $and: [filter] };
    expect(() => compileFilter(filter)).toThrow(expect.objectContaining({ code: 2 }));
    let operators: Document = { $gt: 1 };
    for (let depth = 0; depth < 5000; depth += 1) operators = { $not: operators };
    expect(() => compileFilter({ a: operators })).toThrow(expect.objectContaining({ code: 2 }));
  });

  test.each<[string, Document, Document, number | undefined]>([
    ['equality', { a: 5 }, { a: [1, 5, 5] }, 1],
    ['a range', { a: { $gt: 2 } }, { a: [1, 5] }, 1],
    ['a path', { 'a.b': 2 }, { a: [{ b: 1 }, { b: 2 }] }, 1],
    ['the outermost array', { 'a.b': 4 }, { a: [{ b: [9] }, { b: [3, 4] }] }, 1],
    ['$elemMatch', { a: { $elemMatch: { b: 1, c: 1 } } }, { a: [{ b: 1 }, { c: 1 }, { b: 1, c: 1 }] }, 2],
    ['$elemMatch below an array', { 'a.b': { $elemMatch: { $eq: 4 } } }, { a: [{ b: [] }, { b: [3, 4] }] }, 1],
    ['$in', { a: { $in: [7, 8] } }, { a: [1, 8] }, 1],
    ['the last of two arrays', { a: 1, b: 1 }, { a: [1], b: [0, 1] }, 1],
    ['the branch of $or that matched', { $or: [{ a: 9 }, { b: 1 }] }, { a: [1, 2], b: [0, 1] }, 1],
    ['no array', { a: 5 }, { a: 5 }, undefined],
    ['an index in the path', { 'a.1': 5 }, { a: [1, 5] }, undefined],
    ['a negation', { a: { $ne: 1 } }, { a: [2] }, undefined],
  ])('positional: %s', (_name, filter, document, index) => {
    expect(compileFilter(stored(filter)).positional(stored(document))).toBe(index);
  });
});
