import { newId, type Owner, scopeKey } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, TEST_SECRET_KEY, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../connect-database.ts';
import type { WebhookDeliveryRecord } from './deliveries.ts';

let store: TestDatabases;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({
    uri: store.uri,
    secretKey: TEST_SECRET_KEY,
    log: createLogger({ name: 'test', level: 'silent' }),
  });
});
afterAll(async () => {
  await database?.close();
  await store?.stop();
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const inSecond = (seconds: number) => new Date(1_900_000_000_000 + seconds * 1_000);
const attempt = (status: number | null) => ({ started_at: inSecond(0), duration_ms: 7, status, error: null });

async function inserted(fields: Partial<WebhookDeliveryRecord> = {}): Promise<WebhookDeliveryRecord> {
  const record: WebhookDeliveryRecord = {
    id: newId('webhookDelivery'),
    owner: personal(),
    event: 'execution.succeeded',
    execution_id: newId('job'),
    batch_id: null,
    session_id: null,
    url: 'https://hooks.test/a',
    host: 'hooks.test',
    status: 'pending',
    attempts: [],
    attempt_count: 0,
    due_since: inSecond(0),
    tries: 0,
    next_attempt_at: inSecond(0),
    created_at: inSecond(0),
    ended_at: null,
    expires_at: inSecond(9_000),
    ...fields,
  };
  expect(await database.webhookDeliveries.insert(record)).toBe(true);
  return record;
}

const due = async (ids: string[], query: { exceptHosts?: string[]; exceptScopes?: string[] } = {}) => {
  const all = { now: inSecond(100), limit: 1_000, exceptHosts: [], exceptScopes: [], ...query };
  const found = await database.webhookDeliveries.listDue(all);
  return found.map(({ id }) => id).filter((id) => ids.includes(id));
};

test('a delivery is stored once, and returned unchanged', async () => {
  const { webhookDeliveries } = database;
  const record = await inserted();
  expect(await webhookDeliveries.insert({ ...record, url: 'https://other.test/' })).toBe(false);
  expect(await webhookDeliveries.get(record.owner, record.id)).toEqual(record);
  expect(await webhookDeliveries.get(personal(), record.id)).toBeNull();
});

test('due deliveries are listed by time, without excluded hosts and scopes', async () => {
  const [late, early, none, later] = await Promise.all([
    inserted({ next_attempt_at: inSecond(20) }),
    inserted({ next_attempt_at: inSecond(10), host: 'busy.test' }),
    inserted({ next_attempt_at: null, status: 'delivered' }),
    inserted({ next_attempt_at: inSecond(101) }),
  ]);
  const ids = [late, early, none, later].map(({ id }) => id);
  expect(await due(ids)).toEqual([early.id, late.id]);
  expect(await due(ids, { exceptHosts: ['busy.test'] })).toEqual([late.id]);
  expect(await due(ids, { exceptScopes: [scopeKey(late.owner)] })).toEqual([early.id]);
});

test('one of several processes claims a delivery, until its deadline', async () => {
  const { webhookDeliveries } = database;
  const record = await inserted();
  const claims = await Promise.all(
    Array.from({ length: 5 }, (_, index) => webhookDeliveries.claim(record, inSecond(200 + index))),
  );
  expect(claims.filter(Boolean)).toHaveLength(1);
  expect(await due([record.id])).toEqual([]);
  const { next_attempt_at } = (await webhookDeliveries.get(record.owner, record.id)) ?? record;
  await webhookDeliveries.release(record.id, inSecond(999), inSecond(50)); // another process has claimed it
  expect(await due([record.id])).toEqual([]);
  await webhookDeliveries.release(record.id, next_attempt_at as Date, inSecond(50));
  expect(await due([record.id])).toEqual([record.id]);
});

test('the last twenty attempts are stored; an end stops attempts, and a restart continues them', async () => {
  const { webhookDeliveries } = database;
  const record = await inserted();
  const { id, owner } = record;
  const pending = { status: 'pending', next_attempt_at: inSecond(0), ended_at: null } as const;
  for (let status = 501; status <= 521; status += 1)
    await webhookDeliveries.recordAttempt(id, inSecond(0), attempt(status), pending);
  const tried = await webhookDeliveries.get(owner, id);
  expect(tried?.attempts.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, (_, index) => 502 + index));
  expect(tried).toMatchObject({ attempt_count: 21, tries: 21, status: 'pending' });

  const ended = { status: 'delivered', next_attempt_at: null, ended_at: inSecond(9) } as const;
  await webhookDeliveries.recordAttempt(id, inSecond(0), attempt(200), ended);
  expect(await webhookDeliveries.get(owner, id)).toMatchObject({ ...ended, attempt_count: 22 });
  expect(await due([id])).toEqual([]);

  const again = await webhookDeliveries.restart(owner, id, inSecond(30), inSecond(99_000));
  expect(again).toMatchObject({ status: 'pending', next_attempt_at: inSecond(30), due_since: inSecond(30) });
  expect(again).toMatchObject({ ended_at: null, expires_at: inSecond(99_000), attempt_count: 22, tries: 0 });
  expect(await webhookDeliveries.restart(personal(), id, inSecond(30), inSecond(99_000))).toBeNull();
});

test('an attempt that ends after a restart is stored without its result', async () => {
  const { webhookDeliveries } = database;
  const { id, owner } = await inserted();
  await webhookDeliveries.restart(owner, id, inSecond(60), inSecond(99_000));
  const ended = { status: 'failed', next_attempt_at: null, ended_at: inSecond(9) } as const;
  await webhookDeliveries.recordAttempt(id, inSecond(0), attempt(410), ended);
  const found = await webhookDeliveries.get(owner, id);
  expect(found).toMatchObject({ status: 'pending', next_attempt_at: inSecond(60), attempt_count: 1 });
});

test('a workspace shares deliveries, except those of a session', async () => {
  const workspace_id = crypto.randomUUID();
  const [maker, other] = [0, 1].map((): Owner => ({ scope: 'workspace', user_id: newId('user'), workspace_id }));
  if (!maker || !other) throw new Error('two members');
  const shared = await inserted({ owner: maker });
  const own = await inserted({ owner: maker, session_id: newId('session'), status: 'failed', next_attempt_at: null });
  const listed = async (owner: Owner, query = {}) => {
    const page = await database.webhookDeliveries.list(owner, { limit: 10, ...query });
    return page.data.map(({ id }) => id);
  };
  expect(await listed(maker)).toEqual([own.id, shared.id]);
  expect(await listed(maker, { status: 'failed' })).toEqual([own.id]);
  expect(await listed(maker, { execution_id: shared.execution_id })).toEqual([shared.id]);
  expect(await listed(other)).toEqual([shared.id]);
  expect(await database.webhookDeliveries.get(other, own.id)).toBeNull();
  expect(await database.webhookDeliveries.restart(other, own.id, inSecond(0), inSecond(1))).toBeNull();
});

test('a scope has one secret, and one of two rotations succeeds', async () => {
  const { webhookSecrets } = database;
  const scope = scopeKey(personal());
  const [one, two] = await Promise.all(['a', 'b'].map((candidate) => webhookSecrets.getOrCreate(scope, candidate)));
  if (!one) throw new Error('a secret');
  expect(two).toEqual(one);
  const rotated = await Promise.all(
    ['c', 'd'].map((fresh) => webhookSecrets.replace(scope, one.secret, fresh, inSecond(5))),
  );
  const [winner] = rotated.filter((record) => record !== null);
  expect(rotated.filter((record) => record !== null)).toHaveLength(1);
  expect(winner?.previous).toEqual([{ secret: one.secret, until: inSecond(5) }]);
  expect(await webhookSecrets.getOrCreate(scope, 'x')).toEqual(winner);

  let current = winner?.secret ?? '';
  for (const fresh of ['e', 'f', 'g', 'h']) {
    await webhookSecrets.replace(scope, current, fresh, inSecond(5));
    current = fresh;
  }
  const { previous } = await webhookSecrets.getOrCreate(scope, 'x');
  expect(previous.map(({ secret }) => secret)).toEqual(['e', 'f', 'g']);
});

test('deliveries and secrets are erased with their user and workspace', async () => {
  const workspace_id = crypto.randomUUID();
  const me = newId('user');
  const mine: Owner = { scope: 'personal', user_id: me, workspace_id: null };
  const ours: Owner = { scope: 'workspace', user_id: me, workspace_id };
  const theirs: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id };
  const records = await Promise.all([mine, ours, theirs].map((owner) => inserted({ owner })));
  for (const owner of [mine, ours]) await database.webhookSecrets.getOrCreate(scopeKey(owner), 'first');
  const left = async () => {
    const found = await Promise.all(records.map(({ owner, id }) => database.webhookDeliveries.get(owner, id)));
    return found.map((record) => record !== null);
  };
  const secret = async (owner: Owner) => (await database.webhookSecrets.getOrCreate(scopeKey(owner), 'second')).secret;

  await database.erasure.erase({ user_id: me });
  expect(await left()).toEqual([false, false, true]);
  expect([await secret(mine), await secret(ours)]).toEqual(['second', 'first']);
  await database.erasure.erase({ workspace_id });
  expect(await left()).toEqual([false, false, false]);
  expect(await secret(ours)).toBe('second');
});
