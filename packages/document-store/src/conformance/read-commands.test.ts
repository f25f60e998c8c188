import { Decimal128, type Document, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { type Collection, type Db, MongoClient } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SharedStore, shareTestStore } from '../test-store.ts';

const shared: SharedStore = shareTestStore();
let database: Db;
let made = 0;

beforeAll(() => {
  database = shared.client.db('reads');
});

async function collectionOf(documents: Document[]): Promise<Collection> {
  made += 1;
  const collection = database.collection(`c${made}`);
  if (documents.length > 0) await collection.insertMany(documents);
  return collection;
}

const numbered = (count: number): Document[] => Array.from({ length: count }, (_, _id) => ({ _id, x: (_id + 1) * 11 }));

describe('find', () => {
  test('filters, sorts, skips, and limits with any batch size', async () => {
    const collection = await collectionOf(numbered(6));
    const ids = async (options: Document) =>
      (await collection.find({ _id: { $gt: 0 } } as never, options).toArray()).map(({ _id }) => _id);
    expect(await ids({ sort: { _id: 1 }, skip: 1, limit: 2 })).toEqual([2, 3]);
    expect(await ids({ sort: { x: -1 }, batchSize: 2 })).toEqual([5, 4, 3, 2, 1]);
    expect(await ids({ sort: { _id: 1 }, limit: 4, batchSize: 2 })).toEqual([1, 2, 3, 4]);
    expect(await ids({ sort: { _id: 1 }, limit: 4, batchSize: 4 })).toEqual([1, 2, 3, 4]);
    expect(await ids({ sort: { _id: 1 }, limit: -2 })).toEqual([1, 2]);
    expect(await ids({ sort: { _id: 1 }, limit: 3, singleBatch: true, batchSize: 2 })).toEqual([1, 2]);
    expect(await ids({ sort: { $natural: -1 }, limit: 2 })).toEqual([5, 4]);
    expect(await ids({ hint: { $natural: -1 }, limit: 2 })).toEqual([5, 4]);
    expect(
      await ids({
        allowDiskUse: true,
        noCursorTimeout: true,
        allowPartialResults: true,
        comment: { a: 1 },
        maxTimeMS: 60_000,
      }),
    ).toHaveLength(5);
  });

  test('accepts expressions and variables in its filter and projection', async () => {
    const collection = await collectionOf(numbered(4));
    const options = { let: { least: 25 }, projection: { _id: 0, sum: { $add: ['$x', '$_id', '$$least'] } } };
    const filter = { $expr: { $gt: ['$x', '$$least'] } };
    expect(await collection.find(filter, options).sort({ x: -1 }).toArray()).toEqual([{ sum: 72 }, { sum: 60 }]);
    expect(await collection.find({ $and: [{ x: 11 }, { $expr: '$_id' }] }).toArray()).toEqual([]);
    expect(await collection.countDocuments({ $expr: { $lt: ['$x', 30] } })).toBe(2);
    expect(await collection.distinct('x', { $expr: { $eq: ['$_id', 3] } })).toEqual([44]);
  });

  test('uses the hinted index, by name or by key', async () => {
    const collection = await collectionOf([
      { _id: 1, a: 1, b: 2 },
      { _id: 2, a: 2, b: 1 },
      { _id: 3, b: 0 },
    ] as never);
    await collection.createIndex({ b: 1 });
    await collection.createIndex({ a: 1 }, { sparse: true });
    const used = async (hint: unknown) =>
      (await collection.find({ a: { $gte: 1 } }, { hint: hint as never }).explain('queryPlanner')) as Document;
    expect((await used('b_1')).queryPlanner.winningPlan.inputStage).toMatchObject({ indexName: 'b_1' });
    expect((await used({ b: 1 })).queryPlanner.winningPlan.inputStage).toMatchObject({ indexName: 'b_1' });
    expect((await used({ $natural: 1 })).queryPlanner.winningPlan).toMatchObject({ stage: 'COLLSCAN' });
    // A hinted sparse index hides documents without the field.
    expect(await collection.find({}, { hint: 'a_1' }).toArray()).toHaveLength(2);
    expect(await collection.countDocuments({}, { hint: 'a_1' })).toBe(2);
    await expect(collection.find({}, { hint: 'none' }).toArray()).rejects.toMatchObject({ code: 2 });
    await expect(collection.find({}, { hint: { b: -1 } }).toArray()).rejects.toMatchObject({ code: 2 });
    await expect(collection.countDocuments({}, { hint: 'none' })).rejects.toMatchObject({ code: 2 });
  });

  test.each<[Document, number, string?]>([
    [{ nonsense: 1 }, 40415, "BSON field 'FindCommandRequest.nonsense' is an unknown field."],
    [{ filter: 1 }, 14, "BSON field 'FindCommandRequest.filter' is the wrong type 'int', expected type 'object'"],
    [{ projection: 'a' }, 14],
    [{ sort: 'a' }, 14],
    [{ sort: { a: 'up' } }, 15974],
    [{ sort: { a: 2 } }, 15975],
    [{ sort: { a: 0 } }, 15975],
    [{ sort: { '': 1 } }, 40352],
    [{ sort: { 'a..b': 1 } }, 15998],
    [{ sort: { $a: 1 } }, 16410],
    [{ sort: { $natural: 1, a: 1 } }, 2],
    [{ sort: { a: { $meta: 'textScore' } } }, 40218],
    [{ skip: -1 }, 51024, "BSON field 'skip' value must be >= 0, actual value '-1'"],
    [{ limit: -1 }, 51024, "BSON field 'limit' value must be >= 0, actual value '-1'"],
    [{ batchSize: -1 }, 51024],
    [{ limit: 'a' }, 14],
    [{ singleBatch: 'yes' }, 14],
    [{ maxTimeMS: -1 }, 2],
    [{ maxTimeMS: 'a' }, 2],
    [{ maxTimeMS: 1.5 }, 2],
    [{ hint: 5 }, 9],
    [{ tailable: true }, 2],
    [{ returnKey: true }, 2],
    [{ showRecordId: true }, 2],
    [{ min: { a: 1 } }, 2],
    [{ max: { a: 1 } }, 2],
    [{ readConcern: { level: 'linearizable' } }, 148],
    [{ collation: { locale: 'fr' } }, 238],
    [{ projection: { a: { $meta: 'textScore' } } }, 40218],
    [{ projection: { a: 1, b: 0 } }, 31254],
    [{ projection: { a: 0, b: 1 } }, 31253],
    [{ projection: { a: 1, 'a.b': 1 } }, 31249],
    [{ projection: { 'a.b': 1, a: 1 } }, 31250],
    [{ projection: { 'a.$': 1 } }, 31277],
    [{ projection: { a: { $nonsense: 1 } } }, 168],
    [{ let: 5 }, 14],
    [{ filter: { $expr: { $eq: ['$a', '$$x'] } } }, 17276],
    [{ projection: { a: {} } }, 51270],
  ])('refuses %j', async (options, code, message) => {
    const collection = await collectionOf([{ a: 1 }]);
    const answer = database.command({ find: collection.collectionName, ...options });
    await expect(answer).rejects.toMatchObject({ code });
    if (message) await expect(answer).rejects.toThrow(message);
  });
});

describe('sort', () => {
  test('takes the lowest element of an array ascending, the highest descending', async () => {
    const collection = await collectionOf([
      { _id: 'a', v: [1, 9] },
      { _id: 'b', v: [2, 3] },
      { _id: 'c', v: 5 },
      { _id: 'd', v: [] },
      { _id: 'e' },
      { _id: 'f', v: null },
      { _id: 'g', v: [[0]] },
      { _id: 'h', v: [{ x: 1 }] },
    ] as never);
    const order = async (sort: Document) =>
      (await collection.find({}, { sort: { ...sort, _id: 1 } as never }).toArray()).map(({ _id }) => _id).join('');
    const [ascending, descending] = ['defabchg', 'ghacbefd'];
    expect(await order({ v: 1 })).toBe(ascending);
    expect(await order({ v: -1 })).toBe(descending);
    await collection.createIndex({ v: 1 });
    expect(await order({ v: 1 })).toBe(ascending);
    expect(await order({ v: -1 })).toBe(descending);
  });

  test('of documents in arrays', async () => {
    const collection = await collectionOf([
      { _id: 1, v: [{ x: 5 }, { x: 1 }] },
      { _id: 2, v: [{ x: 3 }] },
      { _id: 3, v: { x: 2 } },
      { _id: 4, v: [{}] },
    ] as never);
    const order = async (sort: Document) => (await collection.find({}, { sort }).toArray()).map(({ _id }) => _id);
    expect(await order({ 'v.x': 1 })).toEqual([4, 1, 3, 2]);
    expect(await order({ 'v.x': -1 })).toEqual([1, 2, 3, 4]);
    expect(await order({ 'v.0.x': 1 })).toEqual([3, 4, 2, 1]);
  });

  test('rejects two parallel arrays', async () => {
    const collection = await collectionOf([{ a: [1], b: [1] }]);
    await expect(collection.find({}, { sort: { a: 1, b: 1 } }).toArray()).rejects.toThrow(
      'cannot sort with keys that are parallel arrays',
    );
  });
});

describe('aggregate', () => {
  test('accepts variables that are computed from constants', async () => {
    const collection = await collectionOf(numbered(4));
    const pipeline = [
      { $match: { $expr: { $gte: ['$_id', '$$least'] } } },
      { $project: { _id: 0, text: '$$text', random: '$$random' } },
    ];
    const variables = { least: { $subtract: [3, 1] }, text: { $literal: '$x' }, random: { $rand: {} } };
    const found = await collection.aggregate(pipeline, { let: variables }).toArray();
    expect(found).toEqual(Array(2).fill({ text: '$x', random: expect.any(Number) }));
    expect(found[0]?.random).toBe(found[1]?.random);
    await expect(collection.aggregate([{ $set: { a: { $rand: { b: 1 } } } }]).toArray()).rejects.toMatchObject({
      code: 40415,
    });
  });
});

describe('getMore and killCursors', () => {
  test('return batches until the end', async () => {
    const collection = await collectionOf(numbered(5));
    const name = collection.collectionName;
    const { cursor } = await database.command({ find: name, batchSize: 0 });
    expect(cursor).toMatchObject({ firstBatch: [], ns: `reads.${name}` });
    const id = Long.fromNumber(cursor.id);
    const next = await database.command({ getMore: id, collection: name, batchSize: 2 });
    expect(next.cursor.nextBatch).toHaveLength(2);
    await expect(database.command({ getMore: id, collection: name, maxTimeMS: 5 })).rejects.toMatchObject({ code: 2 });
    await expect(database.command({ getMore: id, collection: name, nonsense: 5 })).rejects.toMatchObject({
      code: 40415,
    });
    await expect(database.command({ getMore: 'a', collection: name })).rejects.toMatchObject({ code: 14 });
    await expect(database.command({ getMore: id, collection: name, batchSize: -1 })).rejects.toMatchObject({
      code: 51024,
    });
    await expect(database.command({ getMore: id })).rejects.toMatchObject({ code: 40414 });
    const rest = await database.command({ getMore: id, collection: name });
    expect(rest.cursor).toMatchObject({ id: 0, nextBatch: expect.any(Array) });
    expect(rest.cursor.nextBatch).toHaveLength(3);
    await expect(database.command({ killCursors: name })).rejects.toMatchObject({ code: 40414 });
  });

  test('support driver cursors, and closing one frees it', async () => {
    const collection = await collectionOf(numbered(300));
    const cursor = collection.find().batchSize(10);
    for (let at = 0; at < 25; at++) expect(await cursor.next()).toMatchObject({ _id: at });
    const open = async () => (await database.command({ serverStatus: 1 })).metrics.cursor.open.total;
    const before = await open();
    await cursor.close();
    expect(await open()).toBe(before - 1);
    expect(
      await cursor
        .clone()
        .skip(295)
        .map(({ _id }) => _id)
        .toArray(),
    ).toEqual([295, 296, 297, 298, 299]);
  });
});

describe('count and distinct', () => {
  test('count what they find, including nothing', async () => {
    const collection = await collectionOf([{ a: 1 }, { a: [1, 2] }, { a: 3 }, {}]);
    const name = collection.collectionName;
    const count = async (options: Document) => (await database.command({ count: name, ...options })).n;
    expect(await count({})).toBe(4);
    expect(await count({ query: { a: 1 } })).toBe(2);
    expect(await count({ query: { a: 1 }, skip: 1 })).toBe(1);
    expect(await count({ query: {}, limit: -3 })).toBe(3);
    expect(await count({ query: null, fields: {} })).toBe(4);
    expect(await collection.estimatedDocumentCount()).toBe(4);
    expect(await collection.countDocuments({}, { skip: 3, limit: 9 })).toBe(1);
    expect(await database.collection('nowhere').estimatedDocumentCount()).toBe(0);
    expect(await database.collection('nowhere').countDocuments({ a: 1 })).toBe(0);
    await expect(count({ nonsense: 1 })).rejects.toThrow("BSON field 'count.nonsense' is an unknown field.");
    await expect(count({ skip: -1 })).rejects.toMatchObject({ code: 51024 });
    await expect(count({ limit: 'a' })).rejects.toMatchObject({ code: 14 });
    await expect(count({ query: 5 })).rejects.toMatchObject({ code: 14 });
    await expect(count({ collation: { locale: 'fr' } })).rejects.toMatchObject({ code: 238 });
  });

  test('returns each value once, and elements one by one', async () => {
    const collection = await collectionOf([
      { a: 1, d: { x: 1 } },
      { a: new Double(1), d: [{ x: [2, 3] }, { x: 4 }] },
      { a: [1, [2], 'x'] },
      { a: null },
      {},
    ]);
    expect(await collection.distinct('a')).toEqual([1, [2], 'x', null]);
    expect(await collection.distinct('d.x')).toEqual([1, 2, 3, 4]);
    expect(await collection.distinct('d.0.x')).toEqual([2, 3]);
    expect(await collection.distinct('a', { a: 'x' })).toEqual([1, [2], 'x']);
    expect(await database.collection('nowhere').distinct('a')).toEqual([]);
    const { collectionName: distinct } = collection;
    await expect(database.command({ distinct, key: 'a', nonsense: 1 })).rejects.toMatchObject({ code: 40415 });
    await expect(database.command({ distinct })).rejects.toMatchObject({ code: 40414 });
    await expect(database.command({ distinct, key: 5 })).rejects.toMatchObject({ code: 14 });
    await expect(database.command({ distinct, key: 'a', query: 5 })).rejects.toMatchObject({ code: 14 });
  });
});

describe('explain', () => {
  test('returns the plan, and statistics on request', async () => {
    const collection = await collectionOf(numbered(20));
    await collection.createIndex({ x: 1 });
    const cursor = () =>
      collection
        .find({ x: { $gt: 99 }, _id: { $lt: 15 } } as never)
        .sort({ _id: -1 })
        .skip(1)
        .limit(3);
    const plan = (await cursor().explain('queryPlanner')) as Document;
    expect(plan).toMatchObject({
      explainVersion: '1',
      queryPlanner: { namespace: collection.namespace, rejectedPlans: [], winningPlan: { stage: expect.any(String) } },
      command: { find: collection.collectionName },
      serverInfo: { version: '7.0.0' },
    });
    expect(plan.executionStats).toBeUndefined();
    const stats = (await cursor().explain('executionStats')) as Document;
    expect(stats.executionStats).toMatchObject({
      executionSuccess: true,
      nReturned: 3,
      executionStages: { nReturned: 3 },
    });
    const all = (await cursor().explain()) as Document;
    expect(all.executionStats.allPlansExecution).toEqual([]);
    const run = (explain: Document, verbosity: string) => database.command({ explain, verbosity });
    const explained: Document[] = [
      { count: collection.collectionName, query: { x: 11 } },
      { distinct: collection.collectionName, key: 'x' },
      { aggregate: collection.collectionName, pipeline: [{ $match: { x: 11 } }], cursor: {} },
      { update: collection.collectionName, updates: [{ q: { x: 11 }, u: { $set: { y: 1 } } }] },
      { delete: collection.collectionName, deletes: [{ q: { x: 11 }, limit: 0 }] },
      { findAndModify: collection.collectionName, query: { x: 11 }, update: { $set: { y: 1 } } },
    ];
    for (const command of explained) expect((await run(command, 'executionStats')).ok, JSON.stringify(command)).toBe(1);
    expect(await collection.countDocuments({ y: 1 })).toBe(0);
    await expect(run({ find: 'a', nonsense: 1 }, 'queryPlanner')).rejects.toMatchObject({ code: 40415 });
    await expect(run({ find: 'a' }, 'nonsense')).rejects.toMatchObject({ code: 2 });
    await expect(run({ drop: 'a' }, 'queryPlanner')).rejects.toMatchObject({ code: 20 });
    await expect(run({ nonsense: 'a' }, 'queryPlanner')).rejects.toMatchObject({ code: 59 });
  });
});

describe('sessions', () => {
  test('support reads and writes, and end', async () => {
    const collection = await collectionOf(numbered(3));
    await shared.client.withSession({ causalConsistency: true }, async (session) => {
      await collection.insertOne({ _id: 9 } as never, { session });
      expect(await collection.find({}, { session }).batchSize(2).toArray()).toHaveLength(4);
      expect(await collection.countDocuments({}, { session })).toBe(4);
    });
    const admin = shared.client.db('admin');
    const { id, timeoutMinutes } = await admin.command({ startSession: 1 });
    expect(timeoutMinutes).toBe(30);
    expect(id.id.sub_type).toBe(4);
    for (const name of ['refreshSessions', 'endSessions', 'killSessions', 'killAllSessions']) {
      expect(await admin.command({ [name]: [id] })).toMatchObject({ ok: 1 });
    }
  });

  test('do not support transactions', async () => {
    const collection = await collectionOf(numbered(1));
    const session = shared.client.startSession();
    session.startTransaction();
    const refused = collection.insertOne({}, { session });
    await expect(refused).rejects.toMatchObject({ originalError: { code: 20, codeName: 'IllegalOperation' } });
    await session.abortTransaction().catch(() => undefined);
    await session.endSession();
    await expect(database.command({ commitTransaction: 1 })).rejects.toMatchObject({ code: 20 });
    expect(await collection.countDocuments()).toBe(1);
  });
});

describe('commands', () => {
  test('rejects unknown commands and invalid databases', async () => {
    await expect(database.command({ nonsense: 1 })).rejects.toMatchObject({
      code: 59,
      codeName: 'CommandNotFound',
      message: "no such command: 'nonsense'",
    });
    await expect(shared.client.db('a').command({ find: '' })).rejects.toMatchObject({ code: 73 });
    await expect(database.command({ find: 5 })).rejects.toMatchObject({ code: 2 });
    await expect(database.command({ aggregate: 'a', pipeline: [], cursor: {}, nonsense: 1 })).rejects.toMatchObject({
      code: 40415,
    });
    for (const command of [
      { insert: 'a', documents: [{}] },
      { update: 'a', updates: [{ q: {}, u: {} }] },
      { delete: 'a', deletes: [{ q: {}, limit: 1 }] },
      { findAndModify: 'a', remove: true },
      { createIndexes: 'a', indexes: [{ key: { a: 1 }, name: 'a' }] },
      { dropIndexes: 'a', index: '*' },
      { create: 'b' },
      { listCollections: 1 },
      { listIndexes: 'a' },
      { listDatabases: 1 },
      { drop: 'a' },
      { killCursors: 'a', cursors: [Long.ONE] },
    ]) {
      const name = Object.keys(command)[0];
      const db = name === 'listDatabases' ? shared.client.db('admin') : database;
      await expect(db.command({ ...command, nonsense: 1 }), name).rejects.toMatchObject({
        code: 40415,
        message: expect.stringContaining(`.nonsense' is an unknown field.`),
      });
    }
  });

  test('describe the server', async () => {
    expect(await database.command({ hello: 1 })).toMatchObject({
      isWritablePrimary: true,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      logicalSessionTimeoutMinutes: 30,
      minWireVersion: 0,
      maxWireVersion: 21,
      readOnly: false,
      localTime: expect.any(Date),
    });
    expect(await database.command({ isMaster: 1 })).toMatchObject({ ismaster: true, helloOk: true });
    const admin = shared.client.db('admin').admin();
    expect(await admin.serverStatus()).toMatchObject({ version: '7.0.0', uptime: expect.any(Number), connections: {} });
    expect(await admin.buildInfo()).toMatchObject({ version: '7.0.0', maxBsonObjectSize: 16_777_216 });
    expect(await admin.ping()).toMatchObject({ ok: 1 });
    expect((await admin.listDatabases()).databases.map(({ name }) => name)).toContain('reads');
  });

  test('serves clients that offer compression, uncompressed', async () => {
    const client = await new MongoClient(shared.store.uri, { compressors: ['zlib'] }).connect();
    const answer = await client.db('reads').command({ hello: 1, compression: ['zlib'] });
    expect(answer.compression ?? []).toEqual([]);
    expect(await client.db('reads').collection('c').insertOne({})).toMatchObject({ acknowledged: true });
    await client.close();
  });

  test('serves every read preference and concern that a single server can support', async () => {
    const collection = await collectionOf(numbered(2));
    for (const readPreference of ['primary', 'primaryPreferred', 'secondaryPreferred', 'nearest'] as const) {
      expect(await collection.find({}, { readPreference, readConcern: 'majority' }).toArray()).toHaveLength(2);
    }
    expect(await collection.find({}, { readConcern: 'available' }).toArray()).toHaveLength(2);
  });
});

test('returns values with their stored types', async () => {
  const document = {
    _id: new ObjectId(),
    int: new Int32(1),
    double: new Double(1),
    long: Long.fromNumber(1),
    decimal: Decimal128.fromString('1.50'),
    timestamp: new Timestamp({ t: 1, i: 2 }),
    nested: { list: [new Int32(1), new Double(2), [Long.fromNumber(3)]] },
  };
  const collection = await collectionOf([document]);
  expect(await collection.findOne({}, { promoteValues: false, promoteLongs: false })).toEqual(document);
});
