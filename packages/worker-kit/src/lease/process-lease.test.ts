import { spawn } from 'node:child_process';
import { connectRedis, type RedisConnection } from '@chorus/events';
import { createQueuePlaces, LEASES_KEY } from '@chorus/executions';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  aborted,
  type ChatContext,
  gate,
  openPlatform,
  personal,
  readUntil,
  result,
  silent,
  type TestPlatform,
  until,
} from '../test-pool.ts';
import { createLeaseId } from './process-identity.ts';
import { holdLease, type ProcessLease } from './process-lease.ts';

let platform: TestPlatform;
let redis: RedisConnection;
const leases: ProcessLease[] = [];

beforeAll(async () => {
  platform = await openPlatform();
  redis = connectRedis({ url: platform.server.url, cluster: false }, 'worker');
});
afterEach(async () => {
  await platform.closePools();
  await Promise.all(leases.splice(0).map((lease) => lease.release()));
});
afterAll(async () => {
  redis.disconnect();
  await platform.close();
});

async function hold(): Promise<ProcessLease> {
  const lease = holdLease({ url: platform.server.url, cluster: false }, redis, silent);
  leases.push(lease);
  await until(async () => (await redis.hexists(LEASES_KEY, lease.id)) === 1);
  return lease;
}

test('jobs of a process that lost its lease run again before their locks expire', async () => {
  const attempts: number[] = [];
  const handler = async (context: ChatContext) => {
    attempts.push(context.attempt);
    if (context.attempt === 1) await aborted(context.signal);
    return result(context);
  };
  await platform.startPool(handler, { lease: { id: 'gone' } });
  const { reader } = await platform.dispatch(personal(), { stateless: true });
  await until(() => attempts.length === 1);
  await redis.hset(LEASES_KEY, 'gone', Date.now() - 60_000);
  // Its worker still renews the lock of the job, which would never expire.
  await hold();
  const events = await readUntil(reader);
  expect(events.at(-1)?.event).toMatchObject({ type: 'execution.succeeded' });
  expect(attempts).toEqual([1, 2]);
  expect(await redis.hexists(LEASES_KEY, 'gone')).toBe(0);
  reader.close();
});

test('a paused process of this machine keeps jobs that no other could continue, until it ends', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
  const id = createLeaseId().replace(`@${process.pid}`, `@${child.pid}`);
  const places = createQueuePlaces(redis);
  const readers = [1, 2].map(async () => (await platform.dispatch(personal(), { stateless: true })).reader);
  for (const reader of readers) (await reader).close();
  await places.register('text', 'paused', 2, id);
  const [kept, other] = await places.take('text', 8_000, ['paused:1', 'paused:2']);
  await places.markKept('text', kept?.id ?? '');
  await redis.hset(LEASES_KEY, id, Date.now() - 60_000);
  await hold();
  const left = (job: string | undefined) => redis.pttl(`{chorus:text}:text:${job}:lock`);
  await until(async () => (await left(kept?.id)) > 8_500);
  expect(await left(other?.id)).toBeLessThan(8_000);
  expect(await left(other?.id)).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await until(async () => (await left(kept?.id)) < 0 && (await left(other?.id)) < 0);
  expect(await redis.hget(`{chorus:text}:text:${kept?.id}`, 'blamed')).toBe('1');
  await redis.flushall();
});

test('a process that is busy for longer than its lease keeps its jobs', async () => {
  const [lease] = [await hold(), await hold()];
  const end = gate();
  const attempts: number[] = [];
  await platform.startPool(
    async (context: ChatContext) => {
      attempts.push(context.attempt);
      await end.opened;
      return result(context);
    },
    { lease },
  );
  const { reader } = await platform.dispatch(personal(), { stateless: true });
  await until(() => attempts.length === 1);
  // Blocks the thread of both processes: only the lease threads can renew the leases.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_500);
  end.open();
  await readUntil(reader);
  expect(attempts).toEqual([1]);
  reader.close();
});
