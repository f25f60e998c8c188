import { randomUUID } from 'node:crypto';
import { ChorusError, type Owner, toErrorBody } from '@chorus/contract';
import { cancelledOutcome, endFromOutside } from '@chorus/executions';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { member, type OpenQueue, openQueue, personal, recordOf, statelessRequest, turnRequest } from './test-queue.ts';

let open: OpenQueue;

beforeAll(async () => {
  open = await openQueue();
});
afterAll(() => open.close());
beforeEach(() => open.redis.flushall());

const started = { type: 'execution.started', attempt: 1 } as const;

async function eventsOf(id: string): Promise<string[]> {
  const reader = await open.hub.open(id, 0);
  const types = (await reader.next()).map(({ event }) => event.type);
  reader.close();
  return types;
}

async function isFree(owner: Owner, sessionId: string | null): Promise<boolean> {
  return (await open.database.sessions.get(owner, sessionId ?? ''))?.active_execution_id === null;
}

test('a queued execution ends at once: no job, a terminal event, a free session, a cancelled message', async () => {
  const owner = personal();
  const dispatcher = open.dispatcher();
  const { record, reader } = await dispatcher.dispatch(turnRequest(open.database, owner, undefined, { follow: true }));
  const ended = await dispatcher.cancel(owner, record.id);
  expect(ended).toMatchObject({ id: record.id, status: 'cancelled', error: null, output: [] });
  expect(ended?.finished_at).toBeInstanceOf(Date);
  expect(await open.queue.getJob(record.id)).toBeUndefined();
  expect(await open.queue.count()).toBe(0);
  expect((await reader?.next())?.map(({ event }) => event.type)).toEqual(['execution.cancelled']);
  reader?.close();
  expect(await isFree(owner, record.session_id)).toBe(true);
  expect(await open.database.messages.get(owner, record.message_id ?? '')).toMatchObject({ status: 'cancelled' });
  // The session accepts its next turn.
  await dispatcher.dispatch(turnRequest(open.database, owner, record.session_id ?? ''));
});

test('a running execution is cancelling until its worker confirms; the next append notifies the worker', async () => {
  const owner = personal();
  const dispatcher = open.dispatcher();
  const { record } = await dispatcher.dispatch(turnRequest(open.database, owner));
  await open.takeJob();
  await open.eventLog.append(record.id, 1, 1, [started]);
  expect(await dispatcher.cancel(owner, record.id)).toMatchObject({ status: 'cancelling', finished_at: null });
  expect(await dispatcher.cancel(owner, record.id)).toMatchObject({ status: 'cancelling' });
  expect(await dispatcher.jobState(record)).toBe('active');
  expect(await eventsOf(record.id)).toEqual(['execution.started']);
  expect(await isFree(owner, record.session_id)).toBe(false);
  expect(await open.eventLog.append(record.id, 1, 2, [])).toMatchObject({ cancelRequested: true });
});

test('an execution that is held for a batch endpoint ends at once', async () => {
  const owner = personal();
  const dispatcher = open.dispatcher();
  const record = recordOf(owner, { batch_id: 'bat_1', economy: { part: 'part_1' } });
  await open.database.executions.insert(record);
  expect(await dispatcher.cancel(owner, record.id)).toMatchObject({ status: 'cancelled', error: null });
});

test('a released execution runs once', async () => {
  const owner = personal();
  const dispatcher = open.dispatcher();
  const record = recordOf(owner);
  await open.database.executions.insert(record);
  await dispatcher.enqueueReleased(record);
  await dispatcher.enqueueReleased(record);
  expect(await dispatcher.jobState(record)).not.toBe('unknown');
  expect(await open.queue.count()).toBe(1);
});

test('leaves a claimed but not started execution to its worker', async () => {
  const owner = personal();
  const dispatcher = open.dispatcher();
  const { record } = await dispatcher.dispatch(statelessRequest(owner));
  await open.takeJob();
  expect(await dispatcher.cancel(owner, record.id)).toMatchObject({ status: 'cancelling' });
  expect(await dispatcher.jobState(record)).toBe('active');
  expect(await open.eventLog.append(record.id, 1, 1, [started])).toMatchObject({ cancelRequested: true });
});

test('leaves an execution that lost its worker and waits again to the next worker', async () => {
  const owner = personal();
  const dispatcher = open.dispatcher();
  const { record } = await dispatcher.dispatch(statelessRequest(owner));
  await open.eventLog.append(record.id, 1, 1, [started, { type: 'text.delta', index: 0, delta: 'shown' }]);
  expect(await dispatcher.cancel(owner, record.id)).toMatchObject({ status: 'cancelling' });
  expect(await dispatcher.jobState(record)).toBe('prioritized');
});

test('immediately ends an execution that was stored but never queued', async () => {
  const owner = personal();
  const record = recordOf(owner, {}, 0);
  await open.database.executions.insert(record);
  expect(await open.dispatcher().cancel(owner, record.id)).toMatchObject({ status: 'cancelled' });
  expect(await eventsOf(record.id)).toEqual(['execution.cancelled']);
});

test('an expired execution ends with the reason, unless a worker holds it', async () => {
  const owner = personal();
  const dispatcher = open.dispatcher();
  const expired = toErrorBody(new ChorusError('expired', 'Too late.'), 'req');
  const expire = (id: string) => dispatcher.cancel(owner, id, { expired });
  const { record: held } = await dispatcher.dispatch(statelessRequest(owner));
  await open.takeJob();
  expect(await expire(held.id)).toMatchObject({ status: 'queued', finished_at: null });
  expect(await open.eventLog.append(held.id, 1, 1, [started])).toMatchObject({ cancelRequested: false });

  const { record: queued } = await dispatcher.dispatch(statelessRequest(owner));
  expect(await expire(queued.id)).toMatchObject({ status: 'cancelled', error: expired });
  expect(await expire(queued.id)).toMatchObject({ status: 'cancelled', error: expired });
  expect(await open.queue.getJob(queued.id)).toBeUndefined();
  expect(await eventsOf(queued.id)).toEqual(['execution.cancelled']);

  // It has run, and waits again.
  const { record: waiting } = await dispatcher.dispatch(statelessRequest(owner));
  await open.eventLog.append(waiting.id, 1, 1, [started, { type: 'text.delta', index: 0, delta: 'shown' }]);
  const shown = [{ type: 'text', text: 'shown' }];
  expect(await expire(waiting.id)).toMatchObject({ status: 'cancelled', error: expired, output: shown });

  const { record: cancelling } = await dispatcher.dispatch(statelessRequest(owner));
  await open.takeJob();
  await dispatcher.cancel(owner, cancelling.id);
  expect(await expire(cancelling.id)).toMatchObject({ status: 'cancelling' });
});

test('does not change an ended execution', async () => {
  const owner = personal();
  const dispatcher = open.dispatcher();
  const { record } = await dispatcher.dispatch(statelessRequest(owner));
  const first = await dispatcher.cancel(owner, record.id);
  expect(await dispatcher.cancel(owner, record.id)).toEqual(first);
  expect(await eventsOf(record.id)).toHaveLength(1);

  const succeeded = recordOf(owner, { status: 'succeeded', finished_at: new Date(), output: [] }, 0);
  await open.database.executions.insert(succeeded);
  expect(await dispatcher.cancel(owner, succeeded.id)).toEqual(succeeded);
  expect(await open.eventLog.peek(succeeded.id)).toBeNull();
});

test('returns null and does nothing for an unknown execution or one of another user or workspace', async () => {
  const owner = personal();
  const dispatcher = open.dispatcher();
  const { record } = await dispatcher.dispatch(statelessRequest(owner));
  expect(await dispatcher.cancel(owner, recordOf(owner).id)).toBeNull();
  for (const other of [personal(), member(randomUUID()), { ...member(randomUUID()), user_id: owner.user_id }]) {
    expect(await dispatcher.cancel(other, record.id)).toBeNull();
  }
  expect(await open.database.executions.get(owner, record.id)).toEqual(record);
  expect(await dispatcher.jobState(record)).toBe('prioritized');
});

test("members of a workspace cancel each other's executions, but not those in each other's sessions", async () => {
  const workspace = randomUUID();
  const [one, other] = [member(workspace), member(workspace)];
  const dispatcher = open.dispatcher();
  const shared = await dispatcher.dispatch(statelessRequest(one));
  const own = await dispatcher.dispatch(turnRequest(open.database, one));
  expect(await dispatcher.cancel(other, shared.record.id)).toMatchObject({ status: 'cancelled', owner: one });
  expect(await dispatcher.cancel(other, own.record.id)).toBeNull();
  expect(await dispatcher.cancel(one, own.record.id)).toMatchObject({ status: 'cancelled' });
});

test('concurrent cancels end an execution once', async () => {
  const owner = personal();
  const dispatchers = [open.dispatcher(), open.dispatcher()];
  const { record } = await dispatchers[0]!.dispatch(turnRequest(open.database, owner));
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => dispatchers[i % 2]!.cancel(owner, record.id)));
  for (const answer of answers) expect(['cancelling', 'cancelled']).toContain(answer?.status);
  expect(await open.database.executions.get(owner, record.id)).toMatchObject({ status: 'cancelled' });
  expect(await eventsOf(record.id)).toEqual(['execution.cancelled']);
});

test('an external end keeps the shown output, and no worker can add to it', async () => {
  const owner = personal();
  const { record } = await open.dispatcher().dispatch(turnRequest(open.database, owner));
  await open.eventLog.append(record.id, 1, 1, [started, { type: 'text.delta', index: 0, delta: 'half an' }]);
  const ended = await endFromOutside(open.database, open.eventLog, {
    owner,
    id: record.id,
    outcome: cancelledOutcome(),
  });
  expect(ended?.output).toEqual([{ type: 'text', text: 'half an' }]);
  expect(await open.database.messages.get(owner, record.message_id ?? '')).toMatchObject({ content: 'half an' });
  const late = await open.eventLog.append(record.id, 1, 3, [{ type: 'text.delta', index: 0, delta: ' answer' }]);
  expect(late.status).toBe('ended');
  expect(await eventsOf(record.id)).toEqual(['execution.started', 'text.delta', 'execution.cancelled']);
});
