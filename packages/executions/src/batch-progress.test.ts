import type { WaitReason } from '@chorus/contract';
import { expect, test } from 'vitest';
import { progressOf } from './batch-progress.ts';
import type { LaneView } from './lane-views.ts';

type Counted = Parameters<typeof progressOf>[0];

const none = {
  waiting: 0,
  requires_action: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
  expired: 0,
};

/** A batch of which 90 items are left: 20 are queued. */
function batch({ running = 0, ago_s = 0, ...over }: Partial<Counted> & { running?: number; ago_s?: number }): Counted {
  const counts = { ...none, total: 100, succeeded: 10, queued: 20, running, waiting: 70 - running };
  const pace = { per_second: 10, at: new Date(Date.now() - 1_000 * ago_s) };
  return { counts, pace, lane_items: [{ lane: 'openai/gpt', items: 20 }], finished_at: null, ...over };
}

const closed = (reason: WaitReason, inS: number | null): LaneView => {
  const opensAt = inS === null ? null : Date.now() + 1_000 * inS;
  return {
    waiting: { reason, provider: 'openai', until: opensAt === null ? null : new Date(opensAt).toISOString() },
    opensAt,
  };
};
const open: LaneView = { waiting: null, opensAt: 0 };
const viewed = (view: LaneView) => new Map([['openai/gpt', view]]);

test('items of an open lane wait for nothing', () => {
  expect(progressOf(batch({}), viewed(open))).toEqual({
    completed: 10,
    total: 100,
    per_second: 10,
    remaining_s: 9,
    waiting_for: [],
  });
  expect(progressOf(batch({ pace: null }), new Map()).remaining_s).toBeNull();
  expect(progressOf(batch({ ago_s: 60 }), viewed(open))).toMatchObject({ per_second: null, remaining_s: null });
});

test('while all of them wait, the time until the lane opens is added, and the last pace remains', () => {
  const progress = progressOf(batch({ ago_s: 600 }), viewed(closed('slow_down', 100)));
  expect(progress.waiting_for).toEqual([
    { reason: 'slow_down', provider: 'openai', until: expect.any(String), model: 'openai/gpt', items: 20 },
  ]);
  expect(progress.remaining_s).toBeGreaterThan(107);
  expect(progress.remaining_s).toBeLessThan(110);
});

test('while other items run, the batch cannot end before the closed lane opens', () => {
  const lanes = (inS: number) => viewed(closed('away', inS));
  expect(progressOf(batch({ running: 5 }), lanes(4)).remaining_s).toBe(9);
  expect(progressOf(batch({ running: 5 }), lanes(30)).remaining_s).toBeGreaterThan(28);
});

test('nothing can be said while an operator must act', () => {
  expect(progressOf(batch({}), viewed(closed('key', null)))).toMatchObject({
    remaining_s: null,
    waiting_for: [{ reason: 'key', until: null, items: 20 }],
  });
});

test('a slow pace lasts as long as a few items take', () => {
  const slow = { per_second: 0.02, at: new Date(Date.now() - 100_000) };
  expect(progressOf(batch({ pace: slow }), viewed(open))).toMatchObject({ per_second: 0, remaining_s: 4_500 });
});

test('an ended batch waits for nothing', () => {
  const counts = { ...none, total: 100, succeeded: 100, queued: 0, running: 0 };
  const ended = progressOf(batch({ counts, finished_at: new Date() }), viewed(closed('away', 10)));
  expect(ended).toMatchObject({ remaining_s: 0, waiting_for: [] });
});
