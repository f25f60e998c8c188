import { ChorusError } from '@chorus/contract';
import type { BatchRecord } from '@chorus/database';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { draw, type OpenBatches, openBatches, personal, shaky, until } from './test-batches.ts';

let open: OpenBatches;

beforeAll(async () => {
  open = await openBatches();
});
afterAll(() => open.close());
beforeEach(() => open.redis.flushall());
afterEach(() => open.closeProcesses());

const LIMITS = { maxDepth: 1_000, window: 10 };
const prompts = (count: number, word: string) => Array.from({ length: count }, (_, index) => `${word} ${index}`);

/** Starts a worker whose "hold" prompts wait until released. Returns the prompts that it ran. */
async function startHolding(concurrency: number) {
  const released = Promise.withResolvers<void>();
  const runs: string[] = [];
  await open.startWorker(async (job) => {
    const [prompt = ''] = job.input.prompts;
    runs.push(prompt);
    if (prompt.startsWith('hold')) await released.promise;
    return draw(job);
  }, concurrency);
  return { runs, release: () => released.resolve() };
}

test('items that have not started expire, running ones end, and a retry runs the others with as much time again', async () => {
  const owner = personal();
  const ended: string[] = [];
  const { runs, release } = await startHolding(4);
  const feeder = await open.startFeeder({ limits: LIMITS, onItemEnded: (status) => ended.push(status) });
  const batch = await open.create(owner, [
    { id: 'a', body: { prompt: 'hold a' } },
    { id: 'b', body: { prompt: 'hold b' } },
    ...prompts(30, 'hold'),
    { id: 'after-running', after: ['a'], body: { prompt: 'x' } },
    { id: 'last', body: { prompt: 'sun' } },
    { id: 'after-expired', after: ['last'], body: { prompt: 'x' } },
  ]);
  // Of four slots, a batch gets two.
  await until(() => runs.length === 2);
  await open.expire(batch.id);
  await open.settled(owner, batch.id, ({ counts }) => counts.expired === 31 && counts.skipped === 1);
  expect(runs).toHaveLength(2);
  release();
  const first = await open.settled(owner, batch.id);
  expect(first).toMatchObject({ status: 'completed', counts: { total: 35, succeeded: 2, expired: 32, skipped: 1 } });
  expect(ended.filter((status) => status === 'expired')).toHaveLength(32);

  const items = await open.items(batch.id);
  const of = (id: string) => items.find((item) => item.id === id);
  expect(of('after-running')?.status).toBe('expired');
  expect(of('after-expired')).toMatchObject({ status: 'skipped', error: { code: 'item_not_run' } });
  expect(of('last')).toMatchObject({ status: 'expired', execution_id: null, error: { code: 'expired' } });
  expect(of('last')?.error?.message).toContain(first.expires_at?.toISOString());
  expect(of('last')?.error?.message).toContain('Retry the batch');
  // Some of them were queued.
  const queued = items.filter(({ status, execution_id }) => status === 'expired' && execution_id !== null);
  expect(queued).toHaveLength(8);
  const ids = queued.map(({ execution_id }) => execution_id as string);
  for (const record of await open.database.executions.getMany(owner, ids))
    expect(record).toMatchObject({ status: 'cancelled', started_at: null, error: { code: 'expired' } });
  expect(await open.dispatcher.pressure('media')).toMatchObject({ depth: 0 });

  await open.database.batches.requestRetry(batch);
  feeder.wake(true);
  const again = await open.settled(owner, batch.id, (now) => now.retries === 1 && now.finished_at !== null);
  expect(again).toMatchObject({ status: 'completed', counts: { total: 35, succeeded: 35, expired: 0 } });
  expect(again.expires_at?.getTime()).toBeGreaterThan(Date.now() + batch.lifetime_ms - 60_000);
  expect(runs).toHaveLength(35);
});

test('each item ends once, even if any step fails before or after its effect', async () => {
  const owner = personal();
  const { runs, release } = await startHolding(4);
  const first = await open.startFeeder({ limits: LIMITS });
  const batch = await open.create(owner, prompts(40, 'hold'));
  await until(() => runs.length === 2);
  await open.settled(owner, batch.id, ({ counts }) => counts.queued + counts.running === 10);
  await first.close();
  const { database, dispatcher } = open;
  await open.startFeeder({
    limits: LIMITS,
    dispatcher: { ...dispatcher, cancel: shaky(dispatcher.cancel) },
    database: { ...database, batchItems: { ...database.batchItems, end: shaky(database.batchItems.end) } },
  });
  await open.expire(batch.id);
  await open.settled(owner, batch.id, ({ counts }) => counts.expired === 38);
  release();
  const { counts, ended_seq } = await open.settled(owner, batch.id);
  expect(counts).toMatchObject({ total: 40, succeeded: 2, expired: 38 });
  const results = await database.batchItems.listEnded(batch.id, { after: null, upTo: ended_seq, limit: 99 });
  expect(results.map(({ index }) => index).sort((one, other) => one - other)).toEqual(
    prompts(40, '').map((_, at) => at),
  );
  expect(runs).toHaveLength(2);
});

test('batches expire that wait for others of their user, or for a budget', async () => {
  const owner = personal();
  await open.startFeeder({
    dispatcher: {
      ...open.dispatcher,
      dispatchMany: () => Promise.reject(new ChorusError('budget_exceeded', 'Used up.', { retryAfterS: 60 })),
    },
  });
  const batches: BatchRecord[] = [];
  for (let count = 0; count < 10; count += 1) batches.push(await open.create(owner, ['sun', 'moon']));
  const [first, last] = [batches[0], batches[9]] as [BatchRecord, BatchRecord];
  await open.settled(owner, first.id, ({ counts }) => counts.queued > 0);
  expect((await open.database.batches.get(owner, last.id))?.started_at).toBeNull();
  for (const { id } of [first, last]) await open.expire(id);
  for (const { id } of [first, last])
    expect(await open.settled(owner, id)).toMatchObject({ status: 'completed', counts: { expired: 2 } });
});

test('a running execution that a user cancels is cancelled, not expired', async () => {
  const owner = personal();
  const { runs } = await startHolding(2);
  await open.startFeeder({ limits: LIMITS });
  const batch = await open.create(owner, ['hang', 'sun']);
  await until(() => runs.includes('hang'));
  const [item] = await open.items(batch.id);
  await open.expire(batch.id);
  await open.dispatcher.cancel(owner, item?.execution_id as string);
  expect((await open.settled(owner, batch.id)).counts).toMatchObject({ cancelled: 1 });
});

test('items that wait for decisions expire', async () => {
  const owner = personal();
  await open.startWorker(async (job) => job.decisions.wait([{ tool_call_id: 'call_1', name: 'draw' }]));
  await open.startFeeder({ limits: LIMITS });
  const batch = await open.create(owner, prompts(3, 'ask'));
  await open.settled(owner, batch.id, ({ counts }) => counts.requires_action === 3);
  await open.expire(batch.id);
  expect(await open.settled(owner, batch.id)).toMatchObject({ status: 'completed', counts: { total: 3, expired: 3 } });
});
