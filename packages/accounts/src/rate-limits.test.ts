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

/** Limits of one process, with a generous timeout for busy machines. */
const limitsAt = (redis: RedisConnection) => createRateLimits(redis, config, { answersWithinMs: 60_000 });
const admitted = (decisions: (RateDecision | null)[]) => decisions.filter((one) => one?.admitted).length;
const fresh = (limit: number | null = null) => ({ id: randomUUID(), limit });

it('admits exactly the limit across two processes', async () => {
  const limits = connections.map(limitsAt);
  const subject = fresh();
  const decisions = await Promise.all(Array.from({ length: 100 }, (_, n) => limits[n % 2]!.take(subject, 'reads')));
  expect(admitted(decisions)).toBe(60);
  const refused = decisions.find((one) => one?.admitted === false);
  expect(refused?.retryAfterS).toBeGreaterThan(50);
  expect(refused?.retryAfterS).toBeLessThanOrEqual(60);
  expect(refused?.limits).toMatchObject([{ name: 'reads', limit: 60, remaining: 0 }]);
});

it('counts classes and subjects separately', async () => {
  const limits = limitsAt(connections[0]!);
  const subject = fresh();
  const take = (of: typeof subject, kind: 'writes' | 'executions', times: number) =>
    Promise.all(Array.from({ length: times }, () => limits.take(of, kind)));
  expect(admitted(await take(subject, 'executions', 8))).toBe(5);
  expect(admitted(await take(subject, 'writes', 8))).toBe(8);
  expect(admitted(await take(fresh(), 'executions', 8))).toBe(5);
});

it("enforces a key's own limit across classes, and refusals do not consume class limits", async () => {
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

/** Moves all stored times of a subject into the past, as if it had waited. */
async function age(key: string, seconds: number): Promise<void> {
  const redis = connections[0]!;
  const fields = await redis.hgetall(key);
  await redis.del(key);
  for (const [field, value] of Object.entries(fields)) {
    if (field.startsWith('last:')) await redis.hset(key, field, Number(value) - seconds * 1_000);
    else await redis.hset(key, field, value);
  }
}

it('admits a client after the announced wait, which never exceeds the window', async () => {
  const limits = limitsAt(connections[0]!);
  const subject = fresh();
  const key = `chorus:rate:{${subject.id}}:executions`;
  // Three now, two a few seconds later: the first three must expire before the next is admitted.
  for (let n = 0; n < 3; n += 1) await limits.take(subject, 'executions');
  await age(key, 20);
  await connections[0]!.rename(key, `${key}:old`);
  for (let n = 0; n < 2; n += 1) await limits.take(subject, 'executions');
  const [old, now] = await Promise.all([connections[0]!.hgetall(`${key}:old`), connections[0]!.hgetall(key)]);
  const place = Number(Object.keys(old).find((field) => /^\d+$/.test(field)));
  const last = Number(old[`last:${place}`]);
  await connections[0]!.hset(key, { ...now, [place - 4]: 3, [`last:${place - 4}`]: last });
  const refused = await limits.take(subject, 'executions');
  expect(refused?.admitted).toBe(false);
  const wait = refused?.retryAfterS ?? 0;
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(40);
  await age(key, wait);
  const after = await Promise.all(Array.from({ length: 5 }, () => limits.take(subject, 'executions')));
  expect(admitted(after)).toBe(3);
});

it('stays accurate after its limit was lowered: enough slices must expire', async () => {
  const redis = connections[0]!;
  const subject = fresh(2);
  const key = `chorus:rate:{${subject.id}}:key`;
  const now = (await redis.time())[0]! * 1_000;
  const slice = Math.floor(now / 5_000);
  await redis.hset(key, {
    [slice - 8]: 3,
    [`last:${slice - 8}`]: now - 40_000,
    [slice - 2]: 4,
    [`last:${slice - 2}`]: now - 10_000,
  });
  const refused = await limitsAt(redis).take(subject, 'reads');
  expect(refused?.admitted).toBe(false);
  expect(refused?.retryAfterS).toBeGreaterThan(25); // the 4 from ten seconds ago keep it full
});

it('ignores counts older than a minute, including those of an earlier version', async () => {
  const redis = connections[0]!;
  const limits = limitsAt(redis);
  const sliceNow = async () => Math.floor((await redis.time())[0]! / 5);
  let decisions: (RateDecision | null)[];
  let slice: number;
  // Near a slice boundary the result is ambiguous, so try until the slice is stable.
  do {
    slice = await sliceNow();
    const subject = fresh();
    await redis.hset(`chorus:rate:{${subject.id}}:executions`, slice - 12, 4, slice - 13, 5);
    decisions = await Promise.all([limits.take(subject, 'executions'), limits.take(subject, 'executions')]);
  } while ((await sliceNow()) !== slice);
  expect(admitted(decisions)).toBe(1);
});

it('admits everything while Redis is unavailable', async () => {
  const gone = connectRedis({ url: 'redis://127.0.0.1:1', cluster: false }, 'request');
  gone.on('error', () => undefined);
  expect(await createRateLimits(gone, config).take(fresh(), 'reads')).toBeNull();
  gone.disconnect();
});
