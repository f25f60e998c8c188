import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type Document, serialize } from 'bson';
import { expect, onTestFinished, test } from 'vitest';
import { openTestStore } from './test-store.ts';
import { messageFrame } from './wire.ts';

/** Returns repeatable random numbers (mulberry32). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

async function connected(directory: string): Promise<Socket> {
  const socket = connect(`${directory}/s.sock`);
  socket.on('error', () => undefined); // a malformed frame ends the connection
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const COMMANDS: Document[] = [
  { insert: 'things', documents: [{ _id: 1, a: [1, { b: 'text' }], c: new Date(0) }], $db: 'fuzz' },
  { find: 'things', filter: { a: { $in: [1, 'x', null] }, 'c.d': { $gt: 5 } }, sort: { a: -1 }, $db: 'fuzz' },
  { update: 'things', updates: [{ q: { _id: 1 }, u: { $push: { a: { $each: [1], $slice: -2 } } } }], $db: 'fuzz' },
  { aggregate: 'things', pipeline: [{ $match: { a: /x+/ } }, { $count: 'n' }], cursor: {}, $db: 'fuzz' },
  { findAndModify: 'things', query: { _id: 1 }, update: { $inc: { n: 1 } }, upsert: true, $db: 'fuzz' },
  { createIndexes: 'things', indexes: [{ key: { a: 1 }, name: 'a_1' }], $db: 'fuzz' },
  { delete: 'things', deletes: [{ q: { a: { $exists: false } }, limit: 1 }], $db: 'fuzz' },
];

/** Changes, removes, or repeats a few bytes of a valid frame, and corrects its length. */
function mutatedFrame(random: (below: number) => number): Buffer {
  let frame = messageFrame(serialize(COMMANDS[random(COMMANDS.length)] as Document));
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = 16 + random(frame.length - 16);
    const kind = random(4);
    if (kind === 0) frame[at] = random(256);
    else if (kind === 1) frame[at] = [0, 1, 0x7f, 0x80, 0xff][random(5)] as number;
    else if (kind === 2) frame = Buffer.concat([frame.subarray(0, at), frame.subarray(at + random(4))]);
    else frame = Buffer.concat([frame.subarray(0, at), frame.subarray(Math.max(16, at - random(9)))]);
  }
  frame.writeInt32LE(frame.length, 0);
  return frame;
}

test.each([1, 2, 3, 4])(
  'survives mutated frames, and replies to each or closes the connection, seed %i',
  async (seed) => {
    const faults: unknown[] = [];
    const { directory, client } = await openTestStore({ report: (error) => faults.push(error) });
    await client.db('kept').collection('things').insertOne({ n: 1 });
    const random = generator(seed);
    for (let round = 0; round < 150; round++) {
      const socket = await connected(directory);
      const ended = once(socket, 'close');
      // Either the ping after the frame gets a reply, or the connection ends.
      socket.write(Buffer.concat([mutatedFrame(random), messageFrame(serialize({ ping: 1, $db: 'a' }))]));
      socket.end();
      socket.resume();
      await ended;
    }
    expect(faults).toEqual([]);
    expect(await client.db('kept').collection('things').countDocuments({})).toBe(1);
  },
);

test('handles JavaScript names in documents, paths, and updates safely', async () => {
  const { client } = await openTestStore();
  const things = client.db('names').collection('things');
  const document = JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 2}}, "toString": 3}',
  );
  await things.insertOne(document);
  for (const path of ['__proto__.polluted', 'constructor.prototype.polluted', 'a.__proto__.polluted', '__proto__']) {
    for (const operation of [
      () => things.updateOne({}, { $set: { [path]: 1 } }),
      () => things.updateOne({}, { $rename: { toString: path } }),
      () =>
        things
          .find({ [path]: 1 })
          .sort({ [path]: 1 })
          .project({ [path]: 1 })
          .toArray(),
      () => things.aggregate([{ $group: { _id: `$${path}` } }]).toArray(),
      () => things.distinct(path),
      () => things.createIndex({ [path]: 1 }),
    ]) {
      await operation().catch((error) => expect(error.code, path).toBeTypeOf('number'));
    }
  }
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(await client.db('names').command({ ping: 1 })).toEqual({ ok: 1 });
});

test('aborts an expensive regular expression, and serves others meanwhile', async () => {
  const { client } = await openTestStore();
  const texts = client.db('regex').collection('texts');
  await texts.insertMany(Array.from({ length: 50 }, () => ({ text: `${'a'.repeat(40)}!` })));
  const outcome = await texts
    .find({ text: /^(a+)+$/ })
    .toArray()
    .then(
      () => 'found none',
      (error) => error.code,
    );
  expect(['found none', expect.any(Number)]).toContainEqual(outcome);
  expect(await client.db('regex').command({ ping: 1 })).toEqual({ ok: 1 });
});

test('replies to a ping before an earlier long scan ends', async () => {
  const { directory, client } = await openTestStore();
  await client
    .db('long')
    .collection('scan')
    .insertMany(Array.from({ length: 30_000 }, (_, n) => ({ n, text: 'words '.repeat(20) })));
  const [scanning, pinging] = [await connected(directory), await connected(directory)];
  const order: string[] = [];
  const answered = (name: string, socket: Socket) => once(socket, 'data').then(() => order.push(name));
  const both = [answered('scan', scanning), answered('ping', pinging)];
  const commands = client.db('long').admin();
  const started = async () => (await commands.serverStatus()).metrics.commands.count?.total ?? 0;
  scanning.write(messageFrame(serialize({ count: 'scan', query: { text: { $regex: 'nowhere$' } }, $db: 'long' })));
  while ((await started()) === 0) await turn();
  pinging.write(messageFrame(serialize({ ping: 1, $db: 'long' })));
  await Promise.all(both);
  expect(order).toEqual(['ping', 'scan']);
});

test('stops reading from a client that does not read, and frees it after a disconnect', async () => {
  const { directory, client } = await openTestStore();
  await client
    .db('slow')
    .collection('large')
    .insertOne({ text: 'x'.repeat(1_000_000) });
  const socket = await connected(directory);
  const find = messageFrame(serialize({ find: 'large', $db: 'slow' }));
  const pings = Buffer.concat(Array.from({ length: 200 }, () => find));
  socket.pause();
  let sent = 0;
  const before = process.memoryUsage().rss;
  for (; sent < 5_000 && socket.write(pings); sent++) await turn();
  expect(await client.db('slow').command({ ping: 1 })).toEqual({ ok: 1 });
  // All replies would take gigabytes, but only a few are in memory.
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  expect((await client.db('slow').admin().serverStatus()).connections.current).toBeGreaterThan(1);
  socket.destroy();
});

test('rejects a sort and a value list that would exhaust memory', async () => {
  const { client } = await openTestStore();
  const large = client.db('bounds').collection('large');
  for (let n = 0; n < 8; n++) await large.insertOne({ n, text: String(n).padStart(15_000_000, 'x') });
  await expect(large.find().sort({ text: 1 }).toArray()).rejects.toMatchObject({ code: 292 });
  await expect(large.distinct('text')).rejects.toMatchObject({ code: 17217 });
});

test('finds documents by a list of a hundred thousand values', async () => {
  const { client } = await openTestStore();
  const few = client.db('bounds').collection<{ _id: number }>('few');
  await few.insertMany(Array.from({ length: 1000 }, (_, n) => ({ _id: n })));
  const many = Array.from({ length: 100_000 }, (_, n) => n * 3);
  expect(await few.countDocuments({ _id: { $in: many } })).toBe(334);
});
