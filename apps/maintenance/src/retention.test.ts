import { stageBatch } from '@chorus/batches';
import { newId, type Owner } from '@chorus/contract';
import { startTurn } from '@chorus/conversations';
import { connectDatabase, type Database } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, type RedisConnection } from '@chorus/events';
import { cancelledOutcome, type NewExecution, newExecution } from '@chorus/executions';
import { createDeletions, createDispatcher, type Deletions } from '@chorus/queue';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis, type TestDatabases, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOld, deleteTransient } from './retention.ts';

let store: TestDatabases;
let server: TestRedis;
let redis: RedisConnection;
let database: Database;
let deletions: Deletions;

const log = createLogger({ name: 'test', level: 'silent' });

beforeAll(async () => {
  [store, server] = await Promise.all([sharedStore(), startRedis()]);
  database = await connectDatabase({ uri: store.uri, log });
  redis = connectRedis({ url: server.url, cluster: false }, 'request');
  const eventLog = createEventLog(redis, { maxLength: 1_000, keepMs: 60_000 });
  const hub = createEventHub(redis, redis, log);
  const dispatcher = createDispatcher({
    database,
    redis,
    hub,
    eventLog,
    limits: { maxDepth: 10, maxAgeMs: 60_000 },
    log,
  });
  const none = { remove: async () => false };
  deletions = createDeletions({
    database,
    eventLog,
    dispatcher,
    assets: none,
    removeEntry: async () => undefined,
    blankQuotes: async () => undefined,
    log,
  });
});
afterAll(async () => {
  redis?.disconnect();
  await database?.close();
  await Promise.all([store?.stop(), server?.stop()]);
});

const HOUR_MS = 3_600_000;

/** Creates a session with a turn, ended or still running. */
async function talk(owner: Owner, ended = true) {
  const executionId = newId('job');
  const turn = await startTurn(database, owner, { message: 'Hi', executionId });
  if (ended) await database.sessions.release(owner, turn.session_id, executionId);
  const now = new Date();
  await database.executions.insert({
    id: executionId,
    owner,
    kind: 'chat.completion',
    surface: 'chat',
    status: ended ? 'succeeded' : 'running',
    model: 'm/x',
    provider: 'm',
    output: [],
    progress: null,
    usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3, cost_usd: null },
    context: null,
    warnings: [],
    api_key_id: null,
    error: null,
    attempt: 1,
    retry_of: null,
    webhook_url: null,
    session_id: turn.session_id,
    message_id: turn.assistant_message_id,
    batch_id: null,
    metadata: {},
    input: {},
    finish_reason: null,
    checkpoint: null,
    request_id: null,
    created_at: now,
    started_at: now,
    finished_at: ended ? now : null,
  });
  return { session_id: turn.session_id, executionId };
}

test('deletes old records and their parts and keeps their usage', async () => {
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const today = () => new Date().toISOString().slice(0, 10);
  const from = today();
  const [old, running] = [await talk(owner), await talk(owner, false)];
  const keep = { executionsMs: 48 * HOUR_MS, sessionsMs: HOUR_MS };
  expect(await deleteOld(database, deletions, keep)).toEqual({ batches: 0, executions: 0, sessions: 0 });
  expect(
    await deleteOld(database, deletions, { executionsMs: null, sessionsMs: null }, Date.now() + 99 * HOUR_MS),
  ).toEqual({
    batches: 0,
    executions: 0,
    sessions: 0,
  });

  const later = Date.now() + 1.5 * HOUR_MS;
  expect(await deleteOld(database, deletions, keep, later)).toEqual({ batches: 0, executions: 0, sessions: 1 });
  expect(await database.sessions.get(owner, old.session_id)).toBeNull();
  expect((await database.messages.listBySession(owner, old.session_id, { limit: 9 })).data).toEqual([]);
  expect(await database.executions.get(owner, old.executionId)).toBeNull();
  expect(await database.sessions.get(owner, running.session_id)).not.toBeNull();

  expect(await deleteOld(database, deletions, keep, later + 48 * HOUR_MS)).toEqual({
    batches: 0,
    executions: 1,
    sessions: 0,
  });
  expect(await database.executions.get(owner, old.executionId)).toBeNull();
  expect(await database.executions.get(owner, running.executionId)).not.toBeNull();
  // Two days, in case the test runs across midnight.
  const used = await database.usage.report(owner, { from, to: today() });
  expect(used.reduce((sum, { executions }) => sum + executions, 0)).toBe(1);
});

test('deletes a batch and its items when it ended long ago', async () => {
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const upload = { head: { kind: 'iris.image' }, items: [{ value: { body: { prompt: 'A sun' } }, chars: 30 }] };
  const make = async () =>
    (await stageBatch(database, { owner, agentId: null, apiKeyId: null, requestId: null, upload })).commit();
  const [ended, running] = [await make(), await make()];
  await database.batches.finish(ended, { ...ended, status: 'completed' });
  const keep = { executionsMs: 48 * HOUR_MS, sessionsMs: null };
  expect(await deleteOld(database, deletions, keep)).toMatchObject({ batches: 0 });
  expect(await deleteOld(database, deletions, keep, Date.now() + 49 * HOUR_MS)).toMatchObject({ batches: 1 });
  expect(await database.batches.get(owner, ended.id)).toBeNull();
  expect((await database.batchItems.list(ended.id, { limit: 9 })).data).toEqual([]);
  expect(await database.batches.get(owner, running.id)).not.toBeNull();
});

test('deletes what callers asked not to store, within the hour, but not the results of batches', async () => {
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const ended = async (options: object, fields: Partial<NewExecution> = {}) => {
    const input = { model: 'm/x', items: [], options };
    const record = newExecution({ id: newId('job'), kind: 'response', owner, model: 'm/x', input, ...fields });
    await database.executions.insert(record);
    await database.executions.finish(owner, record.id, null, cancelledOutcome());
    return record.id;
  };
  const transient = await ended({ store: false });
  const kept = [await ended({ store: true }), await ended({ store: false }, { batch_id: newId('batch') })];
  expect(await deleteTransient(database, deletions)).toBe(0);
  expect(await deleteTransient(database, deletions, Date.now() + HOUR_MS)).toBe(1);
  expect(await database.executions.get(owner, transient)).toBeNull();
  for (const id of kept) expect(await database.executions.get(owner, id)).not.toBeNull();
  expect(await deleteTransient(database, deletions, Date.now() + HOUR_MS)).toBe(0);
});
