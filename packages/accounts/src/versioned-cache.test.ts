import { startRedis, type TestRedis } from '@chorus/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VersionedCache } from './versioned-cache.ts';
import { createVersions, type Versions } from './versions.ts';

let server: TestRedis;
const connections: Redis[] = [];

/** The versions as seen by one process. */
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

/** A cache that counts its loads. `remembered` asks it once the version is known. */
function counting(versions = newProcess()) {
  const cache = new VersionedCache<string>(versions, 'keys', OPTIONS);
  let looks = 0;
  const get = () => cache.get('one', async () => `look ${++looks}`);
  const whenKnown = async <T>(ask: () => Promise<T>): Promise<T> => {
    while (versions.current('keys') === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    return ask();
  };
  return { cache, versions, get, whenKnown, remembered: () => whenKnown(get) };
}

it('remembers loaded values, and shares a load between concurrent readers', async () => {
  const { get, whenKnown, remembered } = counting();
  const atOnce = await whenKnown(() => Promise.all([get(), get(), get()]));
  expect(atOnce).toEqual(['look 1', 'look 1', 'look 1']);
  expect(await remembered()).toBe('look 1');
});

it('reloads after a change published by any process', async () => {
  const { versions, remembered } = counting();
  expect([await remembered(), await remembered()]).toEqual(['look 1', 'look 1']);
  await newProcess().changed('users');
  await expect.poll(() => versions.current('users'), { interval: 10 }).toBeTruthy();
  expect(await remembered()).toBe('look 1');
  await newProcess().changed('keys');
  await expect.poll(remembered, { interval: 10 }).toBe('look 2');
  expect(await remembered()).toBe('look 2');
});

it('reloads immediately after a change by its own process, even during another load', async () => {
  const { get, versions } = await counting();
  for (let change = 1; change <= 50; change++) {
    expect(await get()).toBe(`look ${change}`);
    await versions.changed('keys');
  }
  expect(await get()).toBe('look 51');
});

it('does not remember unknown records or failures', async () => {
  const { cache, whenKnown } = counting();
  const look = (key: string, load: () => Promise<string | null>) => whenKnown(() => cache.get(key, load));
  expect(await look('none', async () => null)).toBeNull();
  expect(await look('none', async () => 'made since')).toBe('made since');
  await expect(look('bad', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await look('bad', async () => 'back')).toBe('back');
});

it('serves nothing from memory while Redis is unavailable, and throws on writes', async () => {
  const { get, versions, remembered } = counting();
  expect([await remembered(), await remembered()]).toEqual(['look 1', 'look 1']);
  await server.kill();
  await expect.poll(get, { interval: 10 }).toBe('look 2');
  expect([await get(), await get()]).toEqual(['look 3', 'look 4']);
  await expect(versions.changed('keys')).rejects.toMatchObject({ code: 'store_unavailable' });
  await server.restart();
  const twice = async () => new Set([await get(), await get()]).size;
  await expect.poll(twice, { interval: 50, timeout: 10_000 }).toBe(1);
});
