import { newId, type Owner, TEMPORARY_SESSION_MS } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endExpired } from './expiry.ts';

let store: TestDatabases;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await database?.close();
  await store?.stop();
});

const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

async function fileUntil(expires_at: Date | null): Promise<string> {
  const id = newId('asset');
  const unknown = { width: null, height: null, duration_ms: null, perceptual_hash: null, thumbnail: 'none' } as const;
  const content = { kind: 'document', mime_type: 'text/plain', size_bytes: 1, sha256: 'x', filename: null } as const;
  const upload = { execution_id: null, batch_id: null, output_index: null, created_at: new Date() };
  await database.assets.insert({
    id,
    owner,
    ...content,
    ...unknown,
    ...upload,
    file: { purpose: 'vision', expires_at },
  });
  return id;
}

test('deletes files that have expired and no others', async () => {
  const now = Date.now();
  const parts = {
    database,
    assets: { remove: (of: Owner, id: string) => database.assets.remove(of, id) },
    deletions: { carryOut: (_: unknown, decide: () => Promise<unknown>) => decide().then(() => undefined) },
  };
  const [kept, later, due] = [
    await fileUntil(null),
    await fileUntil(new Date(now + 60_000)),
    await fileUntil(new Date(now)),
  ];
  expect(await endExpired(parts, new Date(now + 1))).toEqual({ files: 1, sessions: 0 });
  expect(await database.assets.existing([kept, later, due])).toEqual(new Set([kept, later]));
});

test('deletes temporary sessions an hour after their last turn, unless one runs', async () => {
  const { sessions } = database;
  const opened = { title: null, pinned: false, starred: false, metadata: {} };
  const create = async (fields: object) => (await sessions.create(owner, { ...opened, ...fields })).id;
  const kept = await create({});
  const [old, running] = [await create({ temporary: true }), await create({ temporary: true })];
  await sessions.lock(owner, running, newId('job'), 2);
  const deletions = { carryOut: (_: unknown, decide: () => Promise<unknown>) => decide().then(() => undefined) };
  const parts = { database, assets: { remove: async () => true }, deletions };
  const due = Date.now() + TEMPORARY_SESSION_MS;
  expect((await endExpired(parts, new Date(due - 60_000))).sessions).toBe(0);
  await endExpired(parts, new Date(due + 60_000));
  const left = await Promise.all([kept, old, running].map(async (id) => (await sessions.get(owner, id)) !== null));
  expect(left).toEqual([true, false, true]);

  // Found before its user kept or continued it.
  const found = await create({});
  expect(await sessions.remove(owner, found, { temporary: true, before: new Date(due) })).toBe('locked');
  const used = await create({ temporary: true });
  expect(await sessions.remove(owner, used, { temporary: true, before: new Date(0) })).toBe('locked');
});
