import { connectRedis, type RedisConnection } from '@chorus/events';
import { LEASES_KEY } from '@chorus/executions';
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
