import { type Collection, type Db, type Document, MongoClient } from 'mongodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { startDocumentStore } from '../server.ts';
import { shareTestStore, temporaryDirectory } from '../test-store.ts';

const shared = shareTestStore();
const three = [
  { _id: 1, x: 11 },
  { _id: 2, x: 22 },
  { _id: 3, x: 33 },
] as Document[];
let made = 0;
let database: Db;
let from: Collection;
let to: Collection;

beforeEach(async () => {
  made += 1;
  database = shared.client.db(`outputs${made}`);
  from = database.collection('from');
  to = database.collection('to');
  await from.insertMany(three);
});

const names = async () => (await database.listCollections().toArray()).map(({ name }) => name);
const stored = () => to.find().sort({ _id: 1 }).toArray();

describe('$out', () => {
  test('creates a collection from the results, and returns none', async () => {
    const pipeline = [{ $match: { $expr: { $gte: ['$_id', '$$least'] } } }, { $sort: { x: -1 } }, { $out: 'to' }];
    expect(await from.aggregate(pipeline, { let: { least: 2 }, batchSize: 2 }).toArray()).toEqual([]);
    expect(await to.find().toArray()).toEqual([three[2], three[1]]);
    expect(await names()).toEqual(['from', 'to']);
  });

  test('replaces a collection and keeps its indexes', async () => {
    await to.insertOne({ _id: 9 } as Document);
    await to.createIndex({ x: 1 }, { unique: true });
    await from.aggregate([{ $limit: 1 }, { $out: { db: database.databaseName, coll: 'to' } }]).toArray();
    expect(await stored()).toEqual([three[0]]);
    await expect(to.insertOne({ x: 11 })).rejects.toMatchObject({ code: 11000 });
    await from.aggregate([{ $unset: '_id' }, { $out: 'from' }]).toArray();
    expect(await from.countDocuments({ _id: { $type: 'objectId' } })).toBe(3);
  });

  test('leaves everything unchanged when it fails', async () => {
    await to.insertOne({ _id: 9, x: 1 } as Document);
    await to.createIndex({ x: 1 }, { unique: true });
    await expect(from.aggregate([{ $set: { x: 5 } }, { $out: 'to' }]).toArray()).rejects.toMatchObject({
      code: 11000,
      keyPattern: { x: 1 },
      keyValue: { x: 5 },
    });
    await expect(from.aggregate([{ $out: 'a$b' }]).toArray()).rejects.toMatchObject({ code: 73 });
    expect(await names()).toEqual(['from', 'to']);
    expect(await stored()).toEqual([{ _id: 9, x: 1 }]);
  });

  test('must be the last stage and name a collection', async () => {
    for (const pipeline of [[{ $out: 'to' }, { $limit: 1 }], [{ $facet: { a: [{ $out: 'to' }] } }]]) {
      await expect(from.aggregate(pipeline).toArray()).rejects.toMatchObject({ code: 40324 });
    }
    await expect(from.aggregate([{ $out: 5 }]).toArray()).rejects.toMatchObject({ code: 16990 });
    await expect(from.aggregate([{ $out: { db: 'other' } }]).toArray()).rejects.toMatchObject({ code: 40414 });
  });

  test('drops what a crashed server left unfinished at the next start', async () => {
    const path = await temporaryDirectory();
    for (const expected of [['tmp.agg_out.1', 'to'], ['to']]) {
      const store = await startDocumentStore({ path });
      const client = await new MongoClient(store.uri).connect();
      if (expected.length > 1) for (const name of expected) await client.db('a').createCollection(name);
      const found = await client.db('a').listCollections().toArray();
      expect(found.map(({ name }) => name)).toEqual(expected);
      await client.close();
      await store.close();
    }
  });
});

describe('$merge', () => {
  const there = { _id: 2, x: 0, y: 1 };
  const ways: [whenMatched: unknown, whenNotMatched: string | undefined, after: Document[]][] = [
    [undefined, undefined, [three[0], { _id: 2, x: 22, y: 1 }, three[2]] as Document[]],
    ['replace', 'insert', three],
    ['keepExisting', 'insert', [three[0], there, three[2]] as Document[]],
    ['merge', 'discard', [{ _id: 2, x: 22, y: 1 }]],
    [[{ $set: { x: { $add: ['$x', '$$new.x', '$$one'] } } }], 'discard', [{ _id: 2, x: 23, y: 1 }]],
  ];
  test.each(ways)('%j, and %s', async (whenMatched, whenNotMatched, after) => {
    await to.insertOne({ ...there } as Document);
    const into = { into: 'to', on: '_id', ...(whenMatched ? { whenMatched, whenNotMatched } : {}) };
    expect(await from.aggregate([{ $merge: into }], { let: { one: 1 } }).toArray()).toEqual([]);
    expect(await stored()).toEqual(after);
  });

  test('creates a missing collection', async () => {
    await from.aggregate([{ $match: { _id: 1 } }, { $merge: 'to' }], { readConcern: 'majority' }).toArray();
    expect(await stored()).toEqual([three[0]]);
  });

  test('fails when requested, and for unknown options', async () => {
    await to.insertOne({ ...there } as Document);
    const into = (options: Document) => from.aggregate([{ $merge: { into: 'to', ...options } }]).toArray();
    await expect(into({ whenMatched: 'fail' })).rejects.toMatchObject({ code: 11000, keyValue: { _id: 2 } });
    await expect(into({ whenNotMatched: 'fail' })).rejects.toMatchObject({ code: 13113 });
    await expect(into({ on: 'x' })).rejects.toMatchObject({ code: 51183 });
    await expect(into({ whenMatched: 'laugh' })).rejects.toMatchObject({ code: 2 });
    await expect(into({ whenNotMatched: 'cry' })).rejects.toMatchObject({ code: 2 });
    await expect(into({ nonsense: 1 })).rejects.toMatchObject({ code: 40415 });
    await expect(from.aggregate([{ $merge: 5 }]).toArray()).rejects.toMatchObject({ code: 51182 });
    // A long command may keep writes that preceded its failure, so only the document that matched is read.
    expect(await to.findOne({ _id: there._id } as Document)).toEqual(there);
  });
});
