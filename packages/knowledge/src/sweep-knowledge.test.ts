import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { type ExecutionStatus, newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database, type ExecutionRecord, type KnowledgeRecord } from '@chorus/database';
import { connectRedis, createEventLog, type RedisConnection } from '@chorus/events';
import { newExecution } from '@chorus/executions';
import { createLogger } from '@chorus/runtime/log';
import { openSearch } from '@chorus/search';
import { sharedStore, startRedis, type TestDatabases, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KnowledgeKeys } from './knowledge-keys.ts';
import { spaceOf } from './knowledge-space.ts';
import { type EntryStore, planEntry } from './plan-entry.ts';
import { type KnowledgeSweepParts, sweepKnowledge, sweepOrphans } from './sweep-knowledge.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const DEADLINE_MS = 3_600_000;

let store: TestDatabases;
let server: TestRedis;
let redis: RedisConnection;
let folder: string;
let database: Database;
let parts: KnowledgeSweepParts & EntryStore;

beforeAll(async () => {
  [store, server, folder] = await Promise.all([sharedStore(), startRedis(), mkdtemp(join(tmpdir(), 'chorus-sweep-'))]);
  redis = connectRedis({ url: server.url, cluster: false }, 'worker');
  database = await connectDatabase({ uri: store.uri, log });
  const blobs = createBlobs({ kind: 'files', folder: join(folder, 'blobs') }, log);
  parts = {
    database,
    eventLog: createEventLog(redis, { maxLength: 1_000, keepMs: 60_000 }),
    search: openSearch({ location: join(folder, 'index'), log }),
    assets: createAssets({ database, blobs, log }),
    blobs,
    keys: new KnowledgeKeys(database),
    deadlineMs: DEADLINE_MS,
    log,
  };
});
afterAll(async () => {
  redis.disconnect();
  await database.close();
  await Promise.all([store.stop(), server.stop(), rm(folder, { recursive: true, force: true })]);
});

const freshOwner = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Creates an entry in processing for `ageMs`, with an execution of this status; null for none. */
async function entry(owner: Owner, ageMs: number, status: ExecutionStatus | null): Promise<KnowledgeRecord> {
  const material = { type: 'text', content: 'Words', format: 'text' } as const;
  const plan = await planEntry(parts, owner, { material, tags: [], metadata: {}, on_duplicate: 'create' });
  const executionId = newId('job');
  const { input } = await plan.begin(executionId);
  const made = (await database.knowledge.get(owner, input.entry_id)) as KnowledgeRecord;
  await database.knowledge.remove(owner, made.id);
  await database.knowledge.insert({ ...made, processing_since: new Date(Date.now() - ageMs) }, false);
  if (status !== null) await database.executions.insert(execution(owner, executionId, input, status));
  return made;
}

function execution(owner: Owner, id: string, input: object, status: ExecutionStatus): ExecutionRecord {
  const ended = !['queued', 'running', 'cancelling'].includes(status);
  const record = newExecution({ id, kind: 'knowledge.ingest', owner, model: null, input: { ...input } });
  return { ...record, status, finished_at: ended ? new Date() : null };
}

const statusOf = async (owner: Owner, { id }: KnowledgeRecord) => {
  const found = await database.knowledge.get(owner, id);
  return found && [found.status, found.error?.code];
};

test('fails entries without an execution and ends those that take too long', async () => {
  const owner = freshOwner();
  const never = await entry(owner, 60_000, null);
  const died = await entry(owner, 60_000, 'cancelled');
  const working = await entry(owner, 60_000, 'running');
  const waiting = await entry(owner, DEADLINE_MS + 60_000, 'queued');
  const hanging = await entry(owner, DEADLINE_MS + 60_000, 'running');
  const fresh = await entry(owner, 0, null);
  await sweepKnowledge(parts);
  expect(await statusOf(owner, fresh)).toEqual(['processing', undefined]);
  expect(await statusOf(owner, working)).toEqual(['processing', undefined]);
  for (const lost of [never, died]) expect(await statusOf(owner, lost)).toEqual(['failed', 'worker_lost']);
  for (const late of [waiting, hanging]) {
    expect(await statusOf(owner, late)).toEqual(['failed', 'timeout']);
    const ended = await database.executions.get(owner, String(late.execution_id));
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'timeout' } });
  }
  expect(await sweepKnowledge(parts)).toEqual({ failed: 0, deleted: 0 });
});

test('continues an interrupted deletion once no work on the entry is running', async () => {
  const owner = freshOwner();
  const space = spaceOf('test/vectors', 2);
  await database.knowledgeSpaces.setFirst(space);
  const [busy, idle] = await Promise.all([entry(owner, 60_000, 'cancelling'), entry(owner, 60_000, 'failed')]);
  const table = await parts.search.chunks(space);
  const scope_key = `personal:${owner.user_id}`;
  for (const { id } of [busy, idle]) {
    const row = { scope_key, entry_id: id, revision: 1, tags: [], title: 'x', text: 'x', heading_path: [], page: null };
    await table.replace(scope_key, id, [{ ...row, id: `${id}:1:0`, position: 0, vector: null }]);
    await database.knowledge.hide(owner, id);
  }
  expect(await sweepKnowledge(parts)).toMatchObject({ deleted: 1 });
  expect(await database.knowledge.existing([busy.id, idle.id])).toEqual(new Set([busy.id]));
  expect(await table.count({ scopeKey: scope_key, entryIds: [idle.id] })).toBe(0);
  expect((await parts.blobs.list({ prefix: await parts.keys.ofEntry(idle.id) })).blobs).toEqual([]);
  await database.executions.removeMany([String(busy.execution_id)]);
  expect(await sweepKnowledge(parts)).toMatchObject({ deleted: 1 });
  expect(await table.count({ scopeKey: scope_key })).toBe(0);
});

test('removes only objects without an entry', async () => {
  const owner = freshOwner();
  const [kept, lost] = await Promise.all([entry(owner, 0, null), entry(owner, 0, null)]);
  await database.knowledge.remove(owner, lost.id);
  const filesOf = async ({ id }: KnowledgeRecord) =>
    (await parts.blobs.list({ prefix: await parts.keys.ofEntry(id) })).blobs;
  expect(await sweepOrphans(parts, new Date(Date.now() - 60_000))).toBe(0);
  expect(await sweepOrphans(parts, new Date(Date.now() + 60_000))).toBe(1);
  expect(await filesOf(lost)).toEqual([]);
  expect(await filesOf(kept)).toHaveLength(1);
});
