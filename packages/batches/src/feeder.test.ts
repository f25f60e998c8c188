import { AGENT_WORK_DEFAULTS, ChorusError, newId } from '@chorus/contract';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { draw, type OpenBatches, openBatches, personal, planner, until } from './test-batches.ts';

let open: OpenBatches;

beforeAll(async () => {
  open = await openBatches();
});
afterAll(() => open.close());
beforeEach(() => open.redis.flushall());
afterEach(() => open.closeProcesses());

const none = {
  waiting: 0,
  queued: 0,
  running: 0,
  requires_action: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
  expired: 0,
};
const prompts = (count: number, word = 'sun') => Array.from({ length: count }, (_, index) => `${word} ${index}`);

async function answers(owner: ReturnType<typeof personal>, id: string): Promise<(string | undefined)[]> {
  const items = await open.items(id);
  const ids = items.flatMap(({ execution_id }) => execution_id ?? []);
  const records = new Map((await open.database.executions.getMany(owner, ids)).map((record) => [record.id, record]));
  return items.map(({ execution_id, error }) => {
    const [first] = records.get(execution_id ?? '')?.output ?? [];
    return first?.type === 'text' ? first.text : error?.code;
  });
}

test('waits while its budget is used up, and then continues', async () => {
  const owner = personal();
  let left = 2;
  const dispatchMany: typeof open.dispatcher.dispatchMany = async (planned) => {
    if (planned.length > left) throw new ChorusError('budget_exceeded', 'Used up.', { retryAfterS: 0.05 });
    left -= planned.length;
    await open.dispatcher.dispatchMany(planned);
  };
  await open.startWorker();
  await open.startFeeder({ dispatcher: { ...open.dispatcher, dispatchMany } });
  const batch = await open.create(owner, prompts(5));
  const waiting = await open.settled(owner, batch.id, ({ counts }) => counts.succeeded === 2);
  expect(waiting).toMatchObject({ status: 'running', counts: { failed: 0 } });
  left = 10;
  const ended = await open.settled(owner, batch.id);
  expect(ended).toMatchObject({ status: 'completed', counts: { ...none, total: 5, succeeded: 5 } });
  expect(left).toBe(7);
});

test('runs each item once and ends with their results', async () => {
  const owner = personal();
  const runs: string[] = [];
  await open.startWorker(async (job) => {
    runs.push(job.executionId);
    return draw(job);
  });
  await open.startFeeder();
  const batch = await open.create(owner, [...prompts(120), 'fail this', 'never'], { defaults: { n: 1 } });
  const ended = await open.settled(owner, batch.id);
  expect(ended).toMatchObject({ status: 'completed', counts: { ...none, total: 122, succeeded: 120, failed: 2 } });
  expect(ended.started_at).not.toBeNull();
  expect(new Set(runs).size).toBe(runs.length);
  expect(runs.length).toBe(121);
  expect(await answers(owner, batch.id)).toEqual([
    ...prompts(120).map((prompt) => `drawn: ${prompt}`),
    'provider_error',
    'model_not_found',
  ]);
  const results = await open.database.batchItems.listEnded(batch.id, {
    after: null,
    upTo: ended.ended_seq,
    limit: 999,
  });
  expect(results.map(({ index }) => index).sort((a, b) => a - b)).toEqual(prompts(122).map((_, index) => index));
  const { data } = await open.database.executions.list(owner, { limit: 100, batch_id: batch.id });
  expect(data).toHaveLength(100);
  expect(await open.database.executions.listBatchesDue(9)).toEqual([]);
});

test('items that wait for decisions are counted, and hold no place', async () => {
  const owner = personal();
  const { database, dispatcher } = open;
  await open.startWorker(async (job) => {
    const asks = job.input.prompts[0]?.startsWith('ask') && job.decisions.made.length === 0;
    if (asks) job.decisions.wait([{ tool_call_id: 'call_1', name: 'draw' }]);
    return draw(job);
  });
  await open.startFeeder({ limits: { maxDepth: 1_000, window: 2 } });
  const batch = await open.create(owner, [...prompts(2, 'ask'), ...prompts(5)]);
  const waiting = await open.settled(owner, batch.id, ({ counts }) => counts.succeeded === 5);
  expect(waiting).toMatchObject({
    finished_at: null,
    counts: { ...none, total: 7, requires_action: 2, succeeded: 5 },
  });
  const [first, second] = await open.items(batch.id);
  expect([first?.status, second?.status]).toEqual(['requires_action', 'requires_action']);
  const id = first?.execution_id as string;
  const decided = { tool_call_id: 'call_1', decision: 'approve' as const, reason: null, user_id: owner.user_id };
  await database.executions.decide(owner, id, decided);
  await dispatcher.resume(owner, id);
  await open.settled(owner, batch.id, ({ counts }) => counts.succeeded === 6);
  await dispatcher.cancel(owner, second?.execution_id as string);
  const ended = await open.settled(owner, batch.id);
  expect(ended).toMatchObject({ status: 'completed', counts: { ...none, total: 7, succeeded: 6, cancelled: 1 } });
});

describe('items with dependencies', () => {
  test('use the results of their dependencies and are skipped after a failure', async () => {
    const owner = personal();
    await open.startWorker();
    await open.startFeeder();
    const batch = await open.create(owner, [
      { id: 'last', after: ['b', 'a'], body: { prompt: '{{a.output.0.text}} + {{b.output.0.text}}' } },
      { id: 'a', body: { prompt: 'one' } },
      { id: 'b', after: ['a'], body: { prompt: { $from: 'a', path: 'output.0.text' } } },
      { id: 'bad', body: { prompt: 'fail' } },
      { id: 'behind', after: ['a', 'bad'], body: { prompt: 'x' } },
      { id: 'far', after: ['behind'], body: { prompt: 'x' } },
      { id: 'lost', after: ['a'], body: { prompt: '{{a.output.7.text}}' } },
      { id: 'odd', after: ['a'], body: { prompt: 'x', size: { $from: 'a', path: 'output.0.text' } } },
    ]);
    const ended = await open.settled(owner, batch.id);
    expect(ended.counts).toEqual({ ...none, total: 8, succeeded: 3, failed: 3, skipped: 2 });
    expect(await answers(owner, batch.id)).toEqual([
      'drawn: drawn: one + drawn: drawn: one',
      'drawn: one',
      'drawn: drawn: one',
      'provider_error',
      'item_not_run',
      'item_not_run',
      'reference_not_found',
      'invalid_request',
    ]);
    const [, , , , behind, far, lost, odd] = await open.items(batch.id);
    expect(behind?.error?.message).toContain('item "bad"');
    expect(far?.error?.message).toContain('item "behind"');
    expect(lost?.error).toMatchObject({ details: [{ path: 'body.items.6.body.prompt' }], request_id: 'req' });
    expect(odd?.error).toMatchObject({ details: [{ path: 'body.items.7.body.size' }] });
  });
});

test('stays within the window of a scope and half of the queue', async () => {
  const [owner, other] = [personal(), personal()];
  await open.startFeeder({ limits: { maxDepth: 60, window: 20 } });
  const batches = [await open.create(owner, prompts(100)), await open.create(owner, prompts(100))];
  const foreign = await open.create(other, prompts(100));
  const out = async (id: string) => {
    const { counts } = (await open.database.batches.get(id === foreign.id ? other : owner, id)) ?? {};
    return (counts?.queued ?? 0) + (counts?.running ?? 0);
  };
  const sum = async () => (await Promise.all(batches.map(({ id }) => out(id)))).reduce((one, two) => one + two);
  await until(async () => (await sum()) + (await out(foreign.id)) >= 30);
  expect(await sum()).toBeLessThanOrEqual(20);
  expect(await out(foreign.id)).toBeGreaterThanOrEqual(10);
  // The lane of a batch is known after its first ten items.
  expect((await open.dispatcher.pressure('media', 'test/image')).depth).toBeLessThanOrEqual(30 + 10);
  await open.startWorker();
  for (const { id } of batches) expect((await open.settled(owner, id)).counts.succeeded).toBe(100);
  expect((await open.settled(other, foreign.id)).counts.succeeded).toBe(100);
});

describe('cancel', () => {
  test('never runs waiting items and cancels running ones', async () => {
    const owner = personal();
    const runs: string[] = [];
    // Of four slots, a lane gets three, and all of them hang.
    await open.startWorker(async (job) => {
      runs.push(job.input.prompts[0] as string);
      return draw(job);
    }, 4);
    const feeder = await open.startFeeder({ limits: { maxDepth: 1_000, window: 10 } });
    const batch = await open.create(owner, [...prompts(2), ...prompts(3, 'hang'), ...prompts(60)]);
    await until(() => runs.filter((prompt) => prompt.startsWith('hang')).length === 3);
    await open.database.batches.markCancelling(owner, batch.id);
    feeder.wake(true);
    const { status, counts } = await open.settled(owner, batch.id);
    expect(status).toBe('cancelled');
    expect(counts.cancelled + counts.succeeded).toBe(65);
    expect(counts.succeeded).toBe(runs.length - 3);
    const items = await open.items(batch.id);
    expect(items.slice(2, 5).map((item) => item.status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(items.at(-1)).toMatchObject({ status: 'cancelled', execution_id: null });
    const before = runs.length;
    expect(await open.dispatcher.pressure('media', 'test/image')).toMatchObject({ depth: 0 });
    expect(runs.length).toBe(before);
  });
});

describe('retry', () => {
  test('retries only unsuccessful items, as new executions', async () => {
    const owner = personal();
    let broken = true;
    await open.startWorker(async (job) => {
      if (broken && job.input.prompts[0]?.startsWith('shaky')) throw new ChorusError('provider_error', 'Broken.');
      return draw(job);
    });
    const feeder = await open.startFeeder();
    const batch = await open.create(owner, [
      { id: 'a', body: { prompt: 'sun' } },
      { id: 'b', body: { prompt: 'shaky' } },
      { id: 'c', after: ['b'], body: { prompt: 'after {{b.output.0.text}}' } },
      { id: 'd', body: { prompt: 'fail' } },
    ]);
    const first = await open.settled(owner, batch.id);
    expect(first.counts).toEqual({ ...none, total: 4, succeeded: 1, failed: 2, skipped: 1 });
    const before = await open.items(batch.id);
    broken = false;
    await open.database.batches.requestRetry(batch);
    feeder.wake(true);
    const again = await open.settled(
      owner,
      batch.id,
      ({ retries, finished_at }) => retries === 1 && finished_at !== null,
    );
    expect(again).toMatchObject({ status: 'completed', counts: { ...none, total: 4, succeeded: 3, failed: 1 } });
    const after = await open.items(batch.id);
    expect(after[0]).toEqual(before[0]);
    expect(after[1]).toMatchObject({ status: 'succeeded', retry_of: before[1]?.execution_id, round: 1, error: null });
    expect(after[2]).toMatchObject({ status: 'succeeded', retry_of: null });
    const retried = await open.database.executions.get(owner, after[1]?.execution_id as string);
    expect(retried?.retry_of).toBe(before[1]?.execution_id);
    const results = await open.database.batchItems.listEnded(batch.id, {
      after: { seq: first.ended_seq, index: 10_000 },
      upTo: again.ended_seq,
      limit: 99,
    });
    expect(results.map(({ index }) => index).sort()).toEqual([1, 2, 3]);
  });
});

test('waits while items cannot be planned; a single execution can be cancelled', async () => {
  const owner = personal();
  let ready = false;
  const patient: typeof planner = async (kind, request, ...rest) => {
    if (!ready) throw new ChorusError('overloaded', 'No worker yet.');
    return planner(kind, request, ...rest);
  };
  await open.startFeeder({ planner: patient });
  const batch = await open.create(owner, ['sun', 'hang']);
  await open.startWorker();
  expect((await open.items(batch.id)).map(({ status }) => status)).toEqual(['waiting', 'waiting']);
  ready = true;
  await open.settled(owner, batch.id, ({ counts }) => counts.succeeded === 1 && counts.running === 1);
  const [, hanging] = await open.items(batch.id);
  expect(hanging?.status).toBe('running');
  await open.dispatcher.cancel(owner, hanging?.execution_id as string);
  expect(await open.settled(owner, batch.id)).toMatchObject({
    status: 'completed',
    counts: { succeeded: 1, cancelled: 1 },
  });
});

test('removes incomplete uploads after a while', async () => {
  const owner = personal();
  const stage = () => open.stage(owner, ['sun', 'moon']);
  const [old, fresh] = [await stage(), await stage()];
  const client = await new MongoClient(open.store.uri).connect();
  const batches = client.db().collection<{ _id: string }>('batches');
  await batches.updateOne({ _id: old.id }, { $set: { creating_at: new Date(Date.now() - 3_600_000) } });
  await client.close();
  await open.startFeeder();
  const making = () => open.database.batches.listAbandoned(new Date(Date.now() + 1_000), 99);
  await until(async () => !(await making()).includes(old.id));
  expect(await open.items(old.id)).toEqual([]);
  expect((await open.items(fresh.id)).map(({ status }) => status)).toEqual(['waiting', 'waiting']);
  await fresh.discard();
});

test('plans items with the agent of the batch, and fails them once it is deleted', async () => {
  const owner = personal();
  const now = new Date();
  const nothing = { instructions: null, model: null, temperature: null, voice: null };
  const lists = { ...AGENT_WORK_DEFAULTS, knowledge_tags: [], fallbacks: [] };
  const agent = { ...nothing, ...lists, id: newId('agent'), name: 'Painter', owner };
  await open.database.agents.insert({ ...agent, created_at: now, updated_at: now });
  const stage = (by: typeof owner, agentId: string | null) => open.stage(by, ['sun'], {}, agentId);
  const staged = [
    { by: owner, batch: await stage(owner, agent.id), ends: 'drawn: sun' },
    { by: owner, batch: await stage(owner, newId('agent')), ends: 'not_found' },
  ];
  const stranger = personal();
  staged.push({ by: stranger, batch: await stage(stranger, agent.id), ends: 'not_found' });
  const early = await stage(owner, null);
  staged.push({ by: owner, batch: early, ends: 'drawn: sun' });
  // Batches of early versions have no such field.
  const client = await new MongoClient(open.store.uri).connect();
  await client
    .db()
    .collection<{ _id: string }>('batches')
    .updateOne({ _id: early.id }, { $unset: { agent_id: '' } });
  await client.close();

  const planned: string[] = [];
  await open.startWorker();
  await open.startFeeder({
    planner: (kind, request, requester) => {
      planned.push(requester.agent?.id ?? 'none');
      return planner(kind, request, requester);
    },
  });
  for (const { batch } of staged) await batch.commit();
  for (const { by, batch, ends } of staged) {
    await open.settled(by, batch.id);
    expect(await answers(by, batch.id)).toEqual([ends]);
  }
  expect(planned.sort()).toEqual([agent.id, 'none'].sort());
});
