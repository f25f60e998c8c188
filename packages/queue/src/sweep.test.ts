import { randomUUID } from 'node:crypto';
import { newId, type Owner } from '@chorus/contract';
import { regenerateTurn, restartTurn, startTurn } from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import { failedOutcome, settle } from '@chorus/executions';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sweep } from './sweep.ts';
import { type OpenQueue, openQueue, personal, recordOf, silent, statelessRequest } from './test-queue.ts';

let open: OpenQueue;

beforeAll(async () => {
  open = await openQueue();
});
afterAll(() => open.close());
beforeEach(async () => {
  await open.redis.flushall();
  for (const name of ['executions', 'sessions', 'messages']) await open.raw.collection(name).deleteMany({});
});

const started = { type: 'execution.started', attempt: 1 } as const;
const delta = (text: string) => ({ type: 'text.delta', index: 0, delta: text }) as const;

function sweepOnce(dispatcher: Parameters<typeof sweep>[0]['dispatcher'] = open.dispatcher()) {
  return sweep({ database: open.database, eventLog: open.eventLog, dispatcher, log: silent });
}

async function insert(record: ExecutionRecord): Promise<ExecutionRecord> {
  await open.database.executions.insert(record);
  return record;
}

/** Creates a turn that locks its session, `ageMs` old. Without `over` its execution is missing. */
async function turn(owner: Owner, over: Partial<ExecutionRecord> | null, ageMs = 60_000, session_id?: string) {
  const id = newId('job');
  const made = await startTurn(open.database, owner, { message: 'Hi', session_id, executionId: id });
  await age(made.session_id, ageMs);
  const { session_id: session, assistant_message_id: message } = made;
  const record = recordOf(owner, { id, session_id: session, message_id: message, ...over }, ageMs);
  if (over) await insert(record);
  return { ...made, id, record };
}

const documents = (name: string) => open.raw.collection<{ _id: string }>(name);

const age = (sessionId: string, ageMs: number) =>
  documents('sessions').updateOne({ _id: sessionId }, { $set: { locked_at: new Date(Date.now() - ageMs) } });

const stateOf = async (owner: Owner, id: string) => (await open.database.executions.get(owner, id))?.status;

const lockOf = async (owner: Owner, sessionId: string) =>
  (await open.database.sessions.get(owner, sessionId))?.active_execution_id;

const messagesOf = async (owner: Owner, sessionId: string) =>
  (await open.database.messages.listBySession(owner, sessionId, { limit: 100 })).data;

async function eventsOf(id: string): Promise<string[]> {
  const reader = await open.hub.open(id, 0);
  const types = (await reader.next()).map(({ event }) => event.type);
  reader.close();
  return types;
}

/** Fails the waiting job for good, as if it had killed two workers. */
async function failJob(): Promise<void> {
  const job = await open.takeJob();
  await job.moveToFailed(new Error('job stalled more than allowable limit'), job.token ?? '');
}

describe('executions', () => {
  test('leaves those that are held for a batch endpoint, until they are released or cancelled', async () => {
    const owner = personal();
    const held = await insert(recordOf(owner, { economy: { part: 'part_1' } }));
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 0, unlocked: 0 });
    expect(await open.database.executions.releaseHeld(held.id, 'part_2')).toBeNull();
    expect(await open.database.executions.releaseHeld(held.id, 'part_1')).toMatchObject({ id: held.id });
    expect(await sweepOnce()).toEqual({ redispatched: 1, ended: 0, unlocked: 0 });
    await insert(recordOf(owner, { status: 'cancelling', economy: { part: null } }));
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 1, unlocked: 0 });
  });

  test.each([
    ['queued', 1],
    ['running', 1],
    ['running', 2],
  ] as const)(
    'queues one that is %s at attempt %i and has no job again, with the next attempt number',
    async (status, attempt) => {
      const owner = personal();
      const record = await insert(recordOf(owner, { status, attempt }));
      expect(await sweepOnce()).toEqual({ redispatched: 1, ended: 0, unlocked: 0 });
      const job = await open.queue.getJob(record.id);
      const { input, session_id, batch_id } = record;
      expect(job?.data).toEqual({
        owner,
        input,
        request_id: 'req',
        session_id,
        batch_id,
        earlier_attempts: attempt,
      });
      expect(await open.queue.count()).toBe(1);
      expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 0, unlocked: 0 });
      expect(await open.queue.count()).toBe(1);
      expect(await stateOf(owner, record.id)).toBe(status);
    },
  );

  test('leaves one whose job waits or runs alone, however old', async () => {
    const owner = personal();
    const dispatcher = open.dispatcher();
    const { record: waiting } = await dispatcher.dispatch(statelessRequest(owner));
    const { record: running } = await dispatcher.dispatch(statelessRequest(owner));
    await documents('executions').updateMany({}, { $set: { created_at: new Date(0), status: 'cancelling' } });
    await open.takeJob();
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 0, unlocked: 0 });
    expect(await stateOf(owner, waiting.id)).toBe('cancelling');
    expect(await stateOf(owner, running.id)).toBe('cancelling');
  });

  test('ends one whose job failed: keeps the shown output and the job, and releases the session', async () => {
    const owner = personal();
    const { record, session_id, assistant_message_id } = await turn(owner, { status: 'running' });
    await open.dispatcher().redispatch(record, 0);
    await open.eventLog.append(record.id, 1, 1, [started, delta('half')]);
    await failJob();
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 1, unlocked: 0 });
    expect(await open.database.executions.get(owner, record.id)).toMatchObject({
      status: 'failed',
      error: { code: 'worker_lost', request_id: 'req' },
      output: [{ type: 'text', text: 'half' }],
    });
    expect(await lockOf(owner, session_id)).toBeNull();
    expect(await open.database.messages.get(owner, assistant_message_id)).toMatchObject({
      status: 'failed',
      content: 'half',
    });
    expect(await eventsOf(record.id)).toEqual(['execution.started', 'text.delta', 'execution.failed']);
    expect(await open.queue.getFailedCount()).toBe(1);
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 0, unlocked: 0 });
  });

  test('charges those that it ends, with what their attempts have used', async () => {
    const owner = personal();
    const known_usage = { input_tokens: 9, output_tokens: 1, total_tokens: 10, cost_usd: 0.5 };
    const record = await insert(recordOf(owner, { status: 'running', known_usage }));
    await open.dispatcher().redispatch(record, 0);
    await failJob();
    const charged: ExecutionRecord[] = [];
    const { database, eventLog } = open;
    const charge = (one: ExecutionRecord) => void charged.push(one);
    await sweep({ database, eventLog, dispatcher: open.dispatcher(), charge, log: silent });
    expect(charged).toMatchObject([{ id: record.id, status: 'failed', usage: known_usage }]);
  });

  test('ends one that is cancelling with no job, or with a failed one, as cancelled', async () => {
    const owner = personal();
    const { record, session_id } = await turn(owner, { status: 'cancelling' });
    const crashed = await insert(recordOf(owner, { status: 'cancelling' }));
    await open.dispatcher().redispatch(crashed, 0);
    await failJob();
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 2, unlocked: 0 });
    for (const { id } of [record, crashed]) {
      expect(await open.database.executions.get(owner, id)).toMatchObject({ status: 'cancelled', error: null });
      expect(await eventsOf(id)).toEqual(['execution.cancelled']);
    }
    expect(await lockOf(owner, session_id)).toBeNull();
  });

  describe('that wait for decisions', () => {
    const waiting = (decision: 'approve' | null, expiresInMs: number): Partial<ExecutionRecord> => ({
      status: 'requires_action',
      approvals: [{ tool_call_id: 'call_1', name: 'mail', decision, reason: null, user_id: null, decided_at: null }],
      approvals_expire_at: new Date(Date.now() + expiresInMs),
    });

    test('are left alone until they expire', async () => {
      const owner = personal();
      const id = newId('job');
      const lock = await startTurn(open.database, owner, { message: 'Hi', executionId: id });
      const fields = { session_id: lock.session_id, message_id: lock.assistant_message_id };
      const left = await insert(recordOf(owner, waiting(null, 60_000)));
      const late = await insert({ ...recordOf(owner, { ...waiting(null, -1), ...fields }), id });
      await sweepOnce();
      expect(await open.database.executions.get(owner, left.id)).toMatchObject({ status: 'requires_action' });
      const ended = await open.database.executions.get(owner, late.id);
      expect(ended).toMatchObject({ status: 'failed', error: { code: 'approval_expired' } });
      expect(await lockOf(owner, lock.session_id)).toBeNull();
      expect(await open.dispatcher().jobState(left)).toBe('unknown');
    });

    test('continue if the process that decided has died', async () => {
      const owner = personal();
      const record = await insert(recordOf(owner, { ...waiting('approve', 60_000), attempt: 3 }));
      await sweepOnce();
      expect(await open.database.executions.get(owner, record.id)).toMatchObject({ status: 'queued' });
      const job = await open.queue.getJob(record.id);
      expect(job?.data).toMatchObject({ earlier_attempts: 3 });
    });
  });

  test('does not rerun one that ends during the sweep', async () => {
    const owner = personal();
    const record = await insert(recordOf(owner, { status: 'running' }));
    const dispatcher = open.dispatcher();
    const outcome = failedOutcome(null, null);
    await sweepOnce({
      redispatch: dispatcher.redispatch,
      resume: dispatcher.resume,
      jobState: async (seen) => {
        await settle(open.database, { owner, id: record.id, attempt: 1, outcome });
        return dispatcher.jobState(seen);
      },
    });
    expect(await open.queue.count()).toBe(0);
  });

  test('continues with the others after one that fails', async () => {
    const owner = personal();
    await insert(recordOf(owner, { kind: 'of.a.later.version' }));
    const record = await insert(recordOf(owner));
    const lock = await turn(owner, null);
    expect(await sweepOnce()).toEqual({ redispatched: 1, ended: 0, unlocked: 1 });
    expect(await open.queue.getJob(record.id)).toBeDefined();
    expect(await lockOf(owner, lock.session_id)).toBeNull();
  });

  test('handles more than one page, of all owners', async () => {
    const records = Array.from({ length: 450 }, () => recordOf(personal()));
    await open.database.executions.insertMany(records);
    expect(await sweepOnce()).toEqual({ redispatched: 450, ended: 0, unlocked: 0 });
    expect(await open.queue.count()).toBe(450);
  });
});

describe('session locks', () => {
  test('releases the lock of an ended execution and completes its ending', async () => {
    const owner = personal();
    const { record, session_id, assistant_message_id } = await turn(owner, {
      status: 'succeeded',
      output: [{ type: 'text', text: 'the answer' }],
      finished_at: new Date(),
    });
    await open.eventLog.append(record.id, 1, 1, [started, delta('the answer')]);
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 0, unlocked: 1 });
    expect(await lockOf(owner, session_id)).toBeNull();
    expect(await open.database.messages.get(owner, assistant_message_id)).toMatchObject({
      content: 'the answer',
      status: 'succeeded',
    });
    expect(await eventsOf(record.id)).toEqual(['execution.started', 'text.delta', 'execution.succeeded']);
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 0, unlocked: 0 });
  });

  test('releases the lock of an execution that was never stored, and undoes its turn', async () => {
    const owner = personal();
    const first = await turn(owner, { status: 'succeeded', finished_at: new Date() });
    await sweepOnce();
    await turn(owner, null, 60_000, first.session_id);
    expect(await messagesOf(owner, first.session_id)).toHaveLength(4);
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 0, unlocked: 1 });
    expect(await messagesOf(owner, first.session_id)).toHaveLength(2);
    expect(await open.database.sessions.get(owner, first.session_id)).toMatchObject({
      active_execution_id: null,
      locked_at: null,
      message_count: 2,
    });
    await turn(owner, {}, 0, first.session_id); // accepts the next turn
  });

  test('restores the count if the process died before it stored the messages', async () => {
    const owner = personal();
    const first = await turn(owner, { status: 'succeeded', finished_at: new Date() });
    await sweepOnce();
    await open.database.sessions.lock(owner, first.session_id, newId('job'), 2);
    await age(first.session_id, 60_000);
    expect(await sweepOnce()).toMatchObject({ unlocked: 1 });
    expect(await open.database.sessions.get(owner, first.session_id)).toMatchObject({
      active_execution_id: null,
      message_count: 2,
    });
  });

  test('keeps the messages of a turn that is about to run again', async () => {
    const owner = personal();
    const first = await turn(owner, { status: 'failed', finished_at: new Date() });
    await sweepOnce();
    await restartTurn(open.database, owner, first, newId('job'));
    await age(first.session_id, 60_000);
    expect(await sweepOnce()).toMatchObject({ unlocked: 1 });
    expect((await messagesOf(owner, first.session_id)).map(({ role, status }) => [role, status])).toEqual([
      ['user', 'succeeded'],
      ['assistant', 'failed'],
    ]);
    expect(await open.database.sessions.get(owner, first.session_id)).toMatchObject({
      active_execution_id: null,
      message_count: 2,
    });
    await restartTurn(open.database, owner, first, newId('job'));
  });

  test('restores the conversation if a regeneration never started', async () => {
    const owner = personal();
    const first = await turn(owner, { status: 'succeeded', finished_at: new Date() });
    await sweepOnce();
    const before = await messagesOf(owner, first.session_id);
    const anew = { message_id: first.user_message_id, executionId: newId('job') };
    await regenerateTurn(open.database, owner, anew);
    await age(first.session_id, 60_000);
    expect(await sweepOnce()).toMatchObject({ unlocked: 1 });
    expect(await messagesOf(owner, first.session_id)).toMatchObject(before);
    expect(await open.database.sessions.get(owner, first.session_id)).toMatchObject({
      active_execution_id: null,
      message_count: 2,
    });
  });

  test('keeps the lock of a running execution', async () => {
    const owner = personal();
    const { record, session_id } = await turn(owner, { status: 'running' });
    await open.dispatcher().redispatch(record, 0);
    expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 0, unlocked: 0 });
    expect(await lockOf(owner, session_id)).toBe(record.id);
  });

  test('works in a workspace too', async () => {
    const owner: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id: randomUUID() };
    const ended = await turn(owner, { status: 'failed', finished_at: new Date() });
    const never = await turn(owner, null);
    expect(await sweepOnce()).toMatchObject({ unlocked: 2 });
    expect(await lockOf(owner, ended.session_id)).toBeNull();
    expect(await lockOf(owner, never.session_id)).toBeNull();
  });

  test('finds it behind hundreds of older, valid locks', async () => {
    const owner = personal();
    const held = await turn(owner, { status: 'running' }, 600_000);
    await open.dispatcher().redispatch(held.record, 0);
    const like = await documents('sessions').findOne({ _id: held.session_id });
    const copies = Array.from({ length: 700 }, (_, i) => {
      const locked_at = new Date(Date.now() - 600_000 + Math.floor(i / 3));
      return { ...like, _id: newId('session'), locked_at };
    });
    await documents('sessions').insertMany(copies);
    const dead = await turn(owner, null);
    expect(await sweepOnce()).toMatchObject({ unlocked: 1 });
    expect(await lockOf(owner, dead.session_id)).toBeNull();
    expect(await lockOf(owner, held.session_id)).toBe(held.id);
  });
});

test('does not touch recent records', async () => {
  const owner = personal();
  const young = 2_000;
  const queued = await insert(recordOf(owner, {}, young));
  const cancelling = await insert(recordOf(owner, { status: 'cancelling' }, young));
  const locked = await turn(owner, null, young);
  const ended = await turn(owner, { status: 'succeeded', finished_at: new Date() }, young);
  expect(await sweepOnce()).toEqual({ redispatched: 0, ended: 0, unlocked: 0 });
  expect(await open.queue.count()).toBe(0);
  expect(await stateOf(owner, queued.id)).toBe('queued');
  expect(await stateOf(owner, cancelling.id)).toBe('cancelling');
  expect(await lockOf(owner, locked.session_id)).toBe(locked.id);
  expect(await lockOf(owner, ended.session_id)).toBe(ended.id);
  expect(await messagesOf(owner, locked.session_id)).toHaveLength(2);
});

test('several concurrent sweeps have the effect of one', async () => {
  const owner = personal();
  const queued = await Promise.all(Array.from({ length: 20 }, () => insert(recordOf(owner))));
  const cancelling = await turn(owner, { status: 'cancelling' });
  const crashed = await turn(owner, { status: 'running' });
  await open.dispatcher().redispatch(crashed.record, 0);
  await open.eventLog.append(crashed.id, 1, 1, [started, delta('half')]);
  await failJob();
  const ended = await turn(owner, { status: 'succeeded', finished_at: new Date() });
  const never = await turn(owner, null);
  await Promise.all([1, 2, 3, 4].map(() => sweepOnce(open.dispatcher())));

  expect(await open.queue.count()).toBe(20);
  for (const { id } of queued) expect(await open.queue.getJob(id)).toBeDefined();
  expect(await eventsOf(cancelling.id)).toEqual(['execution.cancelled']);
  expect(await eventsOf(crashed.id)).toEqual(['execution.started', 'text.delta', 'execution.failed']);
  expect(await eventsOf(ended.id)).toEqual(['execution.succeeded']);
  expect(await open.database.executions.get(owner, crashed.id)).toMatchObject({
    status: 'failed',
    output: [{ type: 'text', text: 'half' }],
  });
  for (const { session_id } of [cancelling, crashed, ended, never]) expect(await lockOf(owner, session_id)).toBeNull();
  expect(await open.database.sessions.get(owner, never.session_id)).toMatchObject({ message_count: 0 });
});
