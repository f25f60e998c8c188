import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { startDocumentStore } from '../server.ts';
import { openTestStore, temporaryDirectory } from '../test-store.ts';

test('creates, lists, and drops collections and databases', async () => {
  const { client } = await openTestStore();
  const database = client.db('things');
  await database.createCollection('a');
  await database.collection('b').insertOne({ n: 1 });
  const names = async () => (await database.listCollections().toArray()).map(({ name }) => name);
  expect(await names()).toEqual(['a', 'b']);
  expect(await database.collection('b').findOne()).toMatchObject({ n: 1 });
  expect((await client.db().admin().listDatabases()).databases.map(({ name }) => name)).toEqual(['things']);
  expect(await database.collection('a').drop()).toBe(true);
  await database.collection('d').insertOne({});
  await database.dropDatabase();
  expect(await names()).toEqual([]);
  expect((await client.db().admin().listDatabases()).databases).toEqual([]);
});

test('rejects unsupported names and kinds of collections', async () => {
  const { client } = await openTestStore();
  const database = client.db('kinds');
  await expect(database.command({ create: 'a$b' })).rejects.toMatchObject({ code: 73 });
  await expect(database.command({ insert: 'x'.repeat(300), documents: [{}] })).rejects.toMatchObject({ code: 73 });
  await expect(database.createCollection('log', { capped: true, size: 1000 })).rejects.toThrow('capped');
  await expect(database.createCollection('view', { viewOn: 'a', pipeline: [] })).rejects.toThrow('views');
  await expect(database.createCollection('checked', { validator: { a: 1 } })).rejects.toThrow('validators');
  await expect(database.command({ create: 'a', nonsense: true })).rejects.toMatchObject({ code: 40415 });
  await expect(database.createCollection('words', { collation: { locale: 'de' } })).rejects.toThrow('collation');
});

test('restores everything after it was closed', async () => {
  const path = await temporaryDirectory();
  for (let start = 0; start < 3; start++) {
    const store = await startDocumentStore({ path });
    const client = await new MongoClient(store.uri).connect();
    const collection = client.db('kept').collection('things');
    await collection.createIndex({ n: 1 }, { unique: true, sparse: true });
    expect(await collection.countDocuments({})).toBe(start);
    await collection.insertOne({ n: start, tags: ['a', 'b'] });
    await expect(collection.insertOne({ n: start })).rejects.toMatchObject({ code: 11000 });
    await collection.createIndex({ tags: 1 });
    expect((await collection.find({ tags: 'b' }).explain()).queryPlanner.winningPlan.inputStage.isMultiKey).toBe(true);
    await client.close();
    await store.close();
  }
});

test('undoes only a failed command, and nothing else in its turn', async () => {
  const { client } = await openTestStore();
  const database = client.db('turns');
  await database.collection('a').createIndex({ n: 1 }, { unique: true });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, at) =>
      at % 3 === 2
        ? database.command({ createIndexes: `new${at}`, indexes: [{ key: { x: 'text' }, name: 'x' }] })
        : database.collection('a').insertOne({ n: at % 20 }),
    ),
  );
  const stored = await database.collection('a').countDocuments();
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(stored);
  expect(await database.collection('a').distinct('n')).toHaveLength(stored);
  expect((await database.listCollections().toArray()).map(({ name }) => name)).toEqual(['a']);
});
