import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { type Document, deserialize, serialize } from 'bson';
import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { startDocumentStore } from './server.ts';
import { openTestStore, spawnStore, temporaryDirectory } from './test-store.ts';

const OP_MSG = 2013;

function message(command: Document, flags = 0, opCode = OP_MSG): Buffer {
  const body = serialize(command);
  const frame = Buffer.alloc(21 + body.length + (flags & 1 ? 4 : 0));
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(7, 4);
  frame.writeInt32LE(opCode, 12);
  frame.writeUInt32LE(flags, 16);
  frame.set(body, 21);
  return frame;
}

async function connected(path: string): Promise<Socket> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function answerOf(socket: Socket): Promise<Document> {
  let held: Buffer = Buffer.alloc(0);
  while (held.length < 4 || held.length < held.readInt32LE(0))
    held = Buffer.concat([held, (await once(socket, 'data'))[0]]);
  return deserialize(held.subarray(21));
}

test('presents itself to drivers as a standalone server with sessions', async () => {
  const { client } = await openTestStore();
  const hello = await client.db('admin').command({ hello: 1 });
  expect(hello).toMatchObject({ isWritablePrimary: true, maxWireVersion: 21, logicalSessionTimeoutMinutes: 30, ok: 1 });
  expect(hello.setName).toBeUndefined();
  expect(await client.db('admin').command({ ping: 1 })).toEqual({ ok: 1 });
  expect((await client.db('admin').command({ buildInfo: 1 })).versionArray).toEqual([7, 0, 0, 0]);
  expect(await client.db('admin').command({ serverStatus: 1 })).toMatchObject({
    process: 'document-store',
    pid: process.pid,
  });
});

test('rejects unknown commands, transactions, and change streams with the codes that drivers know', async () => {
  const { client } = await openTestStore();
  const database = client.db('refusals');
  await expect(database.command({ frobnicate: 1 })).rejects.toMatchObject({ code: 59, codeName: 'CommandNotFound' });
  await expect(
    client.withSession((session) => session.withTransaction(() => database.collection('a').findOne({}, { session }))),
  ).rejects.toMatchObject({ code: 20, message: expect.stringContaining('does not support transactions') });
  await expect(database.collection('a').watch().next()).rejects.toMatchObject({ code: 40573 });
  await expect(database.collection('a').findOne({ $where: '1' })).rejects.toThrow();
  await expect(database.collection('a').insertOne({}, { writeConcern: { w: 2 } })).rejects.toMatchObject({ code: 2 });
});

test('makes the socket private, and replaces that of a killed server', async () => {
  const directory = await temporaryDirectory();
  const { child } = await spawnStore(directory);
  const socket = join(directory, 's.sock');
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { uri } = await spawnStore(directory);
  const client = await new MongoClient(uri).connect();
  onTestFinished(() => client.close());
  expect(await client.db('any').command({ ping: 1 })).toEqual({ ok: 1 });
});

test('rejects a second server on the same directory or socket', async () => {
  const directory = await temporaryDirectory();
  const { child } = await spawnStore(directory);
  const path = join(directory, 'data');
  await expect(startDocumentStore({ path, port: 0 })).rejects.toThrow(
    `in use by another document store (process ${child.pid})`,
  );
  const other = { path: join(directory, 'other'), socket: join(directory, 's.sock') };
  await expect(startDocumentStore(other)).rejects.toThrow('Another server is listening');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  const store = await startDocumentStore({ path });
  await store.close();
});

test('exactly one of several simultaneous servers gets a directory', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'data');
  const starts = await Promise.allSettled(Array.from({ length: 4 }, () => spawnStore(directory, ['--port', '0'])));
  const refused = starts.filter((start) => start.status === 'rejected');
  expect(refused).toHaveLength(3);
  for (const { reason } of refused) expect(String(reason)).toContain(`${path} is in use by another document store`);
});

test('relies on the lock, not on the process id that a killed server left', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'data');
  const { child } = await spawnStore(directory);
  child.kill('SIGKILL');
  await once(child, 'exit');
  writeFileSync(join(path, 'server.json'), JSON.stringify({ pid: process.ppid })); // a reused process id
  const store = await startDocumentStore({ path });
  await store.close();
});

test('rejects a socket path that the system would truncate', async () => {
  const directory = await temporaryDirectory();
  const socket = join(directory, 'x'.repeat(120));
  await expect(startDocumentStore({ path: join(directory, 'data'), socket })).rejects.toThrow('longer than 107 bytes');
});

test('listens on a free loopback port', async () => {
  const directory = await temporaryDirectory();
  const store = await startDocumentStore({ path: directory, port: 0 });
  onTestFinished(() => store.close());
  expect(store.uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+$/);
  const client = await new MongoClient(`${store.uri}/chorus`).connect();
  onTestFinished(() => client.close());
  await client.db().collection('a').insertOne({ a: 1 });
  expect(await client.db('chorus').collection('a').countDocuments()).toBe(1);
});

test.each([
  ['not a frame', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  ['a negative length', Buffer.from([255, 255, 255, 255, ...new Array(20).fill(0)])],
  ['a length over the limit', Buffer.from([0, 0, 0, 127, ...new Array(20).fill(0)])],
  ['an unknown operation', message({ ping: 1, $db: 'a' }, 0, 2012)],
  ['unknown flags', message({ ping: 1, $db: 'a' }, 64)],
  ['a broken document', Buffer.concat([message({ ping: 1, $db: 'a' }).subarray(0, 30), Buffer.alloc(60, 255)])],
])('closes only the connection that sends %s', async (_name, bytes) => {
  const { directory, client } = await openTestStore();
  const socket = await connected(join(directory, 's.sock'));
  const closed = once(socket, 'close');
  if (bytes.readInt32LE(0) > 0 && bytes.readInt32LE(0) < 1000) bytes.writeInt32LE(bytes.length, 0);
  socket.write(bytes);
  socket.resume();
  await closed;
  expect(await client.db('a').command({ ping: 1 })).toEqual({ ok: 1 });
});

test('assembles a request from single bytes, with a checksum', async () => {
  const { directory } = await openTestStore();
  const socket = await connected(join(directory, 's.sock'));
  for (const byte of message({ ping: 1, $db: 'a' }, 1)) {
    socket.write(Buffer.of(byte));
    await turn();
  }
  expect(await answerOf(socket)).toEqual({ ok: 1 });
});

test('replies to pipelined requests in order', async () => {
  const { directory, client } = await openTestStore();
  const socket = await connected(join(directory, 's.sock'));
  const moreToCome = 2;
  const inserts = Array.from({ length: 50 }, (_, n) =>
    message({ insert: 'ahead', $db: 'a', documents: [{ n }] }, moreToCome),
  );
  socket.write(Buffer.concat([...inserts, message({ count: 'ahead', $db: 'a' })]));
  expect(await answerOf(socket)).toMatchObject({ n: 50, ok: 1 });
  const stored = await client.db('a').collection('ahead').find().toArray();
  expect(stored.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
});

test('survives a document nested too deeply to be compared', async () => {
  const { client } = await openTestStore();
  const depth = 20_000;
  const opening = Buffer.concat([Buffer.alloc(4), Buffer.from([3, 97, 0])]);
  const deep = Buffer.concat([
    ...Array.from({ length: depth }, () => Buffer.from(opening)),
    Buffer.from([5, 0, 0, 0, 0]),
    Buffer.alloc(depth),
  ]);
  for (let level = 0; level < depth; level++) deep.writeInt32LE(deep.length - level * 8, level * 7);
  const collection = client.db('deep').collection('a');
  await collection.createIndex({ a: 1 });
  await expect(collection.insertOne(deserialize(deep))).rejects.toMatchObject({ code: 15 });
  await expect(collection.findOne(deserialize(deep))).rejects.toMatchObject({ code: 15 });
  expect(await client.db('a').command({ ping: 1 })).toEqual({ ok: 1 });
});

test('shuts down immediately, even during a long scan', async () => {
  const directory = await temporaryDirectory();
  const { uri, child } = await spawnStore(directory);
  const client = await new MongoClient(uri).connect();
  const collection = client.db('a').collection('long');
  await collection.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'words '.repeat(20) })));
  const scans = Array.from({ length: 10 }, () =>
    collection
      .find({ text: /nowhere$/ })
      .toArray()
      .then(
        () => 'found',
        (error) => error.code ?? 'lost',
      ),
  );
  await client.db('a').command({ ping: 1 });
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
  // The driver would look for the server for half a minute.
  await client.close();
  await Promise.all(scans);
});
