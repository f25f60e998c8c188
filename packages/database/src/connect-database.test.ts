import { randomUUID } from 'node:crypto';
import { newId, type Owner } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startStore, storeIsGiven, TEST_SECRET_KEY, type TestDatabases } from '@chorus/testing';
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { connectDatabase } from './connect-database.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

async function freshStore<Store extends TestDatabases>(open: () => Promise<Store>): Promise<Store> {
  const store = await open();
  onTestFinished(() => store.stop());
  return store;
}

async function connected(uri: string) {
  const database = await connectDatabase({ uri, secretKey: TEST_SECRET_KEY, log });
  onTestFinished(() => database.close());
  return database;
}

it('creates indexes once when several processes connect', async () => {
  const store = await freshStore(sharedStore);
  await Promise.all(Array.from({ length: 6 }, () => connected(store.uri)));
  const plain = new MongoClient(store.uri);
  onTestFinished(() => plain.close());
  const indexesOf = async (collection: string) =>
    (await plain.db().collection(collection).indexes()).map(({ key }) => Object.keys(key).join()).sort();
  expect(await indexesOf('executions')).toEqual(
    [
      '_id',
      'batch_due',
      'batch_key',
      'entry_id,_id',
      'output.entry_id',
      'output.passage.entry_id',
      'output.sources',
      'scope_key,_id',
      'scope_key,kind,_id',
      'scope_key,kind,_id,batch_id',
      'scope_key,status,_id',
      'session_id,_id',
      'status,_id',
      'transient',
      'unfinished',
      'usage_due',
      'webhook_action_due',
      'webhook_due',
    ].sort(),
  );
  expect(await indexesOf('sessions')).toEqual([
    '_id',
    'folder_id,pinned,updated_at,_id',
    'import_key',
    'locked_at',
    'scope_key,user_id,archived,pinned,updated_at,_id',
    'scope_key,user_id,pinned,updated_at,_id',
    'temporary,updated_at',
    'unindexed',
  ]);
  expect(await indexesOf('messages')).toEqual([
    '_id',
    'attachments',
    'citations.entry_id',
    'question_id',
    'session_id,position',
    'sources',
    'unindexed',
  ]);
  expect(await indexesOf('users')).toEqual(['_id', 'email', 'first', 'leaving_at']);
  expect(await indexesOf('refresh_tokens')).toEqual(['_id', 'expires_at', 'user_id,created_at,_id']);
});

it('throws store_unavailable without a store', async () => {
  const uri = `mongodb://${encodeURIComponent('/nowhere/store.sock')}/chorus`;
  const began = Date.now();
  await expect(connectDatabase({ uri, log })).rejects.toMatchObject({ code: 'store_unavailable' });
  // Three attempts of 3 s; the driver alone takes half a minute for each.
  expect(Date.now() - began).toBeLessThan(30_000);
});

// Only the embedded store can be killed.
it.skipIf(storeIsGiven)('throws store_unavailable while the store is down, and reconnects', async () => {
  const store = await freshStore(startStore);
  const database = await connected(store.uri);
  const session = await database.sessions.create(owner, { title: 'a', pinned: false, starred: false, metadata: {} });
  await store.kill();
  await expect(database.ping()).rejects.toMatchObject({ code: 'store_unavailable' });
  const calls = await Promise.allSettled([
    database.sessions.get(owner, session.id),
    database.sessions.lock(owner, session.id, newId('job'), 2),
    database.users.hasAny(),
    database.users.create({ email: 'a@example.org', password_hash: 'x', operator: false }),
  ]);
  for (const call of calls)
    expect(call).toMatchObject({ status: 'rejected', reason: { code: 'store_unavailable', retryAfterS: 1 } });
  await store.restart();
  await expect
    .poll(() =>
      database.ping().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  expect(await database.sessions.get(owner, session.id)).toEqual(session);
});

it('separates two databases of one server', async () => {
  const store = await freshStore(sharedStore);
  const [one, two] = await Promise.all([connected(store.uriOf('one')), connected(store.uriOf('two'))]);
  await one.users.create({ email: 'a@example.org', password_hash: 'x', operator: false });
  expect(await two.users.hasAny()).toBe(false);
});

it('keeps users, workspaces, keys, and secrets unique', async () => {
  const store = await freshStore(sharedStore);
  const [one, two] = await Promise.all([connected(store.uri), connected(store.uri)]);
  const user = await one.users.create({ email: ' A@Example.org', password_hash: 'x', operator: true, first: true });
  expect(user.email).toBe('a@example.org');
  expect(await two.users.findByEmail('a@example.org')).toEqual(user);
  expect(await two.users.findFirst()).toEqual(user);
  const again = { password_hash: 'y', operator: false };
  await expect(two.users.create({ ...again, email: 'a@example.org' })).rejects.toMatchObject({ code: 'conflict' });
  const second = { ...again, email: 'b@example.org', first: true };
  await expect(two.users.create(second)).rejects.toMatchObject({ code: 'conflict' });

  const workspace = await one.workspaces.create({ name: 'Team' }, user.id);
  expect(await two.workspaces.membership(workspace.id.toUpperCase(), user.id)).toBe('owner');
  expect(await two.workspaces.membership(workspace.id, newId('user'))).toBeNull();
  expect(await two.workspaces.membership(randomUUID(), user.id)).toBeNull();
  await expect(two.workspaces.addMember(workspace.id, user.id, 'viewer')).rejects.toMatchObject({ code: 'conflict' });

  const key = { generation: 1, algorithm: 'EdDSA', public_jwk: { x: '1' }, private_jwk: { d: '2' } } as const;
  const added = await Promise.all([one, two].map((database, n) => database.signingKeys.add({ id: `k${n}`, ...key })));
  expect(added.sort()).toEqual([false, true]);
  expect(await one.signingKeys.list()).toMatchObject([key]);

  const secrets = await Promise.all(
    [one, two, one, two].map((database, n) => database.secrets.getOrCreate('name', `candidate ${n}`)),
  );
  expect(new Set(secrets).size).toBe(1);
});

it('rejects query operators in a lookup', async () => {
  const store = await freshStore(sharedStore);
  const database = await connected(store.uri);
  await database.users.create({ email: 'a@example.org', password_hash: 'x', operator: true });
  const everything = { $gt: '' } as unknown as string;
  await expect(database.users.findByEmail(everything)).rejects.toThrow();
});
