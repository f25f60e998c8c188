import { randomUUID } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@chorus/events';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createUserPlaces, type UserPlaces } from './user-places.ts';

const limits = { streams: 3, waits: 5, sockets: 2, uploads: 1 };

let server: TestRedis;
const connections: RedisConnection[] = [];
const opened: UserPlaces[] = [];

beforeAll(async () => {
  server = await startRedis();
});
afterEach(() => {
  for (const places of opened.splice(0)) places.close();
  for (const connection of connections.splice(0)) connection.disconnect();
});
afterAll(() => server.stop());

function process(times?: { leaseMs: number; renewEveryMs: number }): UserPlaces {
  const connection = connectRedis({ url: server.url, cluster: false }, 'request');
  connections.push(connection);
  const places = createUserPlaces(connection, limits, times);
  opened.push(places);
  return places;
}

const user = () => `usr_${randomUUID()}`;
const taken = (places: UserPlaces, of: string) =>
  places.take(of, 'streams').then(
    (release) => release,
    (error) => error.code as string,
  );

it('grants exactly the limit across two processes, separately per kind and user', async () => {
  const [one, other] = [process(), process()];
  const someone = user();
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => taken(at % 2 ? one : other, someone)));
  expect(all.filter((each) => typeof each === 'function')).toHaveLength(3);
  expect(all.filter((each) => each === 'limit_reached')).toHaveLength(17);
  await one.take(someone, 'uploads');
  await other.take(user(), 'streams');
  await expect(one.take(someone, 'streams')).rejects.toMatchObject({
    code: 'limit_reached',
    retryAfterS: 5,
    message: expect.stringContaining('EVENT_STREAMS_PER_USER'),
  });
});

it('releases a place once, however often release is called', async () => {
  const places = process();
  const someone = user();
  const releases = await Promise.all([1, 2, 3].map(() => places.take(someone, 'streams')));
  for (let time = 0; time < 3; time += 1) releases[0]?.();
  await vi.waitFor(async () => expect(typeof (await taken(places, someone))).toBe('function'));
  expect(await taken(places, someone)).toBe('limit_reached');
});

it('keeps a released place for the next request, unless many are in use', async () => {
  const someone = user();
  const places = process();
  const redis = connections.at(-1) as RedisConnection;
  const ids = () => redis.zrangebyscore(`chorus:{${someone}}:open:waits`, '-inf', '+inf');
  (await places.take(someone, 'waits'))();
  const [kept] = await ids();
  const release = await places.take(someone, 'waits');
  expect(await ids()).toEqual([kept]);
  release();
  await vi.waitFor(async () => expect(await ids()).toEqual([]));

  const releases = await Promise.all([1, 2, 3, 4].map(() => places.take(someone, 'waits')));
  releases[0]?.();
  expect(await ids()).toHaveLength(3);
});

it('never refuses a request because of places that another process only keeps', async () => {
  const someone = user();
  const [one, other] = [process(), process()];
  (await one.take(someone, 'sockets'))();
  const all = await Promise.all([1, 2].map(() => other.take(someone, 'sockets')));
  expect(all).toHaveLength(2);
});

it('keeps places while their process lives, and frees those of a killed one after the lease', async () => {
  const times = { leaseMs: 1_500, renewEveryMs: 200 };
  const [living, dying, watching] = [process(times), process(times), process(times)];
  const someone = user();
  await living.take(someone, 'streams');
  for (let time = 0; time < 2; time += 1) await dying.take(someone, 'streams');
  expect(await taken(watching, someone)).toBe('limit_reached');
  dying.close(); // leases are no longer renewed
  await vi.waitFor(async () => expect(typeof (await taken(watching, someone))).toBe('function'), { timeout: 20_000 });
  await taken(watching, someone);
  expect(await taken(watching, someone)).toBe('limit_reached'); // the live process still holds its place
});

it('grants everything while Redis is unavailable', async () => {
  const gone = connectRedis({ url: 'redis://127.0.0.1:1', cluster: false }, 'request');
  gone.on('error', () => undefined);
  connections.push(gone);
  const places = createUserPlaces(gone, limits);
  opened.push(places);
  for (let time = 0; time < 5; time += 1) (await places.take('usr_x', 'uploads'))();
});
