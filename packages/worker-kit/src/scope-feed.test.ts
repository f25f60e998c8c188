import { type Owner, type StampedFeedEvent, scopeKey } from '@chorus/contract';
import { ScopeFeedReader } from '@chorus/events';
import { settle } from '@chorus/executions';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPlatform, personal, result, type TestPlatform } from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
afterEach(() => platform.closePools());

/** Returns events of the feed up to one of this type. */
async function follow(owner: Owner) {
  const where = { scope: scopeKey(owner), after: null, keepMs: 60_000 };
  const reader = await ScopeFeedReader.open(platform.redis, platform.hub, where);
  onTestFinished(() => reader.close());
  return async (last: string) => {
    const seen: StampedFeedEvent[] = [];
    while (seen.at(-1)?.type !== last)
      for (const { event } of (await reader.next()) ?? []) if (event.type !== 'events.lost') seen.push(event);
    return seen;
  };
}

const stepOf = (completed: number) =>
  ({ type: 'progress', progress: { completed, total: 9, stage: 'drawing' } }) as const;

test('the feed of a scope reports an execution, with progress about once a second', async () => {
  const owner = personal();
  const until = await follow(owner);
  await platform.startPool({
    run: async (context) => {
      // Nine steps within a second make one event. They come without pauses, which could be longer on a busy machine.
      for (let step = 1; step <= 9; step += 1) context.emit(stepOf(step));
      // Long enough to be marked as running.
      await new Promise((resolve) => setTimeout(resolve, 400));
      return result(context);
    },
  });
  const { id } = await platform.dispatch(owner);
  const seen = await until('execution.succeeded');
  expect(seen.map(({ type }) => type).sort()).toEqual([
    'execution.progress',
    'execution.queued',
    'execution.started',
    'execution.succeeded',
  ]);
  for (const event of seen) expect(event).toMatchObject({ execution_id: id, user_id: owner.user_id, batch_id: null });
  const end = seen.at(-1);
  expect(end).toMatchObject({ status: 'succeeded', attempt: 1, output: ['text'], error: null });
  expect((end as { duration_ms: number }).duration_ms).toBeGreaterThanOrEqual(390);
});

test('the next attempt publishes the end that a worker stored before it died', async () => {
  const owner = personal();
  const { record } = await platform.dispatch(owner);
  const until = await follow(owner);
  const outcome = {
    status: 'failed',
    output: [],
    usage: record.usage,
    error: null,
    model: null,
    provider: null,
    finish_reason: null,
    finished_at: new Date(),
  } as const;
  await settle(platform.database, { owner, id: record.id, attempt: 1, outcome: { ...outcome, output: [] } });
  await platform.attempt(record, 2, { run: () => Promise.reject(new Error('it has ended')) }).run();
  expect(await until('execution.failed')).toMatchObject([{ execution_id: record.id, duration_ms: null }]);
});
