import type { Document } from 'bson';
import { type Collection, type Db, Int32 } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SharedStore, shareTestStore } from '../test-store.ts';

const shared: SharedStore = shareTestStore();
let database: Db;
let made = 0;

beforeAll(() => {
  database = shared.client.db('indexes');
});

async function collectionOf(documents: Document[] = []): Promise<Collection> {
  made += 1;
  const collection = await database.createCollection(`c${made}`);
  if (documents.length > 0) await collection.insertMany(documents);
  return collection;
}

const names = async (collection: Collection) => (await collection.indexes()).map(({ name }) => name);

describe('unique indexes', () => {
  /** Index, options, an existing document, a rejected one, and an accepted one. */
  test.each<[string, Document, Document, Document, Document, Document]>([
    ['of one field', { a: 1 }, {}, { a: 1 }, { a: 1 }, { a: 2 }],
    ['count a missing field as null', { a: 1 }, {}, { b: 1 }, { a: null }, { a: 0 }],
    ['of two fields', { a: 1, b: -1 }, {}, { a: 1, b: 1 }, { a: 1, b: 1 }, { a: 1, b: 2 }],
    ['of elements', { a: 1 }, {}, { a: [1, 2] }, { a: [2, 3] }, { a: [3, 3] }],
    ['of fields of elements', { 'a.x': 1 }, {}, { a: [{ x: 1 }] }, { a: { x: 1 } }, { a: [{ x: 2 }, { x: 2 }] }],
    ['compare numbers by value', { a: 1 }, {}, { a: new Int32(1) }, { a: 1.0 }, { a: 1.5 }],
    ['tell strings apart by letter case', { a: 1 }, {}, { a: 'x' }, { a: 'x' }, { a: 'X' }],
    [
      'of documents, with their order',
      { a: 1 },
      {},
      { a: { x: 1, y: 1 } },
      { a: { x: 1, y: 1 } },
      { a: { y: 1, x: 1 } },
    ],
    ['that are sparse omit missing fields', { a: 1 }, { sparse: true }, { b: 1, a: null }, { a: null }, { b: 2 }],
    [
      'that are partial omit documents that do not match',
      { a: 1 },
      { partialFilterExpression: { on: true } },
      { a: 1, on: true },
      { a: 1, on: true },
      { a: 1 },
    ],
  ])('%s', async (_what, key, options, there, refused, taken) => {
    const collection = await collectionOf([there]);
    await collection.createIndex(key as never, { unique: true, ...options });
    await expect(collection.insertOne(refused)).rejects.toMatchObject({ code: 11000, keyPattern: key });
    await collection.insertOne(taken);
    const { _id, ...fields } = refused;
    await expect(collection.replaceOne({ _id: taken._id }, fields)).rejects.toMatchObject({ code: 11000 });
    expect(await collection.countDocuments()).toBe(2);
    await collection.updateOne({ _id: there._id }, { $set: { unrelated: 1 } });
  });

  test('cannot be built over duplicates, and then do not exist', async () => {
    const collection = await collectionOf([{ a: 1 }, { a: 1 }]);
    await expect(collection.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
    expect(await names(collection)).toEqual(['_id_']);
  });
});

describe('createIndexes', () => {
  test('reports what it did, and does nothing the second time', async () => {
    const { collectionName: createIndexes } = await collectionOf();
    const indexes = [
      { key: { a: 1, b: -1 }, name: 'ab' },
      { key: { c: 1 }, name: 'c', sparse: true },
    ];
    expect(await database.command({ createIndexes, indexes })).toMatchObject({
      numIndexesBefore: 1,
      numIndexesAfter: 3,
    });
    expect(await database.command({ createIndexes, indexes, commitQuorum: 1, comment: 'x' })).toMatchObject({
      numIndexesBefore: 3,
      numIndexesAfter: 3,
      note: 'all indexes already exist',
    });
    const listed = await database.command({ listIndexes: createIndexes });
    expect(listed.cursor).toMatchObject({ id: 0, ns: `indexes.${createIndexes}` });
    expect(listed.cursor.firstBatch).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { a: 1, b: -1 }, name: 'ab' },
      { v: 2, key: { c: 1 }, name: 'c', sparse: true },
    ]);
    expect(await database.command({ createIndexes: 'new', indexes })).toMatchObject({
      createdCollectionAutomatically: true,
    });
  });

  const spec = (options: Document): Document => ({ key: { a: 1 }, name: 'x', ...options });
  test.each<[string, Document[], number]>([
    ['no index', [], 2],
    ['no key', [{ name: 'x' }], 9],
    ['no name', [{ key: { a: 1 } }], 9],
    ['an empty key', [spec({ key: {} })], 67],
    ['direction 0', [spec({ key: { a: 0 } })], 67],
    ['a boolean direction', [spec({ key: { a: true } })], 67],
    ['an empty field', [spec({ key: { 'a..b': 1 } })], 67],
    ['an operator as a field', [spec({ key: { 'a.$b': 1 } })], 67],
    ['text', [spec({ key: { a: 'text' } })], 67],
    ['2dsphere', [spec({ key: { a: '2dsphere' } })], 67],
    ['hashed', [spec({ key: { a: 'hashed' } })], 67],
    ['wildcard', [spec({ key: { '$**': 1 } })], 67],
    ['an unknown option', [spec({ nonsense: 1 })], 197],
    ['a collation', [spec({ collation: { locale: 'fr' } })], 238],
    ['sparse and partial', [spec({ sparse: true, partialFilterExpression: { a: 1 } })], 67],
    ['a partial filter that is not a document', [spec({ partialFilterExpression: 1 })], 14],
    ['$ne in a partial filter', [spec({ partialFilterExpression: { a: { $ne: 1 } } })], 67],
    ['$exists false in a partial filter', [spec({ partialFilterExpression: { a: { $exists: false } } })], 67],
    ['$nor in a partial filter', [spec({ partialFilterExpression: { $nor: [{ a: 1 }] } })], 67],
    [
      '$not below $and in a partial filter',
      [spec({ partialFilterExpression: { $and: [{ a: { $not: { $gt: 1 } } }] } })],
      67,
    ],
    ['an expiry with two fields', [spec({ key: { a: 1, b: 1 }, expireAfterSeconds: 1 })], 67],
    ['a negative expiry', [spec({ expireAfterSeconds: -1 })], 67],
    ['two indexes with the same name', [spec({}), spec({ key: { b: 1 } })], 86],
    ['a hidden index', [spec({ hidden: true })], 67],
  ])('refuses %s', async (_what, indexes, code) => {
    const { collectionName: createIndexes } = await collectionOf();
    await expect(database.command({ createIndexes, indexes })).rejects.toMatchObject({ code });
  });

  test('distinguishes indexes by key, name, and options', async () => {
    const collection = await collectionOf();
    await collection.createIndex({ a: 1 });
    await expect(collection.createIndex({ a: 1 }, { name: 'b' })).rejects.toMatchObject({ code: 85 });
    await expect(collection.createIndex({ a: 1 }, { sparse: true })).rejects.toMatchObject({ code: 86 });
    await expect(collection.createIndex({ b: 1 }, { name: 'a_1' })).rejects.toMatchObject({ code: 86 });
    await collection.createIndex({ a: -1 });
    await collection.createIndex({ a: 1 }, { name: 'partial', partialFilterExpression: { a: { $gt: 5 } } });
    await collection.createIndex({ 'ref.$id': 1 });
    expect(await names(collection)).toEqual(['_id_', 'a_1', 'a_-1', 'partial', 'ref.$id_1']);
  });
});

describe('dropIndexes', () => {
  test('by name, by key, by a list of names, and all', async () => {
    const collection = await collectionOf();
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) await collection.createIndex({ [key]: 1 });
    const drop = (index: unknown) => database.command({ dropIndexes: collection.collectionName, index });
    expect(await drop('a_1')).toMatchObject({ nIndexesWas: 6 });
    await drop({ b: 1 });
    await drop(['c_1', 'd_1']);
    expect(await names(collection)).toEqual(['_id_', 'e_1']);
    await expect(drop('none')).rejects.toMatchObject({ code: 27, message: 'index not found with name [none]' });
    await expect(drop(['e_1', 'none'])).rejects.toMatchObject({ code: 27 });
    await expect(drop({ e: -1 })).rejects.toMatchObject({ code: 27, message: "can't find index with key: { e: -1 }" });
    await expect(drop('_id_')).rejects.toMatchObject({ code: 72 });
    await expect(drop({ _id: 1 })).rejects.toMatchObject({ code: 72 });
    await expect(drop(5)).rejects.toMatchObject({ code: 14 });
    expect(await names(collection)).toEqual(['_id_', 'e_1']);
    await drop('*');
    expect(await names(collection)).toEqual(['_id_']);
    await expect(database.command({ dropIndexes: 'nowhere', index: '*' })).rejects.toMatchObject({ code: 26 });
  });
});

describe('collections', () => {
  test.each<[Document, number]>([
    [{ nonsense: 1 }, 40415],
    [{ capped: true, size: 100 }, 2],
    [{ timeseries: { timeField: 't' } }, 2],
    [{ viewOn: 'a', pipeline: [] }, 2],
    [{ validator: { a: 1 } }, 2],
    [{ clusteredIndex: { key: { _id: 1 }, unique: true } }, 2],
    [{ collation: { locale: 'fr' } }, 238],
  ])('cannot be created with %j', async (options, code) => {
    await expect(database.command({ create: 'odd', ...options })).rejects.toMatchObject({ code });
  });

  test('are listed and dropped; invalid names are rejected', async () => {
    const collection = await collectionOf([{ a: 1 }]);
    const { collectionName } = collection;
    const [listed] = await database.listCollections({ name: collectionName }).toArray();
    expect(listed).toMatchObject({ name: collectionName, type: 'collection', options: {}, idIndex: { name: '_id_' } });
    await expect(collection.rename('other')).rejects.toMatchObject({ code: 59 });
    expect(await collection.drop()).toBe(true);
    expect(await database.listCollections({ name: collectionName }, { nameOnly: true }).toArray()).toEqual([]);
    for (const name of ['a$b', '.a', 'a.', 'system.x', '']) {
      await expect(database.command({ create: name }), name).rejects.toMatchObject({ code: 73 });
    }
  });
});

test('explain describes arrays, partial indexes, and unions', async () => {
  const collection = await collectionOf([
    { a: [1, 2], b: 1 },
    { a: 3, b: 2 },
  ]);
  await collection.createIndex({ a: 1 });
  await collection.createIndex({ b: 1 });
  const plan = async (filter: Document) =>
    ((await collection.find(filter).explain('executionStats')) as Document).queryPlanner.winningPlan;
  expect((await plan({ a: { $gt: 1 } })).inputStage).toMatchObject({ isMultiKey: true, isSparse: false });
  expect((await plan({ b: 1 })).inputStage).toMatchObject({ isMultiKey: false, keyPattern: { b: 1 } });
  expect(await plan({ $or: [{ a: 1 }, { b: 2 }] })).toMatchObject({
    stage: 'FETCH',
    inputStage: {
      stage: 'OR',
      inputStages: [{ inputStage: { indexName: 'a_1' } }, { inputStage: { indexName: 'b_1' } }],
    },
  });
  expect((await plan({ $or: [{ a: 1 }, { c: 2 }] })).stage).toBe('COLLSCAN');
});
