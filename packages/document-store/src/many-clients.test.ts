import { connect } from 'node:net';
import { type Document, Long, MongoClient } from 'mongodb';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { Cursor, Cursors } from './plan/cursors.ts';
import { Candidate, type Source } from './plan/source.ts';
import { openTestStore } from './test-store.ts';

const numbered = (count: number): Document[] => Array.from({ length: count }, (_, n) => ({ n }));

afterEach(() => void vi.useRealTimers());

test('serves many connections at once, and releases them', async () => {
  const { store, client, directory } = await openTestStore();
  const status = async () => (await client.db('admin').command({ serverStatus: 1 })).connections.current as number;
  const before = await status();
  const idle = Array.from({ length: 300 }, () => connect(`${directory}/s.sock`));
  const many = await new MongoClient(store.uri, { maxPoolSize: 100, maxConnecting: 50 }).connect();
  const records = many.db('clients').collection('records');
  await records.createIndex({ n: 1 }, { unique: true });
  await Promise.all(numbered(500).map((document) => records.insertOne(document)));
  const found = await Promise.all(numbered(500).map(({ n }) => records.findOne({ n })));
  expect(found.map((document) => document?.n)).toEqual(numbered(500).map(({ n }) => n));
  expect(await status()).toBeGreaterThan(before + 300);
  for (const socket of idle) socket.destroy();
  await many.close();
  await expect.poll(status).toBeLessThanOrEqual(before + 1);
});

test('continues many open cursors independently', async () => {
  const { client } = await openTestStore();
  const records = client.db('clients').collection('records');
  await records.insertMany(numbered(50));
  const cursors = Array.from({ length: 500 }, (_, skip) => records.find({ n: { $gte: skip % 40 } }).batchSize(5));
  onTestFinished(async () => void (await Promise.all(cursors.map((cursor) => cursor.close()))));
  for (let round = 0; round < 7; round++) {
    const next = await Promise.all(cursors.map((cursor) => cursor.next()));
    expect(next.map((document) => document?.n)).toEqual(cursors.map((_, skip) => (skip % 40) + round));
  }
  const open = async () => (await client.db('admin').command({ serverStatus: 1 })).metrics.cursor.open.total;
  expect(await open()).toBeGreaterThan(300);
  await Promise.all(cursors.map((cursor) => cursor.close()));
  expect(await open()).toBe(0);
});

test('limits the number of cursors, and closes idle ones after ten minutes', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const cursors = new Cursors();
  const keep = (): Cursor => {
    const cursor = new Cursor('a.b', endless());
    cursors.add(cursor);
    return cursor;
  };
  const [used, unused] = [keep(), keep()];
  for (let kept = 2; kept < 10_000; kept++) keep();
  expect(keep).toThrow('more than 10000 open cursors');
  vi.advanceTimersByTime(6 * 60_000);
  expect(cursors.find(used.id, 'a.b')).toBe(used);
  expect(keep).toThrow('more than 10000 open cursors');
  vi.advanceTimersByTime(6 * 60_000);
  const another = keep();
  expect(cursors.size).toBe(2);
  expect([used, another].map(({ id }) => cursors.find(id, 'a.b'))).toEqual([used, another]);
  expect(() => cursors.find(unused.id, 'a.b')).toThrow(expect.objectContaining({ code: 43 }));
});

function* endless(): Source {
  for (;;) yield [Candidate.of({ _id: Long.ZERO })];
}

test('a long search for missing values does not delay others', async () => {
  const { client } = await openTestStore();
  const records = client.db('clients').collection('records');
  await records.insertOne({ n: 0 });
  const find = records.find({ _id: { $in: numbered(20_000).map(({ n }) => Long.fromNumber(n)) } as never }).toArray();
  let isOver = false;
  const found = find.finally(() => {
    isOver = true;
  });
  let served = 0;
  for (; !isOver; served++) await client.db('clients').command({ ping: 1 });
  expect(await found).toEqual([]);
  expect(served).toBeGreaterThan(10);
});

test('accepts batches beyond the limits of one message or command', async () => {
  const { client } = await openTestStore();
  const records = client.db('clients').collection('batches');
  const large = numbered(13).map(({ n }) => ({ n, text: 'x'.repeat(4_000_000) }));
  expect((await records.insertMany(large)).insertedCount).toBe(13);
  expect((await records.insertMany(numbered(100_001))).insertedCount).toBe(100_001);
  expect(await records.estimatedDocumentCount()).toBe(100_014);
  const deletes = numbered(100_001).map((q) => ({ q, limit: 1 }));
  await expect(client.db('clients').command({ delete: 'batches', deletes })).rejects.toMatchObject({ code: 16 });
});
