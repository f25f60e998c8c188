import { Readable } from 'node:stream';
import { newId } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AssetStore } from './assets.ts';
import { createAssets } from './create-assets.ts';
import { freshOwner, startTestAssets, type TestAssets } from './test-assets.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const LIMIT = 10_000;
const HOUR_MS = 3_600_000;

let store: TestAssets;
/** Two processes with one limit. */
let assets: AssetStore;
let other: AssetStore;
beforeAll(async () => {
  store = await startTestAssets();
  const open = () => createAssets({ database: store.database, blobs: store.blobs, log, quotaBytes: () => LIMIT });
  [assets, other] = [open(), open()];
});
afterAll(() => store.stop());

const file = (owner: AssetRecord['owner'], bytes: number) => ({
  owner,
  body: Readable.from([Buffer.alloc(bytes, 'x')]),
  filename: null,
});
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code }) => code,
  );

test('stores files that fit, refuses others with the usage, and frees space on deletion', async () => {
  const owner = freshOwner();
  const first = await assets.create(file(owner, 6_000));
  const keys = await store.keys();
  await expect(assets.create(file(owner, 4_001))).rejects.toMatchObject({
    code: 'storage_full',
    status: 413,
    message: expect.stringContaining('6,000 of 10,000 bytes are used'),
  });
  expect(await store.keys()).toEqual(keys);
  expect(await assets.quota.usage(owner)).toEqual({ used_bytes: 6_000, limit_bytes: LIMIT });
  await assets.create(file(owner, 4_000));
  expect(await codeOf(assets.create(file(owner, 1)))).toBe('storage_full');
  await assets.remove(owner, first.id);
  expect((await assets.quota.usage(owner)).used_bytes).toBe(4_000);
  await assets.create(file(owner, 6_000));
  expect(await codeOf(assets.create(file(freshOwner(), 9_000)))).toBe('done');
});

test('does not read a body when the quota is full, and stops one that exceeds it', async () => {
  const owner = freshOwner();
  let read = 0;
  const endless = () =>
    Readable.from(
      (async function* () {
        for (;;) {
          read += 1_000;
          yield Buffer.alloc(1_000);
        }
      })(),
      { highWaterMark: 1 },
    );
  expect(await codeOf(assets.create({ owner, body: endless(), filename: null }))).toBe('storage_full');
  expect(read).toBeLessThan(LIMIT + 5_000);
  await assets.create(file(owner, LIMIT));
  read = 0;
  const body = endless();
  expect(await codeOf(assets.create({ owner, body, filename: null }))).toBe('storage_full');
  expect(read).toBeLessThan(5_000);
  expect(body.destroyed).toBe(true);
});

test('concurrent uploads in two processes never exceed the quota', async () => {
  const owner = freshOwner();
  const both = Array.from({ length: 20 }, (_, at) => codeOf((at % 2 ? assets : other).create(file(owner, 1_100))));
  const kept = (await Promise.all(both)).filter((code) => code === 'done').length;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(9);
  const used = kept * 1_100;
  expect((await assets.quota.usage(owner)).used_bytes).toBe(used);
  while (await codeOf(assets.create(file(owner, 1_100))).then((code) => code === 'done'));
  expect((await assets.quota.usage(owner)).used_bytes).toBe(9_900);
});

test('concurrent bodies count together while they arrive', async () => {
  const owner = freshOwner();
  const gates = [1, 2].map(() => Promise.withResolvers<void>());
  const slow = (gate: Promise<void>) =>
    Readable.from(
      (async function* () {
        yield Buffer.alloc(6_000, 'y');
        await gate;
        yield Buffer.alloc(100, 'y');
      })(),
    );
  const works = gates.map(({ promise }) => codeOf(assets.create({ owner, body: slow(promise), filename: null })));
  const refused = await Promise.race(works);
  expect(refused).toBe('storage_full');
  for (const { resolve } of gates) resolve();
  expect((await Promise.all(works)).sort()).toEqual(['done', 'storage_full']);
});

test('counts files from before the limit was set', async () => {
  const owner = freshOwner();
  const known = await store.assets.create(file(freshOwner(), 10));
  await store.database.assets.insert({ ...known, id: newId('asset'), owner, size_bytes: 9_500 });
  expect((await assets.quota.usage(owner)).used_bytes).toBe(9_500);
  expect(await codeOf(assets.create(file(owner, 600)))).toBe('storage_full');
});

test('corrects the balance after dead processes, and ignores operations in progress', async () => {
  const { storage, assets: records } = store.database;
  const owner = freshOwner();
  const kept = await assets.create(file(owner, 1_000));
  const gone = await assets.create(file(owner, 2_000));
  // Processes died before the record was stored, before it was settled, and between removal and refund.
  await storage.charge(owner, newId('asset'), 3_000, LIMIT);
  const unsettled = newId('asset');
  await storage.charge(owner, unsettled, 500, LIMIT);
  await records.insert({ ...kept, id: unsettled, size_bytes: 500 });
  await storage.mark(owner, gone.id, 2_000);
  await records.remove(owner, gone.id);
  expect(await storage.used(owner)).toBe(6_500);
  await assets.quota.recount();
  expect(await storage.used(owner)).toBe(6_500);
  expect(await assets.quota.recount(Date.now() + 2 * HOUR_MS)).toBeGreaterThan(0);
  expect(await storage.used(owner)).toBe(1_500);
  // A second refund has no effect.
  await storage.refund(owner, gone.id);
  expect(await storage.used(owner)).toBe(1_500);
});
