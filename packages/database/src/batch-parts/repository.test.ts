import { newId, type Owner } from '@chorus/contract';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../connect-database.ts';
import { openTestDatabase } from '../test-database.ts';
import type { BatchPartRecord } from './repository.ts';

let database: Database;

beforeAll(async () => {
  const opened = await openTestDatabase();
  database = opened.database;
  return opened.close;
});

const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
const LEASE_MS = 60_000;
let batch_id: string;

// Parts of earlier tests are due, too.
beforeEach(async () => {
  if (batch_id !== undefined) await database.batchParts.removeOf(batch_id);
  batch_id = newId('batch');
});

const insert = (due_at = new Date()) =>
  database.batchParts.insert({ owner, batch_id, model: 'openai/gpt-4o', ids: ['job_1', 'job_2'], due_at });

const read = async (): Promise<BatchPartRecord> => (await database.batchParts.listOf(batch_id))[0] as BatchPartRecord;

test('one process has a part until it gives it back, or its claim ends', async () => {
  const { batchParts } = database;
  const id = await insert();
  const found = await batchParts.claimDue('one', LEASE_MS);
  expect(found).toMatchObject({ id, owner, provider: 'openai', state: 'new', ids: ['job_1', 'job_2'], stop: null });
  expect(await batchParts.claimDue('two', LEASE_MS)).toBeNull();
  expect(await batchParts.keep(id, 'one', -1)).toBe(true);
  expect(await batchParts.claimDue('two', LEASE_MS)).toMatchObject({ id });
  expect(await batchParts.keep(id, 'one', LEASE_MS)).toBe(false);
  expect(await batchParts.save(id, 'one', { tries: 7 })).toBeNull();
  expect(await batchParts.save(id, 'two', { tries: 1 })).toMatchObject({ tries: 1 });
  await batchParts.giveBack(id, 'two', new Date(Date.now() + 60_000));
  expect(await batchParts.claimDue('one', LEASE_MS)).toBeNull();
});

test('a part that is stopped is due at once, even while a process works on it', async () => {
  const { batchParts } = database;
  const id = await insert();
  await batchParts.claimDue('one', LEASE_MS);
  await batchParts.stop(batch_id, 'cancelled');
  await batchParts.stop(batch_id, 'expired');
  expect(await batchParts.claimDue('two', LEASE_MS)).toBeNull();
  await batchParts.giveBack(id, 'one', new Date(Date.now() + 60_000));
  expect(await batchParts.claimDue('two', LEASE_MS)).toMatchObject({ id, stop: 'cancelled' });
  // The provider knows it now.
  await batchParts.save(id, 'two', { stopped: true });
  await batchParts.giveBack(id, 'two', new Date(Date.now() + 60_000));
  expect(await batchParts.claimDue('one', LEASE_MS)).toBeNull();
});

test('an ended part is never due, and its operation stays known', async () => {
  const { batchParts } = database;
  const id = await insert();
  await batchParts.claimDue('one', LEASE_MS);
  const operation = { id: newId('job'), endpoint: 'responses' };
  await batchParts.save(id, 'one', { operation, state: 'running' });
  await batchParts.giveBack(id, 'one', null);
  await batchParts.stop(batch_id, 'cancelled');
  expect(await batchParts.claimDue('two', LEASE_MS)).toBeNull();
  expect(await read()).toMatchObject({ state: 'ended', operation, stop: null });
  const known = await batchParts.listOperations('openai', new Date(Date.now() - 60_000));
  expect(known).toContain(operation.id);
  await batchParts.removeOf(batch_id);
  expect(await batchParts.listOf(batch_id)).toEqual([]);
});
