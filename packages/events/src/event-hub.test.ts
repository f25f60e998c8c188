import { newId } from '@chorus/contract';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ANY_ATTEMPT } from './event-log.ts';
import { liveChannel } from './keys.ts';
import type { StoredEvent } from './read-log.ts';
import {
  inOrder,
  isEnd,
  openEvents,
  readUntil,
  seeded,
  type TestEvents,
  textOf,
  turn,
  until,
  writeEvents,
} from './test-events.ts';

let server: TestRedis;
let events: TestEvents;

beforeAll(async () => {
  server = await startRedis();
  events = openEvents(server);
});
afterAll(async () => {
  events.close();
  await server.stop();
});

const delta = (text: string) => ({ type: 'text.delta', index: 0, delta: text }) as const;
const succeeded = { type: 'execution.succeeded' } as const;

describe.each([1, 2, 3])('seed %i: readers that leave and return while a writer floods the log', (seed) => {
  test('each receives everything after its number once, in order', async () => {
    const random = seeded(seed);
    const other = openEvents(server); // another process
    onTestFinished(() => other.close());
    const { writer, executionId } = writeEvents(events.log);
    const words = Array.from({ length: 4_000 }, (_, i) => `${i} ${'x'.repeat(Math.floor(random() * 30))} `);
    let emitted = 0;

    const follow = async (openAt: number): Promise<StoredEvent[]> => {
      const seen: StoredEvent[] = [];
      while (emitted < openAt) await turn();
      while (!seen.some(isEnd)) {
        const hub = random() < 0.5 ? events.hub : other.hub;
        const reader = await hub.open(executionId, seen.at(-1)?.seq ?? 0);
        const stayFor = random() < 0.3 ? Number.POSITIVE_INFINITY : Math.floor(random() * 20);
        for (let reads = 0; reads < stayFor && !seen.some(isEnd); reads += 1) {
          seen.push(...(await reader.next()));
          for (let idle = Math.floor(random() * 5); idle > 0; idle -= 1) await turn();
        }
        reader.close();
      }
      return seen;
    };
    const readers = Array.from({ length: 30 }, () => follow(Math.floor(random() * words.length)));

    writer.emit({ type: 'execution.started', attempt: 1 });
    for (const word of words) {
      const full = writer.emit(delta(word));
      if (full) await full;
      emitted += 1;
      if (random() < 0.2) await turn();
    }
    await writer.end(succeeded);

    const text = words.join('');
    for (const seen of await Promise.all(readers)) {
      expect(seen.map(({ seq }) => seq)).toEqual(Array.from(seen, (_, i) => i + 2));
      expect(textOf(seen)).toBe(text);
      expect(seen.filter(isEnd)).toHaveLength(1);
    }
  });
});

test('is subscribed when open returns: later appends arrive without reading the log', async () => {
  const id = newId('job');
  const reader = await events.hub.open(id, 0, { fresh: true });
  await events.log.append(id, 1, 1, [delta('a'), succeeded]);
  expect(await reader.next()).toEqual([
    { seq: 2, event: delta('a') },
    { seq: 3, event: succeeded },
  ]);
  expect(reader.seq).toBe(3);
  reader.close();
});

test('executions that a hub follows from the start share its channel', async () => {
  const [own, other] = [openEvents(server), openEvents(server)];
  onTestFinished(() => {
    own.close();
    other.close();
  });
  const ids = Array.from({ length: 20 }, () => newId('job'));
  const readers = await Promise.all(ids.map((id) => own.hub.open(id, 0, { fresh: true })));
  const resumed = await other.hub.open(ids[0] as string, 2);
  const elsewhere = await other.hub.open(ids[1] as string, 0, { fresh: true });
  const counted = (await events.redis.call('PUBSUB', 'NUMSUB', ...ids.map(liveChannel))) as (string | number)[];
  expect(counted.filter((count) => count === 1)).toHaveLength(1); // the resumed reader's
  for (const id of ids) await events.log.append(id, 1, 1, [delta('a')], own.hub.channel);
  // From outside, where the followers are unknown.
  for (const id of ids) await events.log.append(id, ANY_ATTEMPT, -1, [succeeded]);
  for (const reader of readers) expect((await readUntil(reader)).map(({ seq }) => seq)).toEqual([2, 3]);
  expect((await readUntil(resumed)).map(({ seq }) => seq)).toEqual([3]);
  // It has missed the delta, but reads the log.
  expect((await readUntil(elsewhere)).map(({ seq }) => seq)).toEqual([2, 3]);
  for (const reader of [...readers, resumed, elsewhere]) reader.close();
  expect([own.hub.size, other.hub.size]).toEqual([0, 0]);
});

test('a reader that starts in the middle or at the end receives the rest', async () => {
  const id = newId('job');
  await events.log.append(id, 1, 1, [delta('a'), delta('b'), succeeded]);
  for (const [after, numbers] of [
    [0, [2, 3, 4]],
    [1, [2, 3, 4]],
    [2, [3, 4]],
    [3, [4]],
  ] as const) {
    const reader = await events.hub.open(id, after);
    expect((await reader.next()).map(({ seq }) => seq)).toEqual(numbers);
    reader.close();
  }
  const done = await events.hub.open(id, 4);
  expect(await done.next()).toEqual([]); // the caller then reads the record
  done.close();
  const beyond = await events.hub.open(id, 1_000);
  expect(await beyond.next()).toEqual([]);
  beyond.close();
});

test('closing ends a wait, and no events follow', async () => {
  const id = newId('job');
  const reader = await events.hub.open(id, 0, { fresh: true });
  const waiting = reader.next();
  reader.close();
  expect(await waiting).toEqual([]);
  expect(reader.closed).toBe(true);
  await events.log.append(id, 1, 1, [delta('a')]);
  expect(await reader.next()).toEqual([]);
  reader.close();
});

test('a hundred readers share one subscriber connection, and a channel closes with its last reader', async () => {
  const own = openEvents(server);
  onTestFinished(() => own.close());
  const subscribers = async () =>
    String(await events.redis.call('CLIENT', 'LIST', 'TYPE', 'pubsub'))
      .split('\n')
      .filter((line) => line.includes('id=')).length;
  const channels = async (ids: string[]) => {
    const counted = (await events.redis.call('PUBSUB', 'NUMSUB', ...ids.map(liveChannel))) as (string | number)[];
    return counted.reduce<number>((sum, value) => sum + (typeof value === 'number' ? value : 0), 0);
  };
  await own.hub.open(newId('job'), 0).then((reader) => reader.close()); // opens the connection
  const before = await subscribers();
  const ids = Array.from({ length: 50 }, () => newId('job'));
  const readers = await Promise.all([...ids, ...ids].map((id) => own.hub.open(id, 0)));
  expect(await subscribers()).toBe(before);
  expect(await channels(ids)).toBe(50);
  expect(own.hub.size).toBe(100);

  for (const reader of readers.slice(0, 50)) reader.close();
  expect(own.hub.size).toBe(50);
  await Promise.all(ids.map((id) => events.log.append(id, 1, 1, [succeeded])));
  for (const reader of readers.slice(50)) expect((await readUntil(reader)).map(({ seq }) => seq)).toEqual([2]);

  for (const reader of readers) reader.close();
  expect(own.hub.size).toBe(0);
  await until(async () => (await channels(ids)) === 0);
});

test('a channel that is left and joined again in the same tick stays subscribed', async () => {
  const id = newId('job');
  for (let round = 0; round < 20; round += 1) {
    const leaving = await events.hub.open(id, 0, { fresh: true });
    leaving.close();
    const entering = events.hub.open(id, 0, { fresh: true });
    const reader = await entering;
    const last = (await events.log.peek(id))?.seq ?? 1;
    await events.log.append(id, 1, last, [delta('a')]);
    expect((await reader.next()).at(-1)?.seq).toBe(last + 1);
    reader.close();
  }
});

test('a slow reader buffers at most 64 KiB and reads the rest from the log', async () => {
  const { writer, executionId } = writeEvents(events.log);
  const slow = await events.hub.open(executionId, 0, { fresh: true });
  const fast = await events.hub.open(executionId, 0, { fresh: true });
  const reading = readUntil(fast);
  const word = 'slow and steady '.repeat(16);
  for (let i = 0; i < 8_000; i += 1) {
    const full = writer.emit(delta(word));
    if (full) await full;
    if (i % 20 === 0) await writer.flush();
  }
  await writer.end(succeeded);
  const all = await reading; // both readers share a connection, so the slow one has received every message, too
  fast.close();
  expect(textOf(all).length).toBe(8_000 * word.length);

  const kept = await slow.next();
  expect(kept.length).toBeGreaterThan(0);
  expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(80_000);
  const rest = await readUntil(slow);
  slow.close();
  expect([...kept, ...rest]).toEqual(all);
});

test('a reader that has caught up from the log goes live again', async () => {
  const { writer, executionId } = writeEvents(events.log);
  const reader = await events.hub.open(executionId, 0, { fresh: true });
  for (let i = 0; i < 100; i += 1) {
    writer.emit(delta('x'.repeat(2_000)));
    await writer.flush();
  }
  const seen = await readUntil(reader, (read) => read.at(-1)?.seq === 101);
  const reads = async () => /xrange:calls=(\d+)/.exec(await events.redis.info('commandstats'))?.[1];
  const readLive = async () => {
    writer.emit(delta('live'));
    await writer.flush();
    seen.push(...(await reader.next()));
  };
  await readLive(); // the first may still come from the log
  const before = await reads();
  for (let i = 0; i < 19; i += 1) await readLive();
  expect(await reads()).toBe(before);
  expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, i) => i + 2));
  reader.close();
});

test('loses and repeats nothing when Redis restarts while readers wait and a writer writes', async () => {
  const own = await startRedis();
  const [writing, reading] = [openEvents(own), openEvents(own)];
  onTestFinished(async () => {
    writing.close();
    reading.close();
    await own.stop();
  });
  const { writer, executionId, calls } = writeEvents(writing.log);
  const readers = await Promise.all(Array.from({ length: 5 }, () => reading.hub.open(executionId, 0, { fresh: true })));
  const silent = newId('job');
  const waiting = await reading.hub.open(silent, 0, { fresh: true });
  const following = readers.map((reader) => readUntil(reader));

  let expected = '';
  let stop = false;
  const flood = (async () => {
    for (let i = 0; !stop; i += 1) {
      const word = `${i} `;
      expected += word;
      const full = writer.emit(delta(word));
      if (full) await full;
      await turn();
    }
  })();
  for (let round = 0; round < 3; round += 1) {
    const length = expected.length;
    await until(() => expected.length > length + 500);
    await own.restart();
  }
  // The renewed subscription receives later events.
  await writing.log.append(silent, 1, 1, [succeeded]);
  expect((await readUntil(waiting)).map(({ seq }) => seq)).toEqual([2]);
  stop = true;
  await flood;
  expect(await writer.end(succeeded)).toBe(true);
  expect(calls.refusals).toEqual([]);
  for (const seen of await Promise.all(following)) {
    expect(inOrder(seen)).toBe(true);
    expect(textOf(seen)).toBe(expected);
    expect(seen.filter(isEnd)).toHaveLength(1);
  }
  for (const reader of [...readers, waiting]) reader.close();
});

test('opening fails in time while Redis is down, and leaves nothing behind', async () => {
  const own = await startRedis();
  const reading = openEvents(own, undefined, 'request');
  onTestFinished(async () => {
    reading.close();
    await own.stop();
  });
  await (await reading.hub.open(newId('job'), 0)).next();
  await own.kill();
  await expect(reading.hub.open(newId('job'), 0)).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(reading.hub.size).toBe(1);
});
