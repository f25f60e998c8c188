import type { ToolCallItem } from '@chorus/contract';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { gate, openPlatform, personal, readUntil, result, type TestPlatform, typesOf, USAGE } from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterEach(() => platform.closePools());
afterAll(() => platform.close());

const call: ToolCallItem = {
  ...{ type: 'tool_call', id: 'a', name: 'mail', arguments: '{}', status: 'awaiting_approval' },
  ...{ result: null, started_at: null, finished_at: null, step: 0 },
};
const toDecide = [{ tool_call_id: 'a', name: 'mail' }];
const undecided = { ...toDecide[0], decision: null, reason: null, user_id: null, decided_at: null };

const waits = (events: { event: { type: string } }[]) =>
  events.some(({ event }) => event.type === 'execution.requires_action');

test('an execution waits without a job, and continues with the decisions', async () => {
  const seen: unknown[] = [];
  await platform.startPool({
    continueFrom: () => ({ resets: false, events: [] }),
    run: async (context) => {
      if (context.attempt > 1) {
        seen.push(context.checkpoint.value, context.decisions.made, context.output());
        await context.emit({ type: 'text.delta', index: 1, delta: 'Done.' });
        return result(context);
      }
      context.emit({ type: 'output.item', index: 0, item: call });
      context.note({ usage: USAGE, model: 'test/model', provider: 'test' });
      await context.checkpoint.save({ step: 1 });
      return context.decisions.wait(toDecide);
    },
  });
  const owner = personal();
  const { reader, id } = await platform.dispatch(owner);
  const events = await readUntil(reader, waits);
  expect(typesOf(events)).toEqual(['execution.started', 'output.item', 'execution.requires_action']);
  const waiting = await platform.database.executions.get(owner, id);
  expect(waiting).toMatchObject({
    ...{ status: 'requires_action', attempt: 1, usage: USAGE, model: 'test/model', output: [call] },
    approvals: [undecided],
  });
  const decision = { tool_call_id: 'a', decision: 'approve', reason: null, user_id: 'usr_x' } as const;
  await platform.database.executions.decide(owner, id, decision);
  expect(await platform.dispatcher.resume(owner, id)).toMatchObject({ status: 'queued' });
  expect(await platform.dispatcher.resume(owner, id)).toBeNull();
  expect(typesOf(await readUntil(reader))).toEqual(['execution.started', 'text.delta', 'execution.succeeded']);
  expect(seen).toMatchObject([{ step: 1 }, [decision], [call]]);
  const ended = await platform.database.executions.get(owner, id);
  expect(ended?.output).toEqual([call, { type: 'text', text: 'Done.' }]);
  reader.close();
});

test('the next attempt shows the required action if the previous one died before', async () => {
  const owner = personal();
  const { record, reader } = await platform.dispatch(owner);
  await platform.database.executions.suspend(owner, record.id, 1, {
    ...{ output: [call], usage: USAGE, model: null, provider: null, approvals: [undecided as never] },
    ...{ approvals_expire_at: new Date(Date.now() + 60_000), started_at: new Date() },
  });
  const attempt = platform.attempt(record, 2, { run: () => Promise.reject(new Error('must not run')) });
  expect(await attempt.run()).toBe('settled');
  const [shown] = await readUntil(reader, waits);
  expect(shown?.event).toMatchObject({ required_action: { tool_calls: [{ tool_call_id: 'a', arguments: '{}' }] } });
  expect(await platform.database.executions.get(owner, record.id)).toMatchObject({ status: 'requires_action' });
  reader.close();
});

test('an execution that is cancelled while it starts to wait ends', async () => {
  const cancelled = gate();
  const begun = gate();
  await platform.startPool(async (context) => {
    context.emit({ type: 'output.item', index: 0, item: call });
    begun.open();
    await cancelled.opened;
    return context.decisions.wait(toDecide);
  });
  const owner = personal();
  const { reader, id } = await platform.dispatch(owner);
  await begun.opened;
  await readUntil(reader, (events) => events.some(({ event }) => event.type === 'output.item'));
  await platform.database.executions.markCancelling(owner, id);
  cancelled.open();
  const last = (await readUntil(reader)).at(-1);
  expect(last?.event.type).toBe('execution.cancelled');
  const ended = { id: call.id, status: 'denied', finished_at: expect.any(String) };
  expect(await platform.database.executions.get(owner, id)).toMatchObject({ status: 'cancelled', output: [ended] });
  reader.close();
});
