import { type AnswerDelta, type LogEvent, newId, type OutputItem } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { ANY_ATTEMPT } from '@chorus/events';
import { cancelledOutcome, endFromOutside } from '@chorus/executions';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  aborted,
  type ChatContext,
  codeOf,
  delta,
  gate,
  isEnd,
  openPlatform,
  outputOf,
  personal,
  readUntil,
  result,
  type TestPlatform,
  textOf,
  typesOf,
  USAGE,
} from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
beforeEach(() => platform.redis.flushall());
afterEach(() => platform.closePools());

const started: LogEvent = { type: 'execution.started', attempt: 1 };

/** Non-text deltas, with the items that they show. */
const SHOWN: Record<string, [AnswerDelta, OutputItem]> = {
  reasoning: [
    { type: 'reasoning.delta', index: 0, delta: 'Hm' },
    { type: 'reasoning', text: 'Hm' },
  ],
  refusals: [
    { type: 'refusal.delta', index: 0, delta: 'No' },
    { type: 'refusal', refusal: 'No' },
  ],
  'tool calls': [
    { type: 'tool_call.delta', index: 0, call: 0, id: 'call_1', name: 'f', first: true, arguments_delta: '{"a"' },
    {
      type: 'tool_call',
      id: 'call_1',
      name: 'f',
      arguments: '{"a"',
      status: 'requested',
      result: null,
      started_at: null,
      finished_at: null,
    },
  ],
};

const say = async (context: ChatContext) => {
  await context.emit(delta(`from attempt ${context.attempt}`));
  return result(context);
};

/** Counts its runs. */
function counting(run = say) {
  const handler = {
    runs: 0,
    run: async (context: ChatContext) => {
      handler.runs += 1;
      return run(context);
    },
  };
  return handler;
}

async function allEvents(id: string) {
  const reader = await platform.hub.open(id, 0);
  const events = await readUntil(reader);
  reader.close();
  return events;
}

/** A dispatched turn without a worker, whose attempts the tests run themselves. */
async function turn(over: { stateless?: boolean } = {}): Promise<ExecutionRecord> {
  const { record, reader } = await platform.dispatch(personal(), over);
  reader.close();
  return record;
}

const get = ({ owner, id }: ExecutionRecord) => platform.database.executions.get(owner, id);
const isFree = async ({ owner, session_id }: ExecutionRecord) =>
  (await platform.database.sessions.get(owner, session_id ?? ''))?.active_execution_id === null;

describe('a later attempt', () => {
  test('restarts without a reset if nothing was shown', async () => {
    const record = await turn();
    await platform.eventLog.append(record.id, 1, 1, [started]);
    const handler = counting();
    expect(await platform.attempt(record, 2, handler).run()).toBe('settled');
    const events = await allEvents(record.id);
    expect(typesOf(events)).toEqual(['execution.started', 'text.delta', 'execution.succeeded']);
    expect(await get(record)).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(handler.runs).toBe(1);
  });

  test('starts if the earlier one did not even report its start', async () => {
    const record = await turn();
    expect(await platform.attempt(record, 2, { run: say }).run()).toBe('settled');
    expect((await allEvents(record.id)).map(({ event }) => event)).toMatchObject([
      { type: 'execution.started', attempt: 2 },
      delta('from attempt 2'),
      { type: 'execution.succeeded' },
    ]);
  });

  test('resets shown text', async () => {
    const record = await turn();
    await platform.eventLog.append(record.id, 1, 1, [started, delta('from attempt 1, which di')]);
    expect(await platform.attempt(record, 2, { run: say }).run()).toBe('settled');
    const events = await allEvents(record.id);
    expect(typesOf(events)).toEqual([
      'execution.started',
      'text.delta',
      'text.reset',
      'text.delta',
      'execution.succeeded',
    ]);
    expect(events[2]?.event).toEqual({ type: 'text.reset', reason: 'worker_lost' });
    expect(textOf(events)).toBe('from attempt 2');
    expect(outputOf(await get(record))).toBe('from attempt 2');
    expect((await get(record))?.resets).toBe(1);
    expect(events.at(-1)?.event).toMatchObject({ ending: { resets: 1 } });
    expect(await isFree(record)).toBe(true);
  });

  test('counts the resets of earlier attempts, however the execution ends', async () => {
    const record = await turn();
    const reset: LogEvent = { type: 'text.reset', reason: 'provider_failed' };
    await platform.eventLog.append(record.id, 1, 1, [started, delta('one'), reset]);
    expect(await platform.attempt(record, 2, { run: say }).run()).toBe('settled');
    expect((await get(record))?.resets).toBe(1);
    const swept = await turn();
    await platform.eventLog.append(swept.id, 1, 1, [started, delta('one'), reset, delta('two')]);
    const outcome = cancelledOutcome();
    const ended = await endFromOutside(platform.database, platform.eventLog, { ...swept, outcome });
    expect([ended?.resets, outputOf(ended)]).toEqual([1, 'two']);
  });

  test('fails and keeps the shown text if it cannot be reset', async () => {
    const record = await turn({ stateless: true });
    await platform.eventLog.append(record.id, 1, 1, [started, delta('shown '), delta('for good')]);
    const handler = { ...counting(), mayReset: () => false };
    expect(await platform.attempt(record, 2, handler).run()).toBe('settled');
    const events = await allEvents(record.id);
    expect(typesOf(events)).toEqual(['execution.started', 'text.delta', 'text.delta', 'execution.failed']);
    const ended = await get(record);
    expect(codeOf(ended)).toBe('worker_lost');
    expect(outputOf(ended)).toBe('shown for good');
    expect(handler.runs).toBe(0);
  });

  test('starts over in a batch, where no client has read the beginning', async () => {
    const record = { ...(await turn({ stateless: true })), batch_id: newId('batch') };
    await platform.eventLog.append(record.id, 1, 1, [started, delta('shown')]);
    expect(await platform.attempt(record, 2, { run: say, mayReset: () => false }).run()).toBe('settled');
    expect(await get(record)).toMatchObject({ status: 'succeeded', output: [{ text: 'from attempt 2' }] });
  });

  test.each(Object.entries(SHOWN))('treats shown %s like text', async (_name, [event, item]) => {
    const record = await turn();
    await platform.eventLog.append(record.id, 1, 1, [started, event]);
    expect(await platform.attempt(record, 2, { run: say }).run()).toBe('settled');
    const events = await allEvents(record.id);
    expect(events[2]?.event).toEqual({ type: 'text.reset', reason: 'worker_lost' });
    expect((await get(record))?.output).toEqual([{ type: 'text', text: 'from attempt 2' }]);

    const strict = await turn({ stateless: true });
    await platform.eventLog.append(strict.id, 1, 1, [started, event]);
    const handler = { ...counting(), mayReset: () => false };
    expect(await platform.attempt(strict, 2, handler).run()).toBe('settled');
    expect(handler.runs).toBe(0);
    const ended = await get(strict);
    expect(codeOf(ended)).toBe('worker_lost');
    expect(ended?.output).toEqual([item]);
  });

  test.each(Object.entries(SHOWN))(
    'a handed-back attempt keeps shown %s if it cannot be reset',
    async (_name, shown) => {
      const [event, item] = shown;
      const record = await turn({ stateless: true });
      const running = gate();
      const attempt = platform.attempt(record, 1, {
        mayReset: () => false,
        run: async ({ emit, signal }) => {
          emit(event);
          running.open();
          return aborted(signal);
        },
      });
      const end = attempt.run();
      await running.opened;
      attempt.stop('handback');
      expect(await end).toBe('settled');
      const ended = await get(record);
      expect(codeOf(ended)).toBe('worker_lost');
      expect(ended?.output).toEqual([item]);
    },
  );

  test('runs if nothing was shown, even without the right to reset', async () => {
    const record = await turn({ stateless: true });
    await platform.eventLog.append(record.id, 1, 1, [started]);
    const handler = { run: say, mayReset: () => false };
    expect(await platform.attempt(record, 2, handler).run()).toBe('settled');
    expect(textOf(await allEvents(record.id))).toBe('from attempt 2');
  });

  test('completes the effects of a stored result', async () => {
    const record = await turn();
    await platform.eventLog.append(record.id, 1, 1, [started, delta('the answer')]);
    const outcome = {
      status: 'succeeded' as const,
      output: [{ type: 'text' as const, text: 'the answer' }],
      usage: USAGE,
      error: null,
      model: 'm/x',
      provider: 'm',
      finish_reason: 'stop',
      finished_at: new Date(),
    };
    const stored = await platform.database.executions.finish(record.owner, record.id, 1, outcome);
    const handler = counting();
    expect(await platform.attempt(record, 2, handler).run()).toBe('settled');
    expect(handler.runs).toBe(0);
    expect(typesOf(await allEvents(record.id))).toEqual(['execution.started', 'text.delta', 'execution.succeeded']);
    expect(await get(record)).toEqual(stored);
    expect(await platform.database.messages.get(record.owner, record.message_id ?? '')).toMatchObject({
      content: 'the answer',
      status: 'succeeded',
    });
    expect(await isFree(record)).toBe(true);
    // Again, as after another crash.
    expect(await platform.attempt(record, 3, handler).run()).toBe('settled');
    expect((await allEvents(record.id)).filter(isEnd)).toHaveLength(1);
  });

  test('cancels an execution with a cancel request, and keeps shown text', async () => {
    const record = await turn();
    await platform.eventLog.append(record.id, 1, 1, [started, delta('half')]);
    await platform.dispatcher.cancel(record.owner, record.id);
    const handler = counting();
    expect(await platform.attempt(record, 2, handler).run()).toBe('settled');
    expect(handler.runs).toBe(0);
    const ended = await get(record);
    expect(ended).toMatchObject({ status: 'cancelled', attempt: 2 });
    expect(outputOf(ended)).toBe('half');
    expect(typesOf(await allEvents(record.id))).toEqual(['execution.started', 'text.delta', 'execution.cancelled']);
  });

  test('is refused if a newer one has the record or the log', async () => {
    const record = await turn();
    await platform.database.executions.claim(record.owner, record.id, 3, new Date());
    const handler = counting();
    expect(await platform.attempt(record, 2, handler).run()).toBe('refused');

    const other = await turn();
    await platform.eventLog.append(other.id, 3, -1, []);
    expect(await platform.attempt(other, 2, handler).run()).toBe('refused');
    expect(handler.runs).toBe(0);
    for (const each of [record, other]) expect((await get(each))?.finished_at).toBeNull();
  });

  test('ends a record whose log has ended', async () => {
    const record = await turn();
    await platform.eventLog.append(record.id, 1, 1, [started, delta('shown'), { type: 'execution.failed' }]);
    const handler = counting();
    expect(await platform.attempt(record, 2, handler).run()).toBe('settled');
    expect(handler.runs).toBe(0);
    const ended = await get(record);
    expect(ended?.status).toBe('failed');
    expect(outputOf(ended)).toBe('shown');
    expect(await isFree(record)).toBe(true);
    expect((await allEvents(record.id)).filter(isEnd)).toHaveLength(1);
  });

  test('waits for its record, which may be stored after the job', async () => {
    const record = { ...(await turn({ stateless: true })), id: newId('job') };
    const running = platform.attempt(record, 2, { run: say }).run();
    for (let looks = 0; looks < 5; looks += 1) await get(record);
    await platform.database.executions.insert(record);
    expect(await running).toBe('settled');
    expect(await get(record)).toMatchObject({ status: 'succeeded', attempt: 2 });
  });

  test('of an unknown execution is refused', async () => {
    const record = { ...(await turn()), id: newId('job') };
    expect(await platform.attempt(record, 2, counting()).run()).toBe('refused');
  });
});

describe('a paused attempt', () => {
  /** Its handler waits in the middle of its text, as in a stopped process. */
  async function paused(record: ExecutionRecord, wake: (context: ChatContext) => Promise<unknown>) {
    const middle = gate();
    const sleep = gate();
    let signal: AbortSignal | undefined;
    const attempt = platform.attempt(record, 1, {
      run: async (context) => {
        signal = context.signal;
        await context.emit(delta('from the first'));
        middle.open();
        await sleep.opened;
        await wake(context);
        return result(context);
      },
    });
    const running = attempt.run();
    await middle.opened;
    const reader = await platform.hub.open(record.id, 0);
    await readUntil(reader, (events) => textOf(events) === 'from the first');
    reader.close();
    return { running, wake: sleep.open, signal: () => signal };
  }

  test.each([
    ['that speaks when it wakes', async (context: ChatContext) => void context.emit(delta('zombie'))],
    [
      'that waits for more when it wakes',
      async (context: ChatContext) => {
        context.emit(delta('zombie'));
        return aborted(context.signal);
      },
    ],
    ['that is done when it wakes', async () => undefined],
    ['that fails when it wakes', () => Promise.reject(new Error('too late'))],
  ])('%s is refused while its successor runs, and leaves no trace', async (_name, wake) => {
    const record = await turn();
    const first = await paused(record, wake);
    const half = gate();
    const rest = gate();
    const second = platform
      .attempt(record, 2, {
        run: async (context) => {
          await context.emit(delta('from the '));
          half.open();
          await rest.opened;
          await context.emit(delta('second'));
          return result(context);
        },
      })
      .run();
    await half.opened;
    first.wake();
    expect(await first.running).toBe('refused');
    expect((await get(record))?.status).toBe('running');
    expect(await isFree(record)).toBe(false);
    rest.open();
    expect(await second).toBe('settled');
    const events = await allEvents(record.id);
    expect(textOf(events)).toBe('from the second');
    expect(events.filter(isEnd)).toHaveLength(1);
    expect(await get(record)).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(outputOf(await get(record))).toBe('from the second');
    expect(await platform.database.messages.get(record.owner, record.message_id ?? '')).toMatchObject({
      content: 'from the second',
    });
  });

  test('that wakes after its successor has finished changes nothing', async () => {
    const record = await turn();
    const first = await paused(record, async (context) => void context.emit(delta('zombie')));
    expect(await platform.attempt(record, 2, { run: say }).run()).toBe('settled');
    const before = [await get(record), await allEvents(record.id)];
    first.wake();
    expect(await first.running).toBe('refused');
    expect([await get(record), await allEvents(record.id)]).toEqual(before);
  });

  test('has its signal aborted when it is refused', async () => {
    const record = await turn();
    const reason = gate<unknown>();
    const first = await paused(record, async ({ emit, signal }) => {
      emit(delta('zombie'));
      return aborted(signal).catch((thrown) => {
        reason.open(thrown);
        throw thrown;
      });
    });
    await platform.eventLog.append(record.id, 2, -1, []);
    first.wake();
    expect(await reason.opened).toMatchObject({ kind: 'refused' });
    expect(await first.running).toBe('refused');
  });

  test('that was ended from outside stops', async () => {
    const record = await turn();
    const first = await paused(record, async ({ emit, signal }) => {
      emit(delta('zombie'));
      return aborted(signal);
    });
    await platform.eventLog.append(record.id, ANY_ATTEMPT, -1, [{ type: 'execution.failed' }]);
    first.wake();
    expect(await first.running).toBe('refused');
    expect(typesOf(await allEvents(record.id))).toEqual(['execution.started', 'text.delta', 'execution.failed']);
  });
});
