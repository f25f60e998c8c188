import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { type LogEvent, newId } from '@chorus/contract';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectRedis } from './connection/index.ts';
import { ANY_ATTEMPT, createEventLog } from './event-log.ts';
import { CANCEL_CHANNEL, liveChannel, logKeys } from './keys.ts';
import { readPage } from './read-log.ts';
import { LIMITS, openEvents, type TestEvents } from './test-events.ts';

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

const started: LogEvent = { type: 'execution.started', attempt: 1 };
const isWaiting: LogEvent = { type: 'execution.waiting', reason: 'away', provider: 'test', until: null };
const succeeded: LogEvent = { type: 'execution.succeeded' };
const reset: LogEvent = { type: 'text.reset', reason: 'worker_lost' };
const delta = (text: string): LogEvent => ({ type: 'text.delta', index: 0, delta: text });

async function entries(id: string): Promise<[string, LogEvent][]> {
  const { events: found } = await readPage(events.redis, id, 1, 1_000);
  return found.map(({ seq, event }) => [`${seq}-0`, event]);
}

test('numbers start at 2, since the queued event is number 1 and is never stored', async () => {
  const id = newId('job');
  expect(await events.log.peek(id)).toBeNull();
  expect(await events.log.append(id, 1, 1, [started, delta('a')])).toEqual({
    status: 'appended',
    seq: 3,
    cancelRequested: false,
    shown: true,
    resets: 0,
  });
  expect(await events.log.append(id, 1, 3, [delta('b')])).toMatchObject({ status: 'appended', seq: 4 });
  expect(await entries(id)).toEqual([
    ['2-0', started],
    ['3-0', delta('a')],
    ['4-0', delta('b')],
  ]);
  expect(await events.log.peek(id)).toEqual({ seq: 4, attempt: 1, ended: false });
});

test('refuses an older attempt once a newer one has taken over, with or without events', async () => {
  const id = newId('job');
  await events.log.append(id, 1, 1, [started, delta('old')]);
  expect(await events.log.append(id, 2, -1, [])).toMatchObject({ status: 'appended', seq: 3, shown: true });
  expect(await events.log.append(id, 1, 3, [delta('late')])).toMatchObject({ status: 'fenced', seq: 3 });
  expect(await events.log.append(id, 1, 3, [succeeded])).toMatchObject({ status: 'fenced' });
  expect(await events.log.append(id, 2, 3, [reset, delta('new')])).toMatchObject({ status: 'appended', seq: 5 });
  expect(await events.log.append(id, 1, -1, [])).toMatchObject({ status: 'fenced' });
  expect((await entries(id)).map(([, event]) => event)).toEqual([started, delta('old'), reset, delta('new')]);
});

test('counts resets over all attempts, and a repeated append once', async () => {
  const id = newId('job');
  await events.log.append(id, 1, 1, [started, delta('a')]);
  expect(await events.log.append(id, 1, 3, [reset, delta('b'), reset])).toMatchObject({ seq: 6, resets: 2 });
  expect(await events.log.append(id, 1, 3, [reset, delta('b'), reset])).toMatchObject({ seq: 6, resets: 2 });
  expect(await events.log.append(id, 2, -1, [])).toMatchObject({ resets: 2 });
  expect(await events.log.append(id, 2, 6, [reset, delta('c')])).toMatchObject({ resets: 3 });
  expect(await events.log.append(id, 2, -1, [succeeded])).toMatchObject({ status: 'appended', resets: 3 });
});

test('accepts nothing after the terminal event, from any attempt or from outside', async () => {
  const id = newId('job');
  await events.log.append(id, 1, 1, [started, succeeded]);
  for (const attempt of [1, 2, ANY_ATTEMPT]) {
    expect(await events.log.append(id, attempt, -1, [delta('late')])).toMatchObject({ status: 'ended', seq: 3 });
    expect(await events.log.append(id, attempt, 3, [{ type: 'execution.failed' }])).toMatchObject({ status: 'ended' });
    expect(await events.log.append(id, attempt, -1, [])).toMatchObject({ status: 'ended' });
  }
  expect(await entries(id)).toHaveLength(2);
  expect(await events.log.peek(id)).toEqual({ seq: 3, attempt: 1, ended: true });
});

test('ends a log from outside, whichever attempt holds it, even before any has started', async () => {
  const held = newId('job');
  await events.log.append(held, 3, -1, [started]);
  expect(await events.log.append(held, ANY_ATTEMPT, -1, [{ type: 'execution.cancelled' }])).toMatchObject({ seq: 3 });
  expect(await events.log.append(held, 3, 2, [delta('late')])).toMatchObject({ status: 'ended' });

  const unborn = newId('job');
  expect(await events.log.append(unborn, ANY_ATTEMPT, -1, [{ type: 'execution.cancelled' }])).toMatchObject({ seq: 2 });
  expect(await events.log.append(unborn, 1, 1, [started])).toMatchObject({ status: 'ended' });
  expect(await entries(unborn)).toEqual([['2-0', { type: 'execution.cancelled' }]]);
});

test('exactly one of many concurrent ends succeeds', async () => {
  const id = newId('job');
  const types = ['execution.succeeded', 'execution.failed', 'execution.cancelled'] as const;
  const results = await Promise.all(
    Array.from({ length: 30 }, (_, i) => events.log.append(id, i % 4, -1, [{ type: types[i % 3] ?? types[0] }])),
  );
  expect(results.filter(({ status }) => status === 'appended')).toHaveLength(1);
  expect(await entries(id)).toHaveLength(1);
});

test('a repeated command changes nothing and returns the first result', async () => {
  const id = newId('job');
  const first = await events.log.append(id, 1, 1, [started, delta('a')]);
  expect(await events.log.append(id, 1, 1, [started, delta('a')])).toEqual(first);
  const last = await events.log.append(id, 1, 3, [delta('b'), succeeded]);
  expect(await events.log.append(id, 1, 3, [delta('b'), succeeded])).toEqual(last);
  expect(await entries(id)).toHaveLength(4);

  const taken = newId('job');
  await events.log.append(taken, 1, 1, [started]);
  await events.log.append(taken, 2, -1, []);
  expect(await events.log.append(taken, 2, -1, [])).toMatchObject({ status: 'appended', seq: 2 });
  // The first attempt's command ran before the takeover; its repetition comes after.
  expect(await events.log.append(taken, 1, 1, [started])).toMatchObject({ status: 'fenced' });
});

test('a lost reply does not duplicate the append', async () => {
  // Proxies everything, but cuts the connection instead of forwarding the reply to an append.
  const path = join(dirname(server.socketPath), 'cut.sock');
  let cuts = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(server.socketPath);
    let cutting = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => {
      if (data.includes('cut here') && cuts < 3) {
        cuts += 1;
        cutting = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => (cutting ? client.destroy() : client.write(data)));
  });
  await new Promise<void>((resolve) => proxy.listen(path, resolve));
  const redis = connectRedis({ url: `unix://${path}`, cluster: false }, 'worker');
  redis.on('error', () => undefined);
  onTestFinished(() => {
    redis.disconnect();
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const log = createEventLog(redis, LIMITS);
  const id = newId('job');
  await log.append(id, 1, 1, [started]);
  expect(await log.append(id, 1, 2, [delta('cut here'), delta('and there')])).toMatchObject({
    status: 'appended',
    seq: 4,
  });
  expect(cuts).toBe(3);
  expect(await log.append(id, 1, 4, [succeeded])).toMatchObject({ status: 'appended', seq: 5 });
  expect((await entries(id)).map(([entry]) => entry)).toEqual(['2-0', '3-0', '4-0', '5-0']);
});

test('reports lost events to the writer, which continues after its own number with a reset', async () => {
  const id = newId('job');
  await events.log.append(id, 1, 1, [started]);
  expect(await events.log.append(id, 1, 7, [delta('x')])).toMatchObject({ status: 'lost', seq: 2 });
  expect(await events.log.append(id, 1, 7, [reset, delta('all')])).toMatchObject({ status: 'appended', seq: 9 });
  // After a lost reply, a repetition still has no further effect.
  expect(await events.log.append(id, 1, 7, [reset, delta('all')])).toMatchObject({ status: 'appended', seq: 9 });
  expect((await entries(id)).map(([entry]) => entry)).toEqual(['2-0', '8-0', '9-0']);
});

test('refuses a writer that is behind the log', async () => {
  const id = newId('job');
  await events.log.append(id, 1, 1, [started, delta('a'), delta('b')]);
  expect(await events.log.append(id, 1, 2, [delta('c'), delta('d'), delta('e')])).toMatchObject({ status: 'lost' });
  expect(await events.log.append(id, 1, 2, [reset, delta('c'), delta('d')])).toMatchObject({ status: 'lost' });
  expect(await entries(id)).toHaveLength(3);
});

test('tracks whether anything was shown since the last reset', async () => {
  const id = newId('job');
  const item: LogEvent = { type: 'output.item', index: 0, item: { type: 'text', text: 'whole' } };
  const shown = async (attempt: number, appended: LogEvent[]) =>
    (await events.log.append(id, attempt, -1, appended)).shown;
  expect(await shown(1, [started])).toBe(false);
  expect(await shown(1, [{ type: 'progress', progress: { completed: 1, total: 2, stage: 'x' } }])).toBe(false);
  expect(await shown(1, [delta('a')])).toBe(true);
  expect(await shown(1, [started])).toBe(true);
  expect(await shown(2, [delta('b'), reset])).toBe(false);
  expect(await shown(2, [])).toBe(false);
  expect(await shown(2, [reset, delta('c'), reset, item])).toBe(true);
  expect(await shown(3, [])).toBe(true);
  expect(await shown(3, [reset])).toBe(false);
});

test('a cancel request returns the state of the execution, and every later append reports it', async () => {
  const queued = newId('job');
  expect(await events.log.requestCancel(queued)).toBe('not started');
  expect(await events.log.requestCancel(queued)).toBe('not started');
  expect(await events.log.peek(queued)).toBeNull();
  expect(await events.log.append(queued, 1, 1, [started])).toMatchObject({ seq: 2, cancelRequested: true });
  expect(await events.log.requestCancel(queued)).toBe('started');

  const running = newId('job');
  expect(await events.log.append(running, 1, 1, [started])).toMatchObject({ cancelRequested: false });
  expect(await events.log.requestCancel(running)).toBe('started');
  expect(await events.log.append(running, 1, 2, [delta('a')])).toMatchObject({ cancelRequested: true });
  expect(await events.log.append(running, 2, -1, [])).toMatchObject({ cancelRequested: true });
  await events.log.append(running, 2, 3, [{ type: 'execution.cancelled' }]);
  expect(await events.log.requestCancel(running)).toBe('ended');

  // Only others than workers have appended.
  const waiting = newId('job');
  await events.log.append(waiting, ANY_ATTEMPT, 1, [isWaiting]);
  expect(await events.log.requestCancel(waiting)).toBe('not started');

  // A worker holds it, though its attempt has appended nothing yet.
  const taken = newId('job');
  await events.log.append(taken, 2, -1, []);
  expect(await events.log.requestCancel(taken)).toBe('started');
});

test('an execution runs from the first event of a worker until one leaves it to wait', async () => {
  const id = newId('job');
  expect(await events.log.isRunning(id)).toBe(false);
  await events.log.append(id, ANY_ATTEMPT, 1, [isWaiting]);
  expect(await events.log.isRunning(id)).toBe(false);
  await events.log.append(id, 1, 1, [started]);
  expect(await events.log.isRunning(id)).toBe(true);
  await events.log.append(id, 1, 3, [isWaiting]);
  expect(await events.log.isRunning(id)).toBe(false);
  await events.log.append(id, 2, 4, [delta('a')]);
  expect(await events.log.isRunning(id)).toBe(true);
  await events.log.append(id, 2, 5, [succeeded]);
  expect(await events.log.isRunning(id)).toBe(true);
});

test('a cancel request reaches listeners, but not for an ended execution', async () => {
  const heard: string[] = [];
  const listener = connectRedis({ url: server.url, cluster: false }, 'worker');
  onTestFinished(() => listener.disconnect());
  await listener.subscribe(CANCEL_CHANNEL);
  const fence = newId('job');
  const done = new Promise<void>((resolve) => {
    listener.on('message', (_channel, id: string) => (id === fence ? resolve() : heard.push(id)));
  });
  const [running, ended] = [newId('job'), newId('job')];
  await events.log.append(running, 1, 1, [started]);
  await events.log.append(ended, 1, 1, [succeeded]);
  await events.log.requestCancel(running);
  await events.log.requestCancel(ended);
  await events.log.requestCancel(fence);
  await done;
  expect(heard).toEqual([running]);
});

test('publishes appends, but only the number of a large one', async () => {
  const id = newId('job');
  const heard: string[] = [];
  const listener = connectRedis({ url: server.url, cluster: false }, 'worker');
  onTestFinished(() => listener.disconnect());
  await listener.subscribe(liveChannel(id));
  const done = new Promise<void>((resolve) => {
    listener.on('message', (_channel, message: string) => {
      heard.push(message);
      if (heard.length === 3) resolve();
    });
  });
  await events.log.append(id, 1, 1, [started, delta('line\nbreak')]);
  await events.log.append(id, 1, 3, [delta('x'.repeat(40_000))]);
  await events.log.append(id, 2, -1, []);
  await events.log.append(id, 2, 4, [succeeded]);
  await done;
  expect(heard).toEqual([
    `3\n${JSON.stringify(started)}\n${JSON.stringify(delta('line\nbreak'))}`,
    '4',
    `5\n${JSON.stringify(succeeded)}`,
  ]);
});

test.each([
  ['an append', async (id: string) => void (await events.log.append(id, 1, 1, [started, delta('a')]))],
  [
    'a takeover of a missing log',
    async (id: string) => {
      await events.log.append(id, 2, -1, []);
      await events.log.append(id, 2, 1, [started]);
    },
  ],
  [
    'a cancel request, then an append',
    async (id: string) => {
      await events.log.requestCancel(id);
      await events.log.append(id, 1, 1, [started]);
    },
  ],
  [
    'a writer that continues after the log was lost',
    async (id: string) => void (await events.log.append(id, 1, 20, [reset, delta('a')])),
  ],
])('every key expires: %s', async (_name, write) => {
  const id = newId('job');
  const keys = logKeys(id);
  await write(id);
  for (const key of [keys.log, keys.state]) {
    expect(await events.redis.pttl(key)).toBeGreaterThan(80_000_000);
  }
  await events.log.append(id, ANY_ATTEMPT, -1, [succeeded]);
  const kept = (await events.redis.exists(keys.ended)) === 1 ? keys.ended : keys.log;
  for (const key of [kept, keys.state]) {
    const left = await events.redis.pttl(key);
    expect(left).toBeGreaterThan(3_500_000);
    expect(left).toBeLessThanOrEqual(LIMITS.keepMs);
  }
});
