import type { Usage } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { endFromOutside, failedOutcome } from '@chorus/executions';
import { sumUsage } from '@chorus/providers/usage';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  aborted,
  type ChatContext,
  openPlatform,
  personal,
  result,
  type TestPlatform,
  USAGE,
  until,
} from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
afterEach(() => platform.closePools());

const BROKEN: Usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110, cost_usd: 0.5, estimated: true };
const PRICED: Usage = { ...USAGE, cost_usd: 0.25 };

async function turn(): Promise<ExecutionRecord> {
  const { record, reader } = await platform.dispatch(personal());
  reader.close();
  return record;
}

const get = async ({ owner, id }: ExecutionRecord) =>
  (await platform.database.executions.get(owner, id)) as ExecutionRecord;

/** Calls a provider, and hangs. */
const hang = async ({ note, signal }: ChatContext) => {
  note({ model: 'fake/model', provider: 'fake', unsaved: () => BROKEN });
  return aborted(signal);
};

/** Runs an attempt until what it has used is stored. */
async function broken(record: ExecutionRecord, attempt = 1): Promise<void> {
  const running = platform.attempt(record, attempt, { run: hang });
  running.run().catch(() => undefined);
  await until(async () => (await get(record)).open_usage !== undefined);
}

test('an attempt that breaks is part of the bill of the next one', async () => {
  const record = await turn();
  await broken(record);
  expect(await get(record)).toMatchObject({ known_usage: BROKEN, model: 'fake/model', provider: 'fake' });
  await platform.attempt(record, 2, { run: async (context) => ({ ...result(context), usage: PRICED }) }).run();
  const ended = await get(record);
  expect(ended.usage).toEqual(sumUsage(BROKEN, PRICED));
  expect(Object.keys(ended)).not.toEqual(expect.arrayContaining([expect.stringMatching(/_usage$/)]));
});

test('the sums by day count broken attempts once', async () => {
  const record = await turn();
  await broken(record);
  await platform.attempt(record, 2, { run: async (context) => ({ ...result(context), usage: PRICED }) }).run();
  const day = record.created_at.toISOString().slice(0, 10);
  const report = () => platform.database.usage.report(record.owner, { from: day, to: day });
  const cost_usd = (BROKEN.cost_usd ?? 0) + (PRICED.cost_usd ?? 0);
  expect(await report()).toMatchObject([{ executions: 1, cost_usd }]);
  expect(await report()).toMatchObject([{ executions: 1, cost_usd }]);
});

test('all broken attempts are, also those whose successors break too', async () => {
  const record = await turn();
  await broken(record);
  const second = platform.attempt(record, 2, { run: hang });
  second.run().catch(() => undefined);
  await until(async () => (await get(record)).lost_usage !== undefined);
  await platform.attempt(record, 3, { run: async (context) => ({ ...result(context), usage: PRICED }) }).run();
  expect((await get(record)).usage).toEqual([BROKEN, BROKEN, PRICED].reduce(sumUsage));
});

test('an execution that is ended from outside keeps its bill and its model', async () => {
  const record = await turn();
  await broken(record);
  const { owner, id } = record;
  const outcome = failedOutcome(new Error('lost'), null);
  const ended = await endFromOutside(platform.database, platform.eventLog, { owner, id, outcome });
  expect(ended).toMatchObject({ status: 'failed', usage: BROKEN, model: 'fake/model', provider: 'fake' });
});

test('what a checkpoint holds is counted once', async () => {
  const record = await turn();
  const saved = Promise.withResolvers<void>();
  platform
    .attempt(record, 1, {
      run: async (context) => {
        context.note({ unsaved: () => BROKEN });
        await until(async () => (await get(record)).open_usage !== undefined);
        context.note({ usage: BROKEN });
        await context.checkpoint.save({ usage: BROKEN });
        saved.resolve();
        return aborted(context.signal);
      },
    })
    .run()
    .catch(() => undefined);
  await saved.promise;
  expect(await get(record)).toMatchObject({ known_usage: BROKEN });
  expect((await get(record)).open_usage).toBeUndefined();
  await platform
    .attempt(record, 2, { run: async (context) => ({ ...result(context), usage: sumUsage(BROKEN, PRICED) }) })
    .run();
  expect((await get(record)).usage).toEqual(sumUsage(BROKEN, PRICED));
});

test('each step is in the bill, whether a checkpoint holds it or not', async () => {
  const record = await turn();
  await broken(record);
  const second = platform.attempt(record, 2, {
    run: async ({ note, checkpoint, signal }) => {
      note({ unsaved: () => PRICED });
      note({ usage: PRICED });
      await checkpoint.save({ steps: 1 });
      note({ unsaved: () => BROKEN });
      return aborted(signal);
    },
  });
  second.run().catch(() => undefined);
  await until(async () => (await get(record)).open_usage !== undefined && (await get(record)).checkpoint !== null);
  const whole = [BROKEN, PRICED, BROKEN].reduce(sumUsage);
  expect(await get(record)).toMatchObject({ known_usage: whole, lost_usage: BROKEN, open_usage: BROKEN });
});

test('an attempt that leaves its execution to another worker stores its bill first', async () => {
  const record = await turn();
  const attempt = platform.attempt(record, 1, {
    run: async (context) => {
      context.note({ unsaved: () => BROKEN });
      return aborted(context.signal);
    },
  });
  const running = attempt.run();
  await new Promise(setImmediate);
  attempt.stop('handback');
  expect(await running).toBe('handback');
  expect((await get(record)).open_usage).toEqual(BROKEN);
});

test('a call that failed, and cost nothing, is not in the bill', async () => {
  const record = await turn();
  const attempt = platform.attempt(record, 1, {
    run: async ({ note, signal }) => {
      note({ unsaved: () => BROKEN });
      await until(async () => (await get(record)).open_usage !== undefined);
      note({ unsaved: null });
      return aborted(signal);
    },
  });
  const running = attempt.run();
  await until(async () => (await get(record)).open_usage !== undefined);
  await until(async () => (await get(record)).open_usage?.total_tokens === 0);
  attempt.stop('handback');
  expect(await running).toBe('handback');
  await platform.attempt(record, 2, { run: async (context) => ({ ...result(context), usage: PRICED }) }).run();
  expect((await get(record)).usage).toEqual(PRICED);
});

test('a cancelled execution includes the attempts that broke', async () => {
  const record = await turn();
  await broken(record);
  await platform.dispatcher.cancel(record.owner, record.id);
  await platform.attempt(record, 2, { run: hang }).run();
  expect(await get(record)).toMatchObject({ status: 'cancelled', usage: BROKEN });
});
