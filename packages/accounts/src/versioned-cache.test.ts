import { startRedis, type TestRedis } from '@chorus/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VersionedCache } from './versioned-cache.ts';
import { createVersions, type Versions } from './versions.ts';

let server: TestRedis;
const connections: Redis[] = [];

/** The versions as one process sees them. */
function newProcess(): Versions {
  const redis = new Redis({ path: server.socketPath, maxRetriesPerRequest: 1 });
  redis.on('error', () => {});
  connections.push(redis);
  return createVersions(redis);
}

beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await server.stop();
});

const OPTIONS = { limit: 10, ttlMs: 60_000 };

/** A cache that counts its looks, and knows the version already. */
async function counting(versions = newProcess()) {
  const cache = new VersionedCache<string>(versions, 'keys', OPTIONS);
  await expect.poll(() => versions.current('keys'), { interval: 10 }).toBeDefined();
  let looks = 0;
  const get = () => cache.get('one', async () => `look ${++looks}`);
  return { cache, versions, get };
}

it('remembers what it has looked up, also for those who ask meanwhile', async () => {
  const { get } = await counting();
  expect(await Promise.all([get(), get(), get()])).toEqual(['look 1', 'look 1', 'look 1']);
  expect(await get()).toBe('look 1');
});

it('looks again after a change that any process tells', async () => {
  const { get } = await counting();
  expect([await get(), await get()]).toEqual(['look 1', 'look 1']);
  await newProcess().changed('users');
  const until = performance.now() + 400;
  while (performance.now() < until) expect(await get()).toBe('look 1');
  await newProcess().changed('keys');
  await expect.poll(get, { interval: 10 }).not.toBe('look 1');
});

it('remembers neither unknown records nor failures', async () => {
  const { cache } = await counting();
  expect(await cache.get('none', async () => null)).toBeNull();
  expect(await cache.get('none', async () => 'made since')).toBe('made since');
  await expect(cache.get('bad', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('bad', async () => 'back')).toBe('back');
});

it('believes nothing while Redis is away, and says so to who changes something', async () => {
  const { get, versions } = await counting();
  expect([await get(), await get()]).toEqual(['look 1', 'look 1']);
  await server.kill();
  await expect.poll(get, { interval: 10 }).toBe('look 2');
  expect([await get(), await get()]).toEqual(['look 3', 'look 4']);
  await expect(versions.changed('keys')).rejects.toMatchObject({ code: 'store_unavailable' });
  await server.restart();
  const twice = async () => new Set([await get(), await get()]).size;
  await expect.poll(twice, { interval: 50, timeout: 10_000 }).toBe(1);
});
