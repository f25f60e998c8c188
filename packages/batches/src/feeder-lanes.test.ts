import { LaneWait } from '@chorus/lanes';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { draw, type OpenBatches, openBatches, personal } from './test-batches.ts';

let open: OpenBatches;

beforeAll(async () => {
  open = await openBatches();
});
afterAll(() => open.close());
beforeEach(() => open.redis.flushall());
afterEach(() => open.closeProcesses());

test('items whose provider takes no call are queued again, and counted by lane', async () => {
  const owner = personal();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await open.startWorker(async (job) => {
    if (!job.input.prompts[0]?.startsWith('moon')) return draw(job);
    await held;
    throw new LaneWait('test/image', 'busy', 600_000);
  });
  await open.startFeeder();
  const batch = await open.create(owner, ['moon 1', 'moon 2', 'moon 3', 'sun']);
  await open.settled(owner, batch.id, ({ counts }) => counts.running === 3 && counts.succeeded === 1);
  release();
  const waiting = await open.settled(owner, batch.id, ({ counts }) => counts.queued === 3);
  expect(waiting).toMatchObject({
    status: 'running',
    counts: { running: 0, succeeded: 1 },
    lane_items: [{ lane: 'test/image', items: 3 }],
  });
  await open.database.batches.markCancelling(owner, batch.id);
  expect((await open.settled(owner, batch.id)).lane_items).toEqual([]);
});

test('items are counted by the lane that has put them off, even if it is not that of their queue', async () => {
  const owner = personal();
  await open.startWorker(async () => {
    throw new LaneWait('test/other', 'busy', 600_000);
  });
  await open.startFeeder();
  const batch = await open.create(owner, ['moon 1', 'moon 2']);
  const waiting = await open.settled(
    owner,
    batch.id,
    ({ lane_items: [first] }) => first?.items === 2 && first.lane !== 'test/image',
  );
  expect(waiting.lane_items).toEqual([{ lane: 'test/other', items: 2 }]);
  await open.database.batches.markCancelling(owner, batch.id);
  await open.settled(owner, batch.id);
});
