import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database, type ExecutionRecord, type Outcome } from '@chorus/database';
import { createLogger } from '@chorus/log';
import { startStore, type TestStore } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_USAGE } from './outcome.ts';
import { settle } from './settle.ts';

let store: TestStore;
let database: Database;

beforeAll(async () => {
  store = await startStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await database.close();
  await store.stop();
});

const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

const outcome = (text: string): Outcome => ({
  status: 'succeeded',
  output: [{ type: 'text', text }],
  usage: NO_USAGE,
  error: null,
  model: 'embedded/assistant',
  provider: 'embedded',
  finish_reason: 'stop',
  finished_at: new Date(),
});

const queued = (): ExecutionRecord => ({
  id: newId('job'),
  kind: 'chat.completion',
  surface: 'chat',
  status: 'queued',
  model: 'embedded/assistant',
  provider: 'embedded',
  output: [],
  progress: null,
  usage: NO_USAGE,
  error: null,
  attempt: 1,
  retry_of: null,
  session_id: null,
  message_id: null,
  batch_id: null,
  metadata: {},
  owner,
  input: {},
  finish_reason: null,
  request_id: null,
  created_at: new Date(),
  started_at: null,
  finished_at: null,
});

test('a job that is done before its record is stored waits for the record', async () => {
  const record = queued();
  const settling = settle(database, { owner, id: record.id, attempt: 1, outcome: outcome('early') });
  // Two looks of the settling have found nothing by then.
  for (let looks = 0; looks < 5; looks += 1) await database.executions.get(owner, record.id);
  await database.executions.insert(record);
  expect(await settling).toMatchObject({ id: record.id, status: 'succeeded' });
  expect((await database.executions.get(owner, record.id))?.output).toEqual([{ type: 'text', text: 'early' }]);
});

test('a record that never comes: refused, within its time', async () => {
  expect(await settle(database, { owner, id: newId('job'), attempt: 1, outcome: outcome('x') })).toBeNull();
});

test('of two that end it, one does; the same attempt may ask again', async () => {
  const record = queued();
  await database.executions.insert(record);
  const ends = await Promise.all([
    settle(database, { owner, id: record.id, attempt: 1, outcome: outcome('one') }),
    settle(database, { owner, id: record.id, attempt: 2, outcome: outcome('two') }),
  ]);
  expect(ends.map((end) => end !== null)).toEqual([true, false]);
  const again = await settle(database, { owner, id: record.id, attempt: 1, outcome: outcome('again') });
  expect(again?.output).toEqual([{ type: 'text', text: 'one' }]);
});
