import { type EndedItemStatus, newId, type Owner } from '@chorus/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../connect-database.ts';
import { openTestDatabase } from '../test-database.ts';
import type { BatchRecord, NewBatchItem } from './schema.ts';

let database: Database;

beforeAll(async () => {
  const opened = await openTestDatabase();
  database = opened.database;
  return opened.close;
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

const NOW = new Date();

function item(index: number, over: Partial<NewBatchItem> = {}): NewBatchItem {
  return {
    index,
    id: `item-${index}`,
    kind: 'iris.image',
    body: { prompt: `p${index}`, 'a.b': { $x: 1 } },
    after: [],
    ...over,
  };
}

async function made(owner: Owner, items: NewBatchItem[]): Promise<BatchRecord> {
  const id = newId('batch');
  await database.batches.begin({
    id,
    owner,
    kind: 'iris.image',
    defaults: { size: '64x64', 'odd.$name': 1 },
    metadata: { 'a.b': 'c' },
    webhook_url: null,
    agent_id: null,
    api_key_id: null,
    request_id: 'req',
  });
  await database.batchItems.insert(owner, id, items);
  expect(await database.batches.commit(owner, id, { total: items.length, ordered: false })).toBe(true);
  return (await database.batches.get(owner, id)) as BatchRecord;
}

describe('batches', () => {
  test('hides a batch until it is created completely', async () => {
    const owner = personal();
    const id = newId('batch');
    const head = {
      id,
      owner,
      kind: null,
      defaults: {},
      metadata: {},
      webhook_url: null,
      agent_id: null,
      api_key_id: null,
      request_id: null,
    };
    await database.batches.begin(head);
    expect(await database.batches.get(owner, id)).toBeNull();
    expect((await database.batches.list(owner, { limit: 10 })).data).toEqual([]);
    expect(await database.batches.markCancelling(owner, id)).toBeNull();
    expect(await database.batches.requestRetry({ owner, id, lifetime_ms: 1 })).toBeNull();
    const ids = async () => (await database.batches.listUnfinished({ limit: 100 })).map((batch) => batch.id);
    expect(await ids()).not.toContain(id);
    expect(await database.batches.listAbandoned(new Date(Date.now() + 1_000), 100)).toContain(id);

    expect(await database.batches.commit(owner, id, { total: 2, ordered: true })).toBe(true);
    expect(await database.batches.commit(owner, id, { total: 2, ordered: true })).toBe(true);
    expect(await database.batches.get(owner, id)).toMatchObject({
      id,
      owner,
      status: 'running',
      ordered: true,
      counts: { total: 2, waiting: 2, succeeded: 0 },
      retries: 0,
      expires_at: expect.any(Date),
      lifetime_ms: 86_400_000,
      finished_at: null,
    });
    expect(await ids()).toContain(id);
    expect(await database.batches.listAbandoned(new Date(Date.now() + 1_000), 100)).not.toContain(id);
  });

  test('cannot commit an abandoned batch', async () => {
    const owner = personal();
    const id = newId('batch');
    await database.batches.begin({
      id,
      owner,
      kind: null,
      defaults: {},
      metadata: {},
      webhook_url: null,
      agent_id: null,
      api_key_id: null,
      request_id: null,
    });
    await database.batches.remove(id);
    expect(await database.batches.commit(owner, id, { total: 1, ordered: false })).toBe(false);
  });

  test('belongs to its scope, and keeps odd field names', async () => {
    const owner = personal();
    const batch = await made(owner, [item(0)]);
    expect(batch.metadata).toEqual({ 'a.b': 'c' });
    expect(await database.batches.getDefaults(batch.id)).toEqual({ size: '64x64', 'odd.$name': 1 });
    expect(await database.batches.get(personal(), batch.id)).toBeNull();
    expect(await database.batches.markCancelling(personal(), batch.id)).toBeNull();
    const second = await made(owner, [item(0)]);
    const first = await database.batches.list(owner, { limit: 1 });
    expect(first.data.map(({ id }) => id)).toEqual([second.id]);
    const rest = await database.batches.list(owner, { limit: 1, after: first.next_cursor as string });
    expect([rest.data.map(({ id }) => id), rest.has_more]).toEqual([[batch.id], false]);
    expect((await database.batches.list(owner, { limit: 9, status: 'cancelling' })).data).toEqual([]);
  });

  test('ends only if it has not changed since it was read', async () => {
    const owner = personal();
    const seen = await made(owner, [item(0)]);
    const ending = { status: 'completed', counts: seen.counts, ended_seq: 3, started_at: NOW } as const;
    expect(await database.batches.markCancelling(owner, seen.id)).toMatchObject({ status: 'cancelling' });
    expect(await database.batches.finish(seen, ending)).toBeNull();
    const cancelling = { ...seen, status: 'cancelling' as const };
    const cancelled = await database.batches.finish(cancelling, { ...ending, status: 'cancelled' });
    expect(cancelled).toMatchObject({ status: 'cancelled', ended_seq: 3, finished_at: expect.any(Date) });
    expect(await database.batches.finish(cancelling, { ...ending, status: 'cancelled' })).toBeNull();
    expect(await database.batches.markCancelling(owner, seen.id)).toMatchObject({ status: 'cancelled' });

    const before = Date.now();
    const again = await database.batches.requestRetry(seen);
    expect(again?.expires_at?.getTime()).toBeGreaterThanOrEqual(before + seen.lifetime_ms);
    expect(again).toMatchObject({ status: 'running', retries: 1, retry_pending: true, finished_at: null });
    expect(await database.batches.finish({ ...seen, retries: 1 }, ending)).toBeNull();
    // Repeating the request while one is pending does not add a retry.
    expect(await database.batches.requestRetry(seen)).toMatchObject({ retries: 1, retry_pending: true });
    await database.batches.saveRetry(seen.id, 1, seen.counts);
    expect(await database.batches.finish(seen, ending)).toBeNull();
    expect(await database.batches.finish({ ...seen, retries: 1 }, ending)).toMatchObject({ status: 'completed' });
  });

  test('stores progress until it ends, and lists its end until a webhook delivery is stored', async () => {
    const owner = personal();
    const batch = await made(owner, [item(0)]);
    const progress = { counts: { ...batch.counts, waiting: 0, running: 1 }, ended_seq: 1, started_at: NOW };
    await database.batches.saveProgress(batch.id, progress);
    expect(await database.batches.get(owner, batch.id)).toMatchObject(progress);
    await database.batches.finish(batch, { ...progress, status: 'completed' });
    await database.batches.saveProgress(batch.id, { ...progress, ended_seq: 9 });
    expect(await database.batches.get(owner, batch.id)).toMatchObject({ ended_seq: 1 });
    const untold = async () => (await database.batches.listWebhooksDue(100)).map(({ id }) => id);
    expect(await untold()).toContain(batch.id);
    await database.batches.markWebhookStored(batch.id, 0);
    expect(await untold()).not.toContain(batch.id);
    expect(await database.batches.listOld({ before: new Date(Date.now() + 1_000), limit: 100 })).toContain(batch.id);
    expect(await database.batches.listOld({ before: new Date(Date.now() - 60_000), limit: 100 })).toEqual([]);
  });
});

describe('items', () => {
  const indexes = (items: { index: number }[]) => items.map(({ index }) => index);

  test('are listed by position, in pages, also by status', async () => {
    const { id } = await made(
      personal(),
      Array.from({ length: 25 }, (_, index) => item(index)),
    );
    await made(personal(), [item(0)]);
    const first = await database.batchItems.list(id, { limit: 10 });
    expect(indexes(first.data)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(first.data[3]).toMatchObject({
      id: 'item-3',
      kind: 'iris.image',
      status: 'waiting',
      after: [],
      error: null,
    });
    const last = await database.batchItems.list(id, { limit: 10, after: '19' });
    expect([indexes(last.data), last.has_more, last.next_cursor]).toEqual([[20, 21, 22, 23, 24], false, null]);
    await expect(database.batchItems.list(id, { limit: 10, after: 'x' })).rejects.toMatchObject({
      code: 'invalid_request',
    });

    const claims = [3, 14].map((index) => ({ index, execution_id: newId('job'), retry_of: null }));
    expect(await database.batchItems.claim(id, claims)).toBe(2);
    expect(indexes((await database.batchItems.list(id, { limit: 10, status: 'queued' })).data)).toEqual([3, 14]);
    const waiting = await database.batchItems.list(id, { limit: 4, status: 'waiting', after: '12' });
    expect(indexes(waiting.data)).toEqual([13, 15, 16, 17]);
    expect(indexes(await database.batchItems.listStates(id, { from: 22, limit: 2 }))).toEqual([22, 23]);
  });

  test('are claimed once, and keep their content', async () => {
    const { id } = await made(personal(), [item(0), item(1, { after: ['item-0'] }), item(2)]);
    const claims = [0, 1, 2].map((index) => ({ index, execution_id: newId('job'), retry_of: null }));
    const others = [1, 2].map((index) => ({ index, execution_id: newId('job'), retry_of: null }));
    const counts = await Promise.all([database.batchItems.claim(id, claims), database.batchItems.claim(id, others)]);
    expect(counts[0] + counts[1]).toBe(3);
    const items = await database.batchItems.getMany(id, [1, 0, 99]);
    expect(indexes(items)).toEqual([0, 1]);
    expect(items[1]).toMatchObject({ after: ['item-0'], body: { prompt: 'p1', 'a.b': { $x: 1 } }, status: 'queued' });
    expect([...claims, ...others].map(({ execution_id }) => execution_id)).toContain(items[1]?.execution_id);
    await database.batchItems.mark(id, [0, 1], 'running');
    await database.batchItems.end(id, 1, [{ index: 1, status: 'succeeded', error: null, finished_at: NOW }]);
    await database.batchItems.mark(id, [1], 'running');
    const states = await database.batchItems.listStates(id, { from: 0, limit: 10 });
    expect(states.map(({ status }) => status)).toEqual(['running', 'succeeded', 'queued']);
  });

  test('end once, and are listed in the order in which they ended', async () => {
    const { id } = await made(
      personal(),
      Array.from({ length: 12 }, (_, index) => item(index)),
    );
    const error = { code: 'timeout', message: 'Too long.', status: 504, details: [], request_id: null };
    const end = (seq: number, places: number[]) =>
      database.batchItems.end(
        id,
        seq,
        places.map((index) => ({ index, status: 'failed' as const, error, finished_at: NOW })),
      );
    expect(await end(1, [7, 3])).toBe(2);
    expect(await end(2, [10, 0, 3])).toBe(2);
    expect(await end(12, [5])).toBe(1);
    const ended = (after: { seq: number; index: number } | null, upTo = 99, limit = 99) =>
      database.batchItems.listEnded(id, { after, upTo, limit });
    expect(indexes(await ended(null))).toEqual([3, 7, 0, 10, 5]);
    expect((await ended(null))[0]).toMatchObject({ ended_seq: 1, error, finished_at: NOW });
    expect(indexes(await ended({ seq: 1, index: 3 }))).toEqual([7, 0, 10, 5]);
    expect(indexes(await ended({ seq: 2, index: 10 }))).toEqual([5]);
    expect(indexes(await ended(null, 2))).toEqual([3, 7, 0, 10]);
    expect(indexes(await ended(null, 99, 2))).toEqual([3, 7]);
  });

  test('wait again if unsuccessful, once per retry request', async () => {
    const { id } = await made(personal(), [item(0), item(1), item(2), item(3), item(4)]);
    const ending = (index: number, status: EndedItemStatus) =>
      database.batchItems.end(id, 1, [{ index, status, error: null, finished_at: NOW }]);
    await ending(0, 'succeeded');
    await ending(1, 'failed');
    await ending(2, 'skipped');
    await ending(4, 'expired');
    await database.batchItems.reset(id, 1);
    const statuses = async () =>
      (await database.batchItems.listStates(id, { from: 0, limit: 9 })).map(({ status }) => status);
    expect(await statuses()).toEqual(['succeeded', 'waiting', 'waiting', 'waiting', 'waiting']);
    expect((await database.batchItems.getMany(id, [1]))[0]).toMatchObject({ round: 1, error: null, ended_seq: null });
    expect(await database.batchItems.listEnded(id, { after: null, upTo: 9, limit: 9 })).toHaveLength(1);
    await ending(1, 'failed');
    await database.batchItems.reset(id, 1);
    expect(await statuses()).toEqual(['succeeded', 'failed', 'waiting', 'waiting', 'waiting']);
    await database.batchItems.reset(id, 2);
    expect(await statuses()).toEqual(['succeeded', 'waiting', 'waiting', 'waiting', 'waiting']);
  });

  test('are removed with their batch', async () => {
    const [one, other] = [await made(personal(), [item(0), item(1)]), await made(personal(), [item(0)])];
    await database.batchItems.remove(one.id);
    expect((await database.batchItems.list(one.id, { limit: 9 })).data).toEqual([]);
    expect((await database.batchItems.list(other.id, { limit: 9 })).data).toHaveLength(1);
  });
});
