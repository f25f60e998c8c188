import { sharedStore } from '@chorus/testing';
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { quietPools } from './quiet-pools.ts';

/** The timer of a pool, in the driver's internals. */
interface Pools {
  topology: { s: { servers: Map<string, { pool: { minPoolSizeTimer?: unknown } }> } };
}

it.each([
  ['not checked without a minimum size', 0, false],
  ['still checked with one', 1, true],
])('a pool is %s', async (_, minPoolSize, isChecked) => {
  quietPools();
  const store = await sharedStore();
  onTestFinished(() => store.stop());
  const client = new MongoClient(store.uri, { minPoolSize });
  onTestFinished(() => client.close());
  await client.db().command({ ping: 1 });
  const timers = () =>
    [...(client as unknown as Pools).topology.s.servers.values()].map((one) => one.pool.minPoolSizeTimer);
  if (isChecked) await expect.poll(() => timers().every(Boolean)).toBe(true);
  else expect(timers()).toEqual([undefined]);
});
