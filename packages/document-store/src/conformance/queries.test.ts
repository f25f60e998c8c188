import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import type { Collection, Db } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SharedStore, shareTestStore } from '../test-store.ts';

const shared: SharedStore = shareTestStore();
let database: Db;
let made = 0;

beforeAll(() => {
  database = shared.client.db('queries');
});

async function collectionOf(documents: Document[]): Promise<Collection> {
  made += 1;
  const collection = database.collection(`c${made}`);
  await collection.insertMany(documents.map((document, at) => ({ _id: at as never, ...document })));
  return collection;
}

const id = new ObjectId('65f000000000000000000001');
const decimal = (text: string) => Decimal128.fromString(text);

/** One value per type, in MongoDB's sort order. */
const everyType: [string, unknown][] = [
  ['minKey', new MinKey()],
  ['null', null],
  ['int', new Int32(1)],
  ['long', Long.fromNumber(2)],
  ['double', new Double(2.5)],
  ['decimal', decimal('3')],
  ['string', 'text'],
  ['symbol', new BSONSymbol('words')],
  ['object', { x: 1 }],
  ['binData', new Binary(Buffer.from('ab'))],
  ['objectId', id],
  ['bool', true],
  ['date', new Date(0)],
  ['timestamp', new Timestamp({ t: 5, i: 1 })],
  ['regex', new BSONRegExp('a', 'i')],
  ['javascript', new Code('f')],
  ['javascriptWithScope', new Code('f', { x: 1 })],
  ['maxKey', new MaxKey()],
];

/** A query, its documents, and the positions of those it finds. */
type Case = [what: string, documents: Document[], filter: Document, found: number[]];

const values = (...list: unknown[]): Document[] => list.map((v) => ({ v }));

const cases: Case[] = [
  // Comparison
  [
    'numbers are equal across their types',
    values(1, new Double(1), Long.ONE, decimal('1.00'), '1'),
    { v: 1 },
    [0, 1, 2, 3],
  ],
  [
    'a long beyond 2^53 is compared exactly',
    values(Long.fromString('9007199254740993'), 2 ** 53),
    { v: { $gt: 2 ** 53 } },
    [0],
  ],
  ['decimals are compared exactly', values(decimal('0.1'), 0.1, decimal('0.3')), { v: { $lte: decimal('0.1') } }, [0]],
  ['-0 equals 0', values(new Double(-0), 0), { v: 0 }, [0, 1]],
  ['NaN equals only NaN', values(Number.NaN, decimal('NaN'), 0), { v: Number.NaN }, [0, 1]],
  ['NaN is in no range', values(Number.NaN, 0, Number.NEGATIVE_INFINITY), { v: { $lt: 5 } }, [1, 2]],
  [
    'infinities of double and decimal are equal',
    values(Number.POSITIVE_INFINITY, decimal('Infinity')),
    { v: decimal('Infinity') },
    [0, 1],
  ],
  ['a range keeps to its type', values(5, '5', new Date(5), null, true), { v: { $gte: 0 } }, [0]],
  ['strings by their bytes', values('a', 'B', 'é', 'z', '😀'), { v: { $gt: 'a' } }, [2, 3, 4]],
  ['dates before 1970', values(new Date(-5000), new Date(5)), { v: { $lt: new Date(0) } }, [0]],
  ['booleans', values(false, true, 1), { v: { $gt: false } }, [1]],
  ['object ids', values(id, new ObjectId('65f000000000000000000000')), { v: { $gte: id } }, [0]],
  [
    'timestamps',
    values(new Timestamp({ t: 1, i: 2 }), new Timestamp({ t: 2, i: 0 })),
    { v: { $gt: new Timestamp({ t: 1, i: 9 }) } },
    [1],
  ],
  [
    'binary by length, then subtype',
    values(new Binary(Buffer.from('b')), new Binary(Buffer.from('aa')), new Binary(Buffer.from('a'), 5)),
    { v: { $gt: new Binary(Buffer.from('b')) } },
    [1, 2],
  ],
  ['documents field by field', values({ a: 1, b: 1 }, { a: 2 }, { b: 0 }), { v: { $gt: { a: 1, b: 1 } } }, [1, 2]],
  ['arrays as a whole', values([1, 2], [1, 3], [2]), { v: { $gt: [1, 2] } }, [1, 2]],
  ['a symbol equals its string', values(new BSONSymbol('x'), 'x'), { v: 'x' }, [0, 1]],
  ['code equals code, not a string', values(new Code('f'), 'f', new Code('f', { a: 1 })), { v: new Code('f') }, [0]],
  [
    'MinKey and MaxKey are beyond every type',
    values(new MinKey(), 1, 'a', new MaxKey()),
    { v: { $lt: new MaxKey(), $gt: new MinKey() } },
    [1, 2],
  ],
  ['$ne of a missing field', [{}, { v: 1 }, { v: [1, 2] }], { v: { $ne: 1 } }, [0]],
  [
    '$in with patterns, null and documents',
    values('abc', null, { x: 1 }, 7),
    { v: { $in: [/^a/, null, { x: 1 }] } },
    [0, 1, 2],
  ],
  ['$nin with an array', values([1, 2], [3], 4), { v: { $nin: [[1, 2], 4] } }, [1]],
  [
    '$eq with a pattern means the pattern itself',
    values('abc', new BSONRegExp('^a', '')),
    { v: { $eq: new BSONRegExp('^a', '') } },
    [1],
  ],
  [
    '$eq with a document that begins with a dollar by DBRef',
    values(new DBRef('c', id), new DBRef('d', id)),
    { v: new DBRef('c', id) },
    [0],
  ],
  [
    'the parts of a DBRef',
    values(new DBRef('c', id, 'db'), new DBRef('c', new ObjectId())),
    { 'v.$id': id, 'v.$ref': 'c', 'v.$db': 'db' },
    [0],
  ],
  [
    'a DBRef inside $in and $elemMatch',
    values([new DBRef('c', id)], [new DBRef('d', id)]),
    { v: { $elemMatch: { $ref: 'c', $id: id } } },
    [0],
  ],

  // Null and missing
  ['null finds null and missing', [{}, { v: null }, { v: 0 }, { v: [] }, { v: [null] }], { v: null }, [0, 1, 4]],
  ['$gte null as null', [{}, { v: null }, { v: 0 }], { v: { $gte: null } }, [0, 1]],
  ['$type null is not missing', [{}, { v: null }], { v: { $type: 'null' } }, [1]],
  [
    'null below an array of documents',
    [{ v: [{ x: 1 }, {}] }, { v: [{ x: 1 }] }, { v: [] }, { v: 3 }],
    { 'v.x': null },
    [0, 3],
  ],
  ['$exists of null', [{}, { v: null }], { v: { $exists: 1 } }, [1]],
  ['$exists false below scalars', [{ v: 3 }, { v: { x: 1 } }, { v: [{ x: 1 }] }], { 'v.x': { $exists: false } }, [0]],
  ['$not $exists', [{}, { v: 1 }], { v: { $not: { $exists: true } } }, [0]],

  // Arrays
  ['any element', values([1, 2, 3], [4], 2), { v: 2 }, [0, 2]],
  ['two conditions by different elements', values([1, 9], [5], [1]), { v: { $gt: 3, $lt: 4 } }, [0]],
  ['$elemMatch by one element', values([1, 9], [3.5], [[3.5]]), { v: { $elemMatch: { $gt: 3, $lt: 4 } } }, [1]],
  [
    '$elemMatch of documents',
    values([{ a: 1, b: 2 }], [{ a: 1 }, { b: 2 }], { a: 1, b: 2 }),
    { v: { $elemMatch: { a: 1, b: 2 } } },
    [0],
  ],
  [
    '$elemMatch with $or',
    values([{ a: 1 }], [{ b: 2 }], [{ c: 3 }]),
    { v: { $elemMatch: { $or: [{ a: 1 }, { b: 2 }] } } },
    [0, 1],
  ],
  ['$elemMatch with $not and $in', values([1, 2], [3]), { v: { $elemMatch: { $not: { $in: [1, 2] } } } }, [1]],
  [
    '$elemMatch into nested arrays',
    values([[1, 2], [3]], [1, 2]),
    { v: { $elemMatch: { $elemMatch: { $eq: 3 } } } },
    [0],
  ],
  ['$elemMatch of arrays by position', values([[1, 2]], [[2, 1]]), { v: { $elemMatch: { 0: 1 } } }, [0]],
  ['empty $elemMatch takes documents and arrays', values([{}], [1], [[]]), { v: { $elemMatch: {} } }, [0, 2]],
  ['$not $elemMatch', [{}, { v: [1] }, { v: [5] }], { v: { $not: { $elemMatch: { $gt: 3 } } } }, [0, 1]],
  ['$all with scalars', values([1, 2, 3], [1], 1, [[1, 2]]), { v: { $all: [1, 2] } }, [0]],
  ['$all with one value on a scalar', values(1, [1]), { v: { $all: [1] } }, [0, 1]],
  ['$all with a nested array', values([[1, 2]], [1, 2]), { v: { $all: [[1, 2]] } }, [0, 1]],
  ['$all with patterns and null', values(['abc', null], ['abc']), { v: { $all: [/^a/, null] } }, [0]],
  [
    '$all with $elemMatch',
    values([{ a: 1 }, { b: 2 }], [{ a: 1 }]),
    { v: { $all: [{ $elemMatch: { a: 1 } }, { $elemMatch: { b: 2 } }] } },
    [0],
  ],
  ['$all of nothing', values([], [1]), { v: { $all: [] } }, []],
  ['$size', values([], [1], [1, 2], 1), { v: { $size: 1 } }, [1]],
  ['$size 0 and doubles', values([], [1]), { v: { $size: new Double(0) } }, [0]],
  ['only the outer array is measured', values([[1, 2]], [1, 2]), { v: { $size: 2 } }, [1]],
  ['a number in a path', values([5, 6], { 1: 6 }, [[0, 6]]), { 'v.1': 6 }, [0, 1]],
  ['a number, then a field', values([{ x: 1 }, { x: 2 }], [{ x: 2 }]), { 'v.1.x': 2 }, [0]],
  [
    'a field of the documents of two nested lists',
    values([{ w: [{ x: 1 }] }], [{ w: [{ x: 2 }] }]),
    { 'v.w.x': 2 },
    [1],
  ],
  ['does not descend into nested arrays implicitly', values([[{ x: 1 }]], [{ x: 1 }]), { 'v.x': 1 }, [1]],
  ['$in on an array by elements', values([1, 2], [3], 2), { v: { $in: [2, 9] } }, [0, 2]],
  ['$type of elements', values(['a', 1], [1], []), { v: { $type: 'string' } }, [0]],
  ['$type array tests the field itself', values([1], [[1]], 1, []), { v: { $type: 'array' } }, [0, 1, 3]],
  ['$exists of an element', values([1], [1, 2]), { 'v.1': { $exists: true } }, [1]],

  // Element and evaluation
  ['$type by several names and codes', values('a', 1, true, null), { v: { $type: ['string', 8] } }, [0, 2]],
  ['$type number', values(1, Long.ONE, 1.5, decimal('1'), '1'), { v: { $type: 'number' } }, [0, 1, 2, 3]],
  ['$type by the lowest and highest codes', values(new MinKey(), 0, new MaxKey()), { v: { $type: [-1, 127] } }, [0, 2]],
  ['$mod', values(4, 5, -4, Long.fromNumber(8), 4.9, decimal('4.5'), '4'), { v: { $mod: [4, 0] } }, [0, 2, 3, 4, 5]],
  ['$mod with a negative remainder', values(-5, 5), { v: { $mod: [4, -1] } }, [0]],
  ['$mod truncates fractions', values(5), { v: { $mod: [4.9, 1.9] } }, [0]],
  ['$regex matches only strings', values('xab', 'x', 5, null), { v: { $regex: 'ab' } }, [0]],
  ['$regex with options', values('AB\ncd', 'ab'), { v: { $regex: '^CD$', $options: 'im' } }, [0]],
  ['$options before $regex', values('AB', 'cd'), { v: { $options: 'i', $regex: 'ab' } }, [0]],
  ['$regex with x and s', values('a\nb', 'ab'), { v: { $regex: 'a . b # any', $options: 'xs' } }, [0]],
  ['a JavaScript regular expression', values('Foo', 'bar'), { v: /^f/i }, [0]],
  ['a pattern over elements', values(['x', 'abc'], ['x']), { v: /^a/ }, [0]],
  ['$not with a pattern', [{ v: 'abc' }, { v: 'x' }, {}, { v: 5 }], { v: { $not: /^a/ } }, [1, 2, 3]],
  ['$not with $regex', values('abc', 'x'), { v: { $not: { $regex: '^A', $options: 'i' } } }, [1]],
  ['$regex with other operators', values('abc', 'abd', 'x'), { v: { $regex: '^ab', $ne: 'abd' } }, [0]],
  ['$in and $nin with patterns', values('abc', 'xbc', 'x'), { v: { $in: [/c$/], $nin: [/^a/] } }, [1]],
  ['PCRE classes and look-around', values('ab1', 'abc', 'b2'), { v: { $regex: '^(?=a)[[:alpha:]]+\\d$' } }, [0]],
  ['$comment is ignored', values(1, 2), { $comment: 'why', v: 1 }, [0]],

  // Logic
  ['$and', values(1, 2, 3), { $and: [{ v: { $gt: 1 } }, { v: { $lt: 3 } }] }, [1]],
  ['$or', values(1, 2, 3), { $or: [{ v: 1 }, { v: { $gt: 2 } }] }, [0, 2]],
  ['$nor', [{ v: 1 }, { v: 2 }, {}], { $nor: [{ v: 1 }, { v: { $exists: false } }] }, [1]],
  [
    '$or inside $and inside $nor',
    values(1, 2, 3),
    { $nor: [{ $and: [{ $or: [{ v: 1 }, { v: 2 }] }, { v: { $ne: 2 } }] }] },
    [1, 2],
  ],
  ['$not of several operators', values(1, 5, 9), { v: { $not: { $gt: 2, $lt: 8 } } }, [0, 2]],
  ['$not of $not', values(1, 5), { v: { $not: { $not: { $gt: 2 } } } }, [1]],
  ['a field and $or together', values(1, 2), { v: { $gt: 0 }, $or: [{ v: 2 }, { v: 3 }] }, [1]],

  // Bits
  ['$bitsAllSet by mask', values(5, 4, 7, 5.5, '5'), { v: { $bitsAllSet: 5 } }, [0, 2]],
  ['$bitsAllSet by positions', values(5, 1), { v: { $bitsAllSet: [0, 2] } }, [0]],
  ['$bitsAnyClear', values(5, 7), { v: { $bitsAnyClear: [1] } }, [0]],
  ['$bitsAllClear on a negative number', values(-1, -2), { v: { $bitsAllClear: [0] } }, [1]],
  [
    '$bitsAnySet by binary',
    values(new Binary(Buffer.from([0, 2])), new Binary(Buffer.from([2]))),
    { v: { $bitsAnySet: new Binary(Buffer.from([0, 2])) } },
    [0],
  ],
  ['integers are sign-extended', values(-1, Long.fromNumber(1)), { v: { $bitsAllSet: [100] } }, [0]],
  ['$bitsAllSet on a decimal', values(decimal('5'), decimal('5.5')), { v: { $bitsAllSet: 4 } }, [0]],

  // Names
  ['fields with odd names', [{ constructor: 1, __proto__x: 2 }, {}], { constructor: 1 }, [0]],
  ['a missing field that objects inherit', [{ v: 1 }, { toString: 'x' }], { toString: { $exists: true } }, [1]],
  ['fields with spaces, dashes, and letters beyond ASCII', [{ 'a b-ç': 1 }, {}], { 'a b-ç': 1 }, [0]],
];

describe('a query finds', () => {
  test.each(cases)('%s', async (_what, documents, filter, found) => {
    const collection = await collectionOf(documents);
    const ids = async (): Promise<unknown[]> =>
      (await collection.find(filter).project({ _id: 1 }).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    expect(await ids()).toEqual(found);
    // Every index that could serve the query gives the same result.
    const paths = Object.keys(filter).filter((name) => !name.startsWith('$'));
    for (const path of paths.length > 0 ? paths : ['v']) await collection.createIndex({ [path]: 1 });
    expect(await ids()).toEqual(found);
    expect(await collection.countDocuments(filter)).toBe(found.length);
  });
});

test('finds each type by its name, sorts it in its place, and equates it only with itself', async () => {
  const collection = await collectionOf([...everyType].reverse().map(([name, value]) => ({ name, value })));
  const sorted = await collection.find({}, { sort: { value: 1 }, bsonRegExp: true }).toArray();
  expect(sorted.map(({ name }) => name)).toEqual(everyType.map(([name]) => name));
  for (const [name, value] of everyType) {
    expect(await collection.distinct('name', { value: { $type: name as never } }), name).toEqual([name]);
    expect(await collection.distinct('name', { value: { $eq: value } }), name).toEqual([name]);
  }
});

/** Rejected queries with MongoDB's code, and its message if that says more. */
const refused: [Document, number, string?][] = [
  [{ v: { $nonsense: 1 } }, 2, 'unknown operator: $nonsense'],
  [{ $nonsense: 1 }, 2, 'unknown top level operator: $nonsense'],
  [
    { $not: { v: 1 } },
    2,
    'unknown top level operator: $not. If you are trying to negate an entire expression, use $nor.',
  ],
  [{ v: { $gt: 1, x: 2 } }, 2, 'unknown operator: x'],
  [{ v: { $ref: 'only' } }, 2, 'unknown operator: $ref'],
  [{ $and: { v: 1 } }, 2, '$and must be an array'],
  [{ $or: [] }, 2, '$and/$or/$nor must be a nonempty array'],
  [{ $nor: [1] }, 2, '$or/$and/$nor entries need to be full objects'],
  [{ v: { $in: 1 } }, 2, '$in needs an array'],
  [{ v: { $in: [{ $gt: 1 }] } }, 2, 'cannot nest $ under $in'],
  [{ v: { $nin: null } }, 2, '$nin needs an array'],
  [{ v: { $all: 1 } }, 2, '$all needs an array'],
  [{ v: { $all: [{ $gt: 1 }] } }, 2, 'no $ expressions in $all'],
  [{ v: { $all: [{ $elemMatch: {} }, 1] } }, 2, '$all/$elemMatch has to be consistent'],
  [{ v: { $elemMatch: 1 } }, 2, '$elemMatch needs an Object'],
  [{ v: { $size: 'a' } }, 2, 'Failed to parse $size. Expected a number in: $size: "a"'],
  [{ v: { $size: 1.5 } }, 2, 'Failed to parse $size. Expected an integer: $size: 1.5'],
  [{ v: { $size: -1 } }, 2, 'Failed to parse $size. Expected a non-negative number in: $size: -1'],
  [{ v: { $type: 'nonsense' } }, 2, 'Unknown type name alias: nonsense'],
  [{ v: { $type: 99 } }, 2, 'Invalid numerical type code: 99'],
  [{ v: { $type: [] } }, 9],
  [{ v: { $type: true } }, 14, 'type must be represented as a number or a string'],
  [{ v: { $mod: 4 } }, 2, 'malformed mod, needs to be an array'],
  [{ v: { $mod: [4] } }, 2, 'malformed mod, not enough elements'],
  [{ v: { $mod: [4, 0, 0] } }, 2, 'malformed mod, too many elements'],
  [{ v: { $mod: ['a', 0] } }, 2, 'malformed mod, divisor not a number'],
  [{ v: { $mod: [0, 0] } }, 2, 'divisor cannot be 0'],
  [{ v: { $mod: [Number.NaN, 0] } }, 2],
  [{ v: { $not: 1 } }, 2, '$not needs a regex or a document'],
  [{ v: { $not: {} } }, 2, '$not cannot be empty'],
  [{ v: { $not: { x: 1 } } }, 2, 'unknown operator: x'],
  [{ v: { $ne: /a/ } }, 2, "Can't have regex as arg to $ne."],
  [{ v: { $gt: /a/ } }, 2, "Can't have RegEx as arg to $gt."],
  [{ v: { $regex: 1 } }, 2, '$regex has to be a string'],
  [{ v: { $options: 'i' } }, 2, '$options needs a $regex'],
  [{ v: { $regex: 'a', $options: 1 } }, 2, '$options has to be a string'],
  [{ v: { $regex: 'a', $options: 'q' } }, 51108],
  [{ v: { $regex: /a/i, $options: 'i' } }, 51075, 'options set in both $regex and $options'],
  [{ v: { $options: 'm', $regex: /a/i } }, 51074, 'options set in both $regex and $options'],
  [{ v: { $regex: '(' } }, 51091],
  [{ v: { $bitsAllSet: 'a' } }, 2],
  [{ v: { $bitsAllSet: -1 } }, 9],
  [{ v: { $bitsAnySet: [-1] } }, 2],
  [{ $where: 'true' }, 115],
  [{ $text: { $search: 'a' } }, 115],
  [{ v: { $near: [0, 0] } }, 115],
  [{ $jsonSchema: {} }, 115],
];

test.each(refused)('refuses %j', async (filter, code, message) => {
  const collection = database.collection('refusals');
  await expect(collection.find(filter).toArray()).rejects.toMatchObject({ code });
  if (message) await expect(collection.findOne(filter)).rejects.toThrow(message);
  await expect(collection.countDocuments(filter)).rejects.toMatchObject({ code });
  await expect(collection.updateMany(filter, { $set: { x: 1 } })).rejects.toMatchObject({ code });
  await expect(collection.deleteMany(filter)).rejects.toMatchObject({ code });
});
