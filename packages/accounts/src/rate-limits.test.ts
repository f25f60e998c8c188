import { randomUUID } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@chorus/events';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRateLimits, type RateDecision, rateLimitHeaders } from './rate-limits.ts';

const config = { reads: 60, writes: 10, executions: 5, anonymous: 5 };

let server: TestRedis;
let connections: RedisConnection[];

beforeAll(async () => {
  server = await startRedis();
  connections = [1, 2].map(() => connectRedis({ url: server.url, cluster: false }, 'request'));
});
afterAll(async () => {
  for (const connection of connections) connection.disconnect();
  await server.stop();
});

/** The limits of one process, which waits for their counts for as long as a busy machine takes to give them. */
const limitsAt = (redis: RedisConnection) => createRateLimits(redis, config, { answersWithinMs: 60_000 });
const admitted = (decisions: (RateDecision | null)[]) => decisions.filter((one) => one?.admitted).length;
const fresh = (limit: number | null = null) => ({ id: randomUUID(), limit });

it('lets exactly the limit through, over two processes', async () => {
  const limits = connections.map(limitsAt);
  const subject = fresh();
  const decisions = await Promise.all(Array.from({ length: 100 }, (_, n) => limits[n % 2]!.take(subject, 'reads')));
  expect(admitted(decisions)).toBe(60);
  const refused = decisions.find((one) => one?.admitted === false);
  expect(refused?.retryAfterS).toBeGreaterThan(50);
  expect(refused?.retryAfterS).toBeLessThanOrEqual(65);
  expect(refused?.limits).toMatchObject([{ name: 'reads', limit: 60, remaining: 0 }]);
});

it('counts classes and subjects apart', async () => {
  const limits = limitsAt(connections[0]!);
  const subject = fresh();
  const take = (of: typeof subject, kind: 'writes' | 'executions', times: number) =>
    Promise.all(Array.from({ length: times }, () => limits.take(of, kind)));
  expect(admitted(await take(subject, 'executions', 8))).toBe(5);
  expect(admitted(await take(subject, 'writes', 8))).toBe(8);
  expect(admitted(await take(fresh(), 'executions', 8))).toBe(5);
});

it("holds a key's own limit over all classes, and what it refuses costs the classes nothing", async () => {
  const limits = limitsAt(connections[0]!);
  const key = fresh(4);
  for (const kind of ['reads', 'writes', 'reads', 'executions'] as const)
    expect((await limits.take(key, kind))?.admitted).toBe(true);
  const refused = await limits.take(key, 'reads');
  expect(refused).toMatchObject({
    admitted: false,
    limits: [
      { name: 'reads', limit: 60, remaining: 58 },
      { name: 'key', limit: 4, remaining: 0 },
    ],
  });
  expect(rateLimitHeaders(refused!.limits)['RateLimit-Policy']).toBe('"reads";q=60;w=60, "key";q=4;w=60');
});

it('forgets what is more than a minute ago', async () => {
  const redis = connections[0]!;
  const limits = limitsAt(redis);
  const sliceNow = async () => Math.floor((await redis.time())[0]! / 5);
  let decisions: (RateDecision | null)[];
  let slice: number;
  // What is a minute ago depends on when it is asked for: what the beginning of a slice fell into says nothing.
  do {
    slice = await sliceNow();
    const subject = fresh();
    await redis.hset(`chorus:rate:{${subject.id}}:executions`, slice - 12, 4, slice - 13, 5);
    decisions = await Promise.all([limits.take(subject, 'executions'), limits.take(subject, 'executions')]);
  } while ((await sliceNow()) !== slice);
  expect(admitted(decisions)).toBe(1);
});

it('lets all through while Redis is away', async () => {
  const gone = connectRedis({ url: 'redis://127.0.0.1:1', cluster: false }, 'request');
  gone.on('error', () => undefined);
  expect(await createRateLimits(gone, config).take(fresh(), 'reads')).toBeNull();
  gone.disconnect();
});
