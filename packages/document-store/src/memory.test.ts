import { on } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Document, deserialize, serialize } from 'bson';
import { type Collection, type FindCursor, MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryBudget } from './memory.ts';
import { openTestStore, sequenceFrame, spawnStore, temporaryDirectory } from './test-store.ts';
import { FrameReader, messageBody, messageFrame } from './wire.ts';

const MEGABYTE = 1024 * 1024;
/** A tenth of the default, so that tests need little time to exceed it. */
const SMALL = { memoryBytes: 25.6 * MEGABYTE };
const EXCEEDED = { code: 146, codeName: 'ExceededMemoryLimit' };

/** Returns a process's peak memory. */
function peakBytes(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Inserts a thousand documents of this many characters. */
async function insertThousand(things: Collection, characters: number): Promise<void> {
  for (let n = 0; n < 1_000; n += 100) {
    await things.insertMany(Array.from({ length: 100 }, (_, at) => ({ n: n + at, text: 'x'.repeat(characters) })));
  }
}

const sortOf = (things: Collection) => () => things.find().sort({ text: 1, n: -1 }).project({ n: 1 }).toArray();

/** Runs an operation eight times at once, which exceeds the budget. Returns the first refusal. */
async function expectRefusals(run: () => Promise<unknown>): Promise<string> {
  const alone = await run();
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, run));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  for (const { reason } of refused) expect(reason).toMatchObject(EXCEEDED);
  expect(await run()).toEqual(alone);
  return String(refused[0]?.reason);
}

test('concurrent operations share one budget; those that exceed it are rejected, and all release their memory', async () => {
  const { store } = await openTestStore(SMALL);
  const client = await new MongoClient(store.uri, { maxPoolSize: 20 }).connect();
  onTestFinished(() => client.close());
  const things = client.db('budget').collection('things');
  // Each operation holds all of them.
  await insertThousand(things, 6_500);
  const pipelines = [
    [{ $group: { _id: null, all: { $push: '$$ROOT' } } }, { $project: { n: { $size: '$all' } } }],
    [{ $facet: { all: [{ $sort: { text: 1 } }, { $limit: 900 }, { $count: 'n' }] } }],
    [{ $sample: { size: 1_000 } }, { $count: 'n' }],
    [{ $sort: { text: 1 } }, { $group: { _id: null, n: { $sum: 1 }, last: { $last: '$n' } } }],
  ];
  const operations = [sortOf(things), ...pipelines.map((stages) => () => things.aggregate(stages).toArray())];
  for (const run of operations)
    expect(await expectRefusals(run)).toMatch(/not enough memory for .*all operations together may use 26 MB/);
});

test('a process needs little more memory than its budget', async () => {
  const directory = await temporaryDirectory();
  // Bounds the garbage that a busy machine leaves uncollected. Ten sorts without the budget hold more than this.
  const { uri, child } = await spawnStore(directory, undefined, ['--max-old-space-size=512']);
  const client = await new MongoClient(uri, { maxPoolSize: 20 }).connect();
  onTestFinished(() => client.close());
  const things = client.db('budget').collection('things');
  await insertThousand(things, 65_000);
  expect(await expectRefusals(sortOf(things))).toMatch(/may use 256 MB/);
  expect(peakBytes(child.pid as number)).toBeLessThan(1000 * MEGABYTE);
});

test('open cursors use the budget until they close', async () => {
  const { client } = await openTestStore(SMALL);
  const things = client.db('cursors').collection('things');
  for (let n = 0; n < 20; n++) await things.insertOne({ n, text: 'x'.repeat(200_000) });
  const open = async () => {
    const cursor = things.find().sort({ text: 1 }).batchSize(1);
    await cursor.next();
    return cursor;
  };
  const cursors: FindCursor[] = [];
  let refusal: unknown;
  for (let count = 0; count < 20 && !refusal; count++) {
    await open().then(
      (cursor) => cursors.push(cursor),
      (error) => {
        refusal = error;
      },
    );
  }
  expect(refusal).toMatchObject(EXCEEDED);
  expect(await things.findOne({ n: 3 }, { projection: { n: 1 } })).toMatchObject({ n: 3 });
  for (const cursor of cursors) await cursor.close();
  await (await open()).close();
});

test('incoming requests share the budget; excess ones are rejected, but their connections continue', async () => {
  const { client, directory } = await openTestStore(SMALL);
  await client.db('a').command({ ping: 1 });
  const document = { text: 'x'.repeat(1_500_000) };
  const bytes = serialize(document);
  const frameOf = (count: number) =>
    sequenceFrame({ insert: 'things', $db: 'a' }, 'documents', new Array(count).fill(bytes));
  const open = () => {
    const socket = connect(`${directory}/s.sock`);
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  // Clients that send all but the last byte of their messages, 25.5 MB in total.
  const sockets: Socket[] = [];
  for (const count of [3, 3, 3, 3, 3, 2]) {
    const frame = frameOf(count);
    const socket = open();
    await new Promise<void>((resolve) => socket.write(frame.subarray(0, -1), () => resolve()));
    sockets.push(socket);
  }
  const refused = open();
  refused.write(Buffer.concat([frameOf(3), messageFrame(serialize({ ping: 1, $db: 'a' }))]));
  const answers = await answersOf(refused, 2);
  expect(answers[0]).toMatchObject({ ok: 0, ...EXCEEDED });
  expect(answers[1]).toEqual({ ok: 1 });
  expect(await client.db('a').command({ ping: 1 })).toEqual({ ok: 1 });
  for (const socket of sockets) socket.destroy();
  const again = open();
  await expect
    .poll(async () => {
      again.write(frameOf(3));
      return (await answersOf(again, 1))[0];
    })
    .toMatchObject({ ok: 1, n: 3 });
});

test('skips a rejected frame to its end, however it is split', () => {
  const memory = new MemoryBudget(200_000);
  const other = memory.openAccount();
  other.reserve(150_000, 'others');
  const ping = messageFrame(serialize({ ping: 1, $db: 'a' }));
  const stream = Buffer.concat([ping, messageFrame(serialize({ x: 'x'.repeat(300_000) })), ping, ping]);
  for (const size of [stream.length, 70_000, 4096, 7]) {
    const reader = new FrameReader(memory);
    const frames = [];
    for (let at = 0; at < stream.length; at += size) frames.push(...reader.push(stream.subarray(at, at + size)));
    expect(frames.map(({ refusal }) => refusal?.code)).toEqual(
      size === stream.length ? [undefined, undefined, undefined, undefined] : [undefined, 146, undefined, undefined],
    );
    for (const { account } of frames) account.close();
    expect(memory.used).toBe(150_000);
  }
});

test('unread replies use the budget until their connection ends', async () => {
  const { client, directory } = await openTestStore(SMALL);
  const things = client.db('slow').collection('things');
  await things.insertOne({ text: 'x'.repeat(1_500_000) });
  const find = messageFrame(serialize({ find: 'things', $db: 'slow' }));
  const sockets = Array.from({ length: 25 }, () => {
    const socket = connect(`${directory}/s.sock`);
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(find);
    return socket;
  });
  const started = async () => (await client.db('a').admin().serverStatus()).metrics.commands.find.total;
  await expect.poll(started).toBe(25);
  await client.db('a').command({ ping: 1 });
  // They only start to read now.
  const answers = (await Promise.all(sockets.map((socket) => answersOf(socket, 1)))).flat();
  expect(answers).toHaveLength(25);
  const refused = answers.filter(({ code }) => code === 146);
  expect(refused.length).toBeGreaterThanOrEqual(25 - 17);
  expect(answers.filter(({ ok }) => ok === 1).length).toBe(25 - refused.length);
  expect((await things.findOne())?.text.length).toBe(1_500_000);
});

/** Reads the next replies from a socket. */
async function answersOf(socket: Socket, count: number): Promise<Document[]> {
  const reader = new FrameReader(new MemoryBudget());
  const answers: Document[] = [];
  const chunks = on(socket, 'data', { close: ['close'] });
  socket.resume();
  for await (const [chunk] of chunks) {
    answers.push(...reader.push(chunk).map(({ bytes }) => deserialize(messageBody(bytes))));
    if (answers.length >= count) break;
  }
  return answers;
}
