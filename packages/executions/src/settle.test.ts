import { ChorusError, newId, type Owner } from '@chorus/contract';
import { startTurn } from '@chorus/conversations';
import { connectDatabase, type Database, type ExecutionRecord, type Outcome } from '@chorus/database';
import { connectRedis, createEventLog, type EventLog, type RedisConnection, readPage } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis, type TestDatabases, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newExecution } from './new-execution.ts';
import { cancelledOutcome, failedOutcome } from './outcome.ts';
import { endFromOutside, settle } from './settle.ts';

let server: TestRedis;
let store: TestDatabases;
let redis: RedisConnection;
let database: Database;
let eventLog: EventLog;

beforeAll(async () => {
  [server, store] = await Promise.all([startRedis(), sharedStore()]);
  redis = connectRedis({ url: server.url, cluster: false }, 'worker');
  redis.on('error', () => undefined);
  eventLog = createEventLog(redis, { maxLength: 10_000, keepMs: 3_600_000 });
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  redis.disconnect();
  await database.close();
  await Promise.all([server.stop(), store.stop()]);
});

const succeeded = (text: string): Outcome => ({
  ...cancelledOutcome({ output: [{ type: 'text', text }], model: 'm/x', provider: 'm' }),
  status: 'succeeded',
  finish_reason: 'stop',
});

/** Creates a stored turn that attempt 1 runs. */
async function turn(over: Partial<ExecutionRecord> = {}): Promise<ExecutionRecord> {
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const id = newId('job');
  const made = await startTurn(database, owner, { message: 'Hi', executionId: id });
  const { session_id, assistant_message_id: message_id } = made;
  const record: ExecutionRecord = {
    ...newExecution({ id, kind: 'chat.completion', owner, model: 'm/x', input: {}, session_id, message_id }),
    status: 'running',
    ...over,
  };
  await database.executions.insert(record);
  return record;
}

const lockOf = async ({ owner, session_id }: ExecutionRecord) =>
  (await database.sessions.get(owner, session_id ?? ''))?.active_execution_id;
const messageOf = ({ owner, message_id }: ExecutionRecord) => database.messages.get(owner, message_id ?? '');

test('stores the record, the message, and the lock; returns the same when repeated', async () => {
  const record = await turn({ started_at: new Date('2026-01-01T12:00:00Z') });
  const { owner, id } = record;
  const outcome = { ...succeeded('yes'), model: 'm/fallback', finished_at: new Date('2026-01-01T12:00:03Z') };
  const first = await settle(database, { owner, id, attempt: 1, outcome });
  expect(first).toMatchObject({ status: 'succeeded', attempt: 1, finish_reason: 'stop' });
  const written = { content: 'yes', status: 'succeeded', execution_id: id, model: 'm/fallback', duration_ms: 3_000 };
  expect(await messageOf(record)).toMatchObject(written);
  expect(await lockOf(record)).toBeNull();
  // Attempt 1 repeats the call after a lost reply.
  expect(await settle(database, { owner, id, attempt: 1, outcome: succeeded('other') })).toEqual(first);
  expect(await messageOf(record)).toMatchObject({ content: 'yes' });
});

test('a call that was approved, and whose run was lost, is not shown as denied', async () => {
  const decided = { name: 'mail', reason: null, user_id: 'usr_x', decided_at: new Date() };
  const record = await turn({
    approvals: [
      { tool_call_id: 'a', decision: 'approve', ...decided },
      { tool_call_id: 'b', decision: null, ...decided },
    ],
  });
  const { owner, id } = record;
  const items = ['a', 'b'].map((call, index) => ({
    type: 'output.item' as const,
    index,
    item: {
      ...{ type: 'tool_call' as const, id: call, name: 'mail', arguments: '{}', status: 'awaiting_approval' as const },
      ...{ result: null, started_at: null, finished_at: null, step: 0 },
    },
  }));
  await eventLog.append(id, 1, 1, [{ type: 'execution.started', attempt: 1 }, ...items]);
  const outcome = failedOutcome(new ChorusError('worker_lost', 'lost'), null);
  const ended = await endFromOutside(database, eventLog, { owner, id, outcome });
  expect(ended?.output).toMatchObject([{ status: 'unknown' }, { status: 'denied' }]);
});

test('an end from outside keeps the newest usage that is known', async () => {
  const usageOf = (cost_usd: number) => ({ input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd });
  const end = async (over: Partial<ExecutionRecord>) => {
    const { owner, id, usage } = await turn(over);
    const outcome = cancelledOutcome({ usage });
    return (await endFromOutside(database, eventLog, { owner, id, outcome }))?.usage.cost_usd;
  };
  expect(await end({ usage: usageOf(1) })).toBe(1);
  expect(await end({ usage: usageOf(1), known_usage: usageOf(2) })).toBe(2);
  expect(await end({ known_usage: usageOf(3) })).toBe(3);
});

test('refuses an attempt that does not hold the execution, and changes nothing', async () => {
  const record = await turn({ attempt: 2 });
  const { owner, id } = record;
  for (const attempt of [1, 3]) {
    expect(await settle(database, { owner, id, attempt, outcome: succeeded('no') })).toBeNull();
  }
  expect(await database.executions.get(owner, id)).toEqual(record);
  expect(await lockOf(record)).toBe(id);
  await settle(database, { owner, id, attempt: 2, outcome: succeeded('yes') });
  expect(await settle(database, { owner, id, attempt: 1, outcome: succeeded('no') })).toBeNull();
  expect(await messageOf(record)).toMatchObject({ content: 'yes' });
});

test('one of many concurrent ends wins, and all calls of its attempt return the same', async () => {
  const record = await turn();
  const { owner, id } = record;
  const outcomes = [succeeded('a'), succeeded('b'), failedOutcome(null, null), cancelledOutcome()];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      settle(database, { owner, id, attempt: i % 2 === 0 ? 1 : null, outcome: outcomes[i % 4] as Outcome }),
    ),
  );
  const stored = await database.executions.get(owner, id);
  for (const answer of answers) expect(answer).toEqual(stored);
  expect((await messageOf(record))?.status).toBe(stored?.status);
});

test('leaves a session alone that another turn has locked meanwhile', async () => {
  const record = await turn();
  const { owner, id } = record;
  await settle(database, { owner, id, attempt: 1, outcome: succeeded('yes') });
  const next = newId('job');
  await startTurn(database, owner, {
    message: 'next',
    session_id: record.session_id ?? '',
    executionId: next,
  });
  await settle(database, { owner, id, attempt: 1, outcome: succeeded('yes') });
  await settle(database, { owner, id, attempt: null, outcome: cancelledOutcome() });
  expect(await lockOf(record)).toBe(next);
});

test('concurrent external ends write one terminal event, which matches the record', async () => {
  const record = await turn();
  const { owner, id } = record;
  await eventLog.append(id, 1, 1, [{ type: 'text.delta', index: 0, delta: 'shown' }]);
  await Promise.all(
    [cancelledOutcome(), failedOutcome(null, null), cancelledOutcome(), failedOutcome(null, null)].map((outcome) =>
      endFromOutside(database, eventLog, { owner, id, outcome }),
    ),
  );
  const stored = await database.executions.get(owner, id);
  expect(stored?.output).toEqual([{ type: 'text', text: 'shown' }]);
  const { events } = await readPage(redis, id, 1, 1_000);
  expect(events.map(({ event }) => event.type)).toEqual(['text.delta', `execution.${stored?.status}`]);
});

test('a finished job waits for its record to be stored', async () => {
  const { owner, ...like } = await turn();
  const record = { ...like, owner, id: newId('job'), session_id: null, message_id: null };
  const settling = settle(database, { owner, id: record.id, attempt: 1, outcome: succeeded('early') });
  // By then two checks have found nothing.
  for (let looks = 0; looks < 5; looks += 1) await database.executions.get(owner, record.id);
  await database.executions.insert(record);
  expect(await settling).toMatchObject({ id: record.id, status: 'succeeded' });
  expect((await database.executions.get(owner, record.id))?.output).toEqual([{ type: 'text', text: 'early' }]);
});

test('a record stored between the failed step and the check does not refuse the job', async () => {
  const { owner, ...like } = await turn();
  const record = { ...like, owner, id: newId('job'), session_id: null, message_id: null };
  let looks = 0;
  const store = {
    ...database,
    executions: {
      ...database.executions,
      get: async (...args: Parameters<Database['executions']['get']>) => {
        looks += 1;
        if (looks === 1) await database.executions.insert(record);
        return database.executions.get(...args);
      },
    },
  };
  const ended = await settle(store, { owner, id: record.id, attempt: 1, outcome: succeeded('early') });
  expect(ended).toMatchObject({ status: 'succeeded' });
  expect(looks).toBe(1);
});

test('refuses within the time limit if the record never comes', async () => {
  const { owner } = await turn();
  expect(await settle(database, { owner, id: newId('job'), attempt: 1, outcome: succeeded('x') })).toBeNull();
});

test('returns null for an unknown execution and for another owner', async () => {
  const record = await turn();
  const other: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const outcome = cancelledOutcome();
  expect(await endFromOutside(database, eventLog, { owner: record.owner, id: newId('job'), outcome })).toBeNull();
  expect(await settle(database, { owner: other, id: record.id, attempt: null, outcome })).toBeNull();
  expect((await database.executions.get(record.owner, record.id))?.status).toBe('running');
});

test('an error of the table keeps its code, any other hides its message', () => {
  const known = failedOutcome(new ChorusError('timeout', 'Too slow.'), 'req');
  expect(known).toMatchObject({
    status: 'failed',
    error: { code: 'timeout', message: 'Too slow.', request_id: 'req' },
  });
  for (const error of [new Error('secret'), 'secret', null, undefined]) {
    const outcome = failedOutcome(error, null);
    expect(outcome.error?.code).toBe('internal_error');
    expect(JSON.stringify(outcome)).not.toContain('secret');
  }
});
