import { ChorusError, newId, type Owner } from '@chorus/contract';
import { WORKER_METRICS_KEY, WORKERS_KEY } from '@chorus/executions';
import { createWorkerRegistry } from '@chorus/queue';
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
  silent,
  type TestPlatform,
  textOf,
  typesOf,
  USAGE,
  until,
} from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
beforeEach(() => platform.redis.flushall());
afterEach(() => platform.closePools());

const say = async (context: ChatContext) => {
  for (const word of ['Hello', ', ', 'world']) await context.emit(delta(word));
  return result(context);
};

describe('an execution that succeeds', () => {
  test('has its record, message, and lock updated before the terminal event', async () => {
    await platform.startPool(say);
    const owner = personal();
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { reader, id, record } = await platform.dispatch(owner);
        const events = await readUntil(reader);
        const { executions, messages, sessions } = platform.database;
        const [ended, message, session] = await Promise.all([
          executions.get(owner, id),
          messages.get(owner, record.message_id ?? ''),
          sessions.get(owner, record.session_id ?? ''),
        ]);
        reader.close();
        // However its deltas were merged.
        const types = typesOf(events).filter((type, place, all) => type !== all[place - 1]);
        expect(types).toEqual(['execution.started', 'text.delta', 'execution.succeeded']);
        expect(textOf(events)).toBe('Hello, world');
        expect(ended).toMatchObject({
          status: 'succeeded',
          output: [{ type: 'text', text: 'Hello, world' }],
          usage: USAGE,
          model: 'embedded/assistant',
          provider: 'embedded',
          finish_reason: 'stop',
          error: null,
          attempt: 1,
        });
        expect(ended?.started_at?.getTime()).toBeGreaterThanOrEqual(record.created_at.getTime());
        expect(ended?.finished_at?.getTime()).toBeGreaterThanOrEqual(ended?.started_at?.getTime() ?? 0);
        expect(message).toMatchObject({ content: 'Hello, world', status: 'succeeded', usage: USAGE });
        expect(session?.active_execution_id).toBeNull();
      }),
    );
    // Their jobs leave nothing behind.
    await until(async () => (await platform.redis.keys('{chorus:text}:text:job_*')).length === 0);
  });

  test('is running in its record while it runs', async () => {
    const { open, opened } = gate();
    await platform.startPool(async (context) => {
      await opened;
      return say(context);
    });
    const owner = personal();
    const { reader, id } = await platform.dispatch(owner);
    await until(async () => (await platform.database.executions.get(owner, id))?.status === 'running');
    expect((await platform.database.executions.get(owner, id))?.started_at).toBeInstanceOf(Date);
    expect(typesOf(await reader.next())).toEqual(['execution.started']);
    open();
    expect((await readUntil(reader)).some(isEnd)).toBe(true);
    reader.close();
  });

  test('may emit nothing', async () => {
    await platform.startPool(async (context) => result(context));
    const { reader } = await platform.dispatch(personal());
    expect(typesOf(await readUntil(reader))).toEqual(['execution.started', 'execution.succeeded']);
    reader.close();
  });

  test('gets the dispatched input', async () => {
    const seen = gate<ChatContext>();
    await platform.startPool(async (context) => {
      seen.open(context);
      return say(context);
    });
    const owner = personal();
    const { reader, record } = await platform.dispatch(owner);
    const context = await seen.opened;
    expect(context).toMatchObject({ owner, executionId: record.id, attempt: 1, input: record.input });
    await readUntil(reader);
    reader.close();
  });
});

describe('an execution that fails', () => {
  test('with a known error keeps its code, shown text, and notes', async () => {
    await platform.startPool(async ({ emit, note }) => {
      note({ model: 'embedded/other', usage: USAGE });
      await emit(delta('as far as '));
      throw new ChorusError('provider_rate_limited', 'Slow down.', { details: [{ path: 'x', message: 'y' }] });
    });
    const owner = personal();
    const { reader, id, record } = await platform.dispatch(owner);
    const events = await readUntil(reader);
    reader.close();
    expect(typesOf(events)).toEqual(['execution.started', 'text.delta', 'execution.failed']);
    expect(await platform.database.executions.get(owner, id)).toMatchObject({
      status: 'failed',
      model: 'embedded/other',
      usage: USAGE,
      output: [{ type: 'text', text: 'as far as ' }],
      error: { code: 'provider_rate_limited', message: 'Slow down.', status: 429, request_id: 'req' },
    });
    expect(await platform.database.messages.get(owner, record.message_id ?? '')).toMatchObject({
      status: 'failed',
      content: 'as far as ',
    });
    expect((await platform.database.sessions.get(owner, record.session_id ?? ''))?.active_execution_id).toBeNull();
  });

  test.each([
    ['an unknown error', () => Promise.reject(new TypeError('secret detail'))],
    ['something that is no error', () => Promise.reject('secret detail')],
    [
      'an error thrown before anything was awaited',
      () => {
        throw new Error('secret detail');
      },
    ],
  ])('with %s tells nothing of it', async (_name, run) => {
    await platform.startPool(run);
    const owner = personal();
    const { reader, id } = await platform.dispatch(owner);
    expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.failed');
    reader.close();
    const record = await platform.database.executions.get(owner, id);
    expect(codeOf(record)).toBe('internal_error');
    expect(JSON.stringify(record)).not.toContain('secret');
    // A failed execution is a finished job: it does not run again and leaves nothing.
    await until(async () => (await platform.queue.getJob(id)) === undefined);
    expect(await platform.queue.getFailedCount()).toBe(0);
  });

  test('by its time limit has its signal aborted and reports a timeout', async () => {
    const reason = gate<unknown>();
    await platform.startPool(
      async ({ emit, signal }) => {
        emit(delta('slow'));
        return aborted(signal).catch((thrown) => {
          reason.open(thrown);
          throw thrown;
        });
      },
      { timeoutMs: 150 },
    );
    const owner = personal();
    const { reader, id } = await platform.dispatch(owner);
    expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.failed');
    reader.close();
    expect(await reason.opened).toMatchObject({ kind: 'timeout' });
    const record = await platform.database.executions.get(owner, id);
    expect(codeOf(record)).toBe('timeout');
    expect(outputOf(record)).toBe('slow');
  });
});

test('concurrency is a limit, and all executions run', async () => {
  let now = 0;
  let most = 0;
  const three = gate();
  await platform.startPool(
    async (context) => {
      now += 1;
      most = Math.max(most, now);
      if (now >= 3) three.open();
      await three.opened; // so that three do run at once
      for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return say(context);
    },
    { concurrency: 3 },
  );
  // No user has all places, so it takes several to fill them.
  const owners = [personal(), personal(), personal()];
  const all = await Promise.all(
    Array.from({ length: 30 }, (_, at) => platform.dispatch(owners[at % 3] as Owner, { stateless: true })),
  );
  for (const { reader } of all) {
    expect(textOf(await readUntil(reader))).toBe('Hello, world');
    reader.close();
  }
  expect(most).toBe(3);
});

describe('a job that cannot be run', () => {
  test.each([
    ['an input of another shape', 'chat.completion', { input: { nonsense: true } }],
    ['a kind that nobody knows', 'of.a.later.version', {}],
  ])('%s: its execution fails and the job is kept as evidence', async (_name, kind, over) => {
    const owner = personal();
    const { reader, record, id } = await platform.dispatch(owner);
    const job = await platform.queue.getJob(id);
    await job?.remove();
    await platform.queue.add(kind, { ...job?.data, ...over }, { jobId: id, attempts: 1 });
    let runs = 0;
    await platform.startPool(async (context) => {
      runs += 1;
      return say(context);
    });
    expect(typesOf(await readUntil(reader))).toEqual(['execution.failed']);
    reader.close();
    expect(runs).toBe(0);
    expect(codeOf(await platform.database.executions.get(owner, id))).toBe('internal_error');
    expect((await platform.database.sessions.get(owner, record.session_id ?? ''))?.active_execution_id).toBeNull();
    expect((await platform.queue.getFailed()).map((failed) => failed.id)).toEqual([id]);
  });

  test('invalid data does not harm the worker', async () => {
    const poison = [null, 'text', 7, [], {}, { owner: null }, { owner: { scope: 'personal' }, input: 1 }];
    for (const data of poison) await platform.queue.add('chat.completion', data, { jobId: newId('job'), attempts: 1 });
    const valid = { model: 'm/x', settings: {}, source: { type: 'messages', messages: [] } };
    for (const owner of [undefined, {}, 'someone', { scope: 'galaxy', user_id: 7 }]) {
      const data = { owner, input: valid, request_id: null, earlier_attempts: 0 };
      await platform.queue.add('chat.completion', data, { jobId: newId('job'), attempts: 1 });
    }
    const input = { ...valid, request_id: null };
    const owner = personal();
    await platform.queue.add('chat.completion', { owner, input }, { jobId: newId('job'), attempts: 1 });
    let runs = 0;
    await platform.startPool(async (context) => {
      runs += 1;
      return say(context);
    });
    await until(async () => (await platform.queue.getFailedCount()) === poison.length + 5);
    const { reader } = await platform.dispatch(personal());
    expect(textOf(await readUntil(reader))).toBe('Hello, world');
    reader.close();
    expect(runs).toBe(1);
    expect(await platform.queue.getFailedCount()).toBe(poison.length + 5);
  });

  test('one that a rolled-back queue delivers again continues as the next attempt', async () => {
    const owner = personal();
    const { reader, id } = await platform.dispatch(owner);
    await platform.eventLog.append(id, 1, 1, [{ type: 'execution.started', attempt: 1 }, delta('half')]);
    await platform.startPool(say);
    const events = await readUntil(reader);
    reader.close();
    expect(typesOf(events).slice(0, 3)).toEqual(['execution.started', 'text.delta', 'text.reset']);
    expect(textOf(events)).toBe('Hello, world');
    expect(await platform.database.executions.get(owner, id)).toMatchObject({ status: 'succeeded', attempt: 2 });
  });

  test('one that ended its processes fails without running again', async () => {
    const owner = personal();
    const { reader, record, id } = await platform.dispatch(owner);
    await platform.eventLog.append(id, 2, -1, [{ type: 'execution.started', attempt: 1 }, delta('shown')]);
    await platform.redis.hset(`{chorus:text}:text:${id}`, 'defa', 'its processes ended');
    let runs = 0;
    await platform.startPool(async (context) => {
      runs += 1;
      return say(context);
    });
    const events = await readUntil(reader);
    reader.close();
    expect(typesOf(events)).toEqual(['execution.started', 'text.delta', 'execution.failed']);
    expect(runs).toBe(0);
    const ended = await platform.database.executions.get(owner, id);
    expect(codeOf(ended)).toBe('worker_lost');
    expect(outputOf(ended)).toBe('shown');
    expect(await platform.database.messages.get(owner, record.message_id ?? '')).toMatchObject({ content: 'shown' });
    expect(await platform.queue.getFailedCount()).toBe(1);
  });
});

describe('health', () => {
  test('is published while the pool runs, and removed afterwards', async () => {
    const registry = createWorkerRegistry(platform.redis, silent);
    const pool = await platform.startPool(say, {
      concurrency: 7,
      calls: 20,
      health: () => ({ models: [], providers: [], default_model: 'embedded/assistant' }),
    });
    const [worker] = await registry.workers();
    expect(worker).toMatchObject({ pool: 'text', pid: process.pid, concurrency: 27, active: 0, alive: true });
    expect(worker?.default_model).toBe('embedded/assistant');
    expect(await registry.metrics()).toHaveLength(1);
    await pool.close(0);
    expect(await platform.redis.exists(WORKERS_KEY, WORKER_METRICS_KEY)).toBe(0);
  });

  test('workers that died long ago are removed, recent ones are not', async () => {
    const entry = (at: number) => JSON.stringify({ at, health: {} });
    const now = Date.now();
    await platform.redis.hset(WORKERS_KEY, {
      old: entry(now - 3_700_000),
      fresh: entry(now - 60_000),
      odd: 'not json',
    });
    await platform.redis.hset(WORKER_METRICS_KEY, { old: '[]', fresh: '[]', odd: '[]' });
    await platform.startPool(say);
    expect(await platform.redis.hkeys(WORKERS_KEY)).toEqual(expect.arrayContaining(['fresh']));
    for (const key of [WORKERS_KEY, WORKER_METRICS_KEY]) {
      const known = await platform.redis.hkeys(key);
      expect(known).toHaveLength(2);
      expect(known).not.toContain('old');
      expect(known).not.toContain('odd');
    }
  });
});
