import { ChorusError, newId, type Owner, toErrorBody } from '@chorus/contract';
import { MongoClient } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../connect-database.ts';
import { openTestDatabase } from '../test-database.ts';
import type { BatchFiles, BatchRecord, NewBatchItem, StoredBatch } from './schema.ts';

let uri: string;
let database: Database;

beforeAll(async () => {
  const opened = await openTestDatabase();
  ({ uri, database } = opened);
  return opened.close;
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const item = (index: number, over: Partial<NewBatchItem> = {}): NewBatchItem => ({
  index,
  id: `line ${index}`,
  kind: 'embedding',
  body: { input: 'x' },
  after: [],
  ...over,
});

async function begin(owner: Owner, over: Partial<BatchFiles> | null = {}): Promise<string> {
  const id = newId('batch');
  const empty = { kind: null, defaults: {}, metadata: {}, webhook_url: null, agent_id: null, api_key_id: null };
  const files = {
    endpoint: '/v1/embeddings',
    input: newId('asset'),
    output: null,
    errors: null,
    problems: [],
    keep_s: null,
    written_at: null,
  };
  await database.batches.begin({
    ...empty,
    id,
    owner,
    request_id: 'req',
    ...(over && { files: { ...files, ...over } }),
  });
  return id;
}

async function ended(owner: Owner, id: string) {
  await database.batches.commit(owner, id, { total: 1, ordered: false });
  const batch = await database.batches.get(owner, id);
  if (batch === null) throw new Error('the batch is not visible');
  const counts = { ...batch.counts, waiting: 0, succeeded: 1 };
  await database.batches.finish(batch, { status: 'completed', counts, ended_seq: 1, started_at: null });
}

test("a batch from a file is visible to OpenAI's API while it is created, and to the platform afterwards", async () => {
  const owner = personal();
  const id = await begin(owner);
  expect(await database.fileBatches.get(owner, id)).toMatchObject({ status: 'creating', files: { output: null } });
  expect(await database.fileBatches.get(personal(), id)).toBeNull();
  expect(await database.batches.get(owner, id)).toBeNull();
  await database.batches.commit(owner, id, { total: 3, ordered: false, failed: 1 });
  expect(await database.batches.get(owner, id)).toMatchObject({
    status: 'running',
    counts: { total: 3, waiting: 2, failed: 1 },
    files: { endpoint: '/v1/embeddings' },
  });
});

test('a batch with a refused file has failed, and is only in this list', async () => {
  const owner = personal();
  const [failed, other, plain] = [await begin(owner), await begin(owner), await begin(owner, null)];
  const problems = [{ code: 'empty_file', message: 'Empty.', line: null, param: null }];
  expect(await database.fileBatches.fail(owner, failed, problems)).toMatchObject({
    status: 'failed',
    finished_at: expect.any(Date),
    files: { problems },
  });
  expect(await database.fileBatches.fail(owner, failed, [])).toBeNull();
  await database.batches.commit(owner, other, { total: 1, ordered: false });
  await database.batches.commit(owner, plain, { total: 1, ordered: false });
  const list = async (query: { limit: number; after?: string }) =>
    (await database.fileBatches.list(owner, query)).data.map(({ id }) => id);
  expect(await list({ limit: 9 })).toEqual([other, failed]);
  expect(await list({ limit: 1, after: other })).toEqual([failed]);
  expect((await database.batches.list(owner, { limit: 9 })).data.map(({ id }) => id)).toEqual([plain, other]);
  expect(await database.batches.get(owner, failed)).toBeNull();
  expect(await database.batches.listAbandoned(new Date(Date.now() + 60_000), 999)).not.toContain(failed);
  expect(await database.batches.listOld({ before: new Date(Date.now() + 60_000), limit: 999 })).toContain(failed);
});

test('its result files are due from the end until they are saved, once', async () => {
  const owner = personal();
  const id = await begin(owner);
  const due = async () => (await database.fileBatches.listDue(999)).map((batch) => batch.id);
  expect(await due()).not.toContain(id);
  await ended(owner, id);
  expect(await due()).toContain(id);
  await database.fileBatches.saveProblem(id, { code: 'storage_full', message: 'Full.', line: null, param: null });
  expect((await database.fileBatches.get(owner, id))?.files.problems).toHaveLength(1);
  const output = newId('asset');
  expect(await database.fileBatches.saveFiles(id, { output, errors: null })).toBe(true);
  expect(await database.fileBatches.saveFiles(id, { output: newId('asset'), errors: null })).toBe(false);
  expect((await database.fileBatches.get(owner, id))?.files).toMatchObject({ output, problems: [] });
  expect(await due()).not.toContain(id);
  // A retry would add results to the written ones.
  expect(await database.batches.requestRetry({ owner, id, lifetime_ms: 1 })).toBeNull();
});

test('batches of early versions expire when they said, or never', async () => {
  const owner = personal();
  const [fromFile, plain] = [await begin(owner), await begin(owner, null)];
  const expires_at = new Date(Date.now() + 60_000);
  const client = await new MongoClient(uri).connect();
  const stored = client.db().collection<Pick<StoredBatch, '_id' | 'expires_at' | 'lifetime_ms' | 'files'>>('batches');
  const early = { $unset: { expires_at: '', lifetime_ms: '' } } as const;
  await stored.updateOne({ _id: fromFile }, { ...early, $set: { 'files.expires_at': expires_at } });
  await stored.updateOne({ _id: plain }, early);
  await client.close();
  expect(await database.fileBatches.get(owner, fromFile)).toMatchObject({ expires_at });
  await database.batches.commit(owner, plain, { total: 1, ordered: false });
  const record = (await database.batches.get(owner, plain)) as BatchRecord;
  expect(record.expires_at).toBeNull();
  expect(await database.batches.requestRetry(record)).toMatchObject({ expires_at: expect.any(Date) });
});

test('an item with an error fails immediately, and keeps its fields for the result', async () => {
  const owner = personal();
  const id = await begin(owner);
  const error = toErrorBody(new ChorusError('invalid_request', 'No.'), 'req');
  await database.batchItems.insert(owner, id, [item(0, { kept: { encoding_format: 'base64' } }), item(1, { error })]);
  const [first, second] = await database.batchItems.getMany(id, [0, 1]);
  expect(first).toMatchObject({ id: 'line 0', status: 'waiting', kept: { encoding_format: 'base64' } });
  expect(second).toMatchObject({ status: 'failed', error, finished_at: expect.any(Date), kept: {} });
  const results = await database.batchItems.listEnded(id, { after: null, upTo: 0, limit: 9 });
  expect(results.map(({ index }) => index)).toEqual([1]);
});
