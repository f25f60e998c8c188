import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Store } from '../store.ts';
import { openTestStore, temporaryDirectory } from '../test-store.ts';
import { encode } from '../values/codec.ts';

function watchSyncs() {
  const fdatasync = vi.spyOn(fs, 'fdatasync');
  syncBuiltinESMExports();
  const restore = () => {
    fdatasync.mockRestore();
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  return { fdatasync, restore };
}

/** A store whose syncs end when the test says so. */
async function openStore() {
  const store = new Store(await temporaryDirectory());
  onTestFinished(() => store.close());
  const things = store.catalog.create('a', 'things');
  store.engine.keepCommand();
  store.engine.commit();
  store.engine.syncNow();
  const ends: (() => void)[] = [];
  const { sync } = store.engine;
  store.engine.sync = (done) => {
    if (store.engine.hasUnsynced) sync.call(store.engine, () => void ends.push(done));
    else done();
  };
  const endSync = async () => {
    await expect.poll(() => ends).toHaveLength(1);
    ends.pop()?.();
  };
  const answered: string[] = [];
  /** Submits a command and waits until it has run. */
  const submit = async (name: string, run: () => unknown, options: { writes?: boolean; isDurable?: boolean } = {}) => {
    const { writes = true, isDurable = true } = options;
    const reply = (result: unknown) => void answered.push(`${name}: ${result}`);
    const account = store.memory.openAccount();
    store.scheduler.submit({ start: run, succeed: reply, fail: reply, writes, isDurable, account });
    await turn();
  };
  const insert = (id: number) => () => {
    const document = { _id: id };
    things.insert(document, encode(document));
    return 'ok';
  };
  const count = () => things.count();
  return { store, submit, insert, count, answered, endSync };
}

test('answers a write after a sync, and serves others meanwhile', async () => {
  const { submit, insert, count, answered, endSync } = await openStore();
  await submit('durable', insert(1));
  await submit('soon', insert(2), { isDurable: false });
  await submit('read', count, { writes: false });
  await expect.poll(() => answered).toEqual(['soon: ok', 'read: 2']);
  await endSync();
  expect(answered.at(-1)).toBe('durable: ok');
});

test('clients choose with `j` whether they wait for a sync', async () => {
  const { client } = await openTestStore();
  const things = client.db('a').collection('things');
  await things.createIndex({ n: 1 });
  const held: (() => void)[] = [];
  const { fdatasync, restore } = watchSyncs();
  fdatasync.mockImplementation((_, done) => void held.push(() => done(null)));
  await things.insertOne({ n: 1 }, { writeConcern: { w: 'majority', j: false } });
  expect(held).toHaveLength(1);
  const answered: string[] = [];
  const durable = things.insertOne({ n: 2 }).then(() => answered.push('durable'));
  await expect.poll(() => things.countDocuments({ n: 2 })).toBe(1);
  expect(answered).toEqual([]);
  held.shift()?.();
  await expect.poll(() => held).toHaveLength(1);
  expect(answered).toEqual([]);
  restore();
  held.shift()?.();
  await durable;
});

test('writes during a sync share the next one', async () => {
  const { fdatasync } = watchSyncs();
  const { submit, insert, answered, endSync } = await openStore();
  await submit('first', insert(1));
  await submit('second', insert(2));
  await submit('third', insert(3));
  await endSync();
  expect(answered).toEqual(['first: ok']);
  expect(fdatasync).toHaveBeenCalledTimes(2);
  await endSync();
  expect(answered).toEqual(['first: ok', 'second: ok', 'third: ok']);
});

test('a write that is not waited for is synced, too', async () => {
  const { store, submit, insert, endSync } = await openStore();
  await submit('soon', insert(1), { isDurable: false });
  await endSync();
  expect(store.engine.hasUnsynced).toBe(false);
});

test('answers all writes before it ends', async () => {
  const { store, submit, insert, answered, endSync } = await openStore();
  await submit('first', insert(1));
  await submit('second', insert(2));
  store.scheduler.shutDown();
  expect(answered).toEqual(['first: ok', 'second: ok']);
  await endSync();
  expect(answered).toHaveLength(2);
});

test('a checkpoint during a sync makes later commits durable as well', async () => {
  const { store, submit, insert, answered, endSync } = await openStore();
  await submit('first', insert(1));
  await submit('second', insert(2));
  const hold = store.engine.holdFile();
  await submit('third', insert(3));
  expect(hold.ready).toBe(true);
  expect(store.engine.hasUnsynced).toBe(false);
  await endSync();
  expect(answered).toEqual(['first: ok', 'second: ok', 'third: ok']);
});
