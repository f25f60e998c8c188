import type { BatchItemState } from '@chorus/database';
import { describe, expect, test } from 'vitest';
import { BatchState } from './batch-state.ts';

type Given = Partial<Omit<BatchItemState, 'index'>>;

function stateOf(items: Given[], ordered = items.some(({ after }) => after !== undefined)): BatchState {
  const whole = items.map((item, index) => ({
    index,
    id: `i${index}`,
    kind: 'iris.image' as const,
    status: 'waiting' as const,
    after: [],
    execution_id: null,
    ended_seq: null,
    ...item,
  }));
  return new BatchState(whole, ordered);
}

describe('a plain batch', () => {
  test('takes each item once, in order', () => {
    const state = stateOf([{}, { status: 'succeeded' }, {}, {}]);
    expect(state.take(2)).toEqual([0, 2]);
    expect(state.take(9)).toEqual([3]);
    expect(state.take(9)).toEqual([]);
    state.putBack([0, 2]);
    expect([state.ready, state.take(1)]).toEqual([2, [0]]);
  });

  test('counts', () => {
    const state = stateOf([{}, {}, { status: 'running', execution_id: 'job_r' }, { status: 'skipped' }]);
    const none = {
      waiting: 0,
      queued: 0,
      running: 0,
      requires_action: 0,
      succeeded: 0,
      failed: 0,
      cancelled: 0,
      skipped: 0,
      expired: 0,
    };
    expect(state.counts).toEqual({ ...none, total: 4, waiting: 2, running: 1, skipped: 1 });
    expect([...state.outstanding]).toEqual([['job_r', 2]]);
    for (const index of state.take(2)) state.queue(index, `job_${index}`);
    state.mark(0, 'running');
    state.mark(3, 'running');
    expect(state.counts).toEqual({ ...none, total: 4, queued: 1, running: 2, skipped: 1 });
    expect(state.ended).toBe(false);
    state.end(0, 'succeeded', 'job_0');
    state.end(1, 'failed', 'job_1');
    state.end(2, 'cancelled', 'job_r');
    expect(state.counts).toEqual({ ...none, total: 4, succeeded: 1, failed: 1, cancelled: 1, skipped: 1 });
    expect([state.ended, state.outstanding.size]).toEqual([true, 0]);
  });
});

describe('items with dependencies', () => {
  test('become ready when the last dependency succeeds', () => {
    const state = stateOf([{ after: ['i2', 'i3'] }, {}, {}, { after: ['i2', 'i2'] }]);
    expect(state.take(9)).toEqual([1, 2]);
    expect(state.end(2, 'succeeded')).toEqual([]);
    expect(state.take(9)).toEqual([3]);
    expect(state.end(3, 'succeeded')).toEqual([]);
    expect(state.take(9)).toEqual([0]);
    expect(state.placeOf('i3')).toBe(3);
  });

  test('are skipped, transitively, when a dependency fails', () => {
    const state = stateOf([{}, { after: ['i0'] }, { after: ['i1', 'i3'] }, {}, { after: ['i3'] }]);
    expect(state.take(9)).toEqual([0, 3]);
    expect(state.end(0, 'failed')).toEqual([{ index: 1, because: 'i0' }]);
    expect(state.end(1, 'skipped')).toEqual([{ index: 2, because: 'i1' }]);
    expect(state.end(2, 'skipped')).toEqual([]);
    expect(state.end(3, 'succeeded')).toEqual([]);
    expect(state.take(9)).toEqual([4]);
  });

  test('resume from the stored state of another process', () => {
    const state = stateOf([
      { status: 'succeeded' },
      { status: 'failed' },
      { after: ['i0'] },
      { after: ['i0', 'i1'] },
      { after: ['i1'] },
      { after: ['i2', 'i3'] },
    ]);
    expect(state.take(9)).toEqual([2]);
    expect(state.blockedItems()).toEqual([
      { index: 3, because: 'i1' },
      { index: 4, because: 'i1' },
    ]);
    expect(state.blockedItems()).toEqual([]);
    expect(state.end(3, 'skipped')).toEqual([{ index: 5, because: 'i3' }]);
    expect(state.end(5, 'skipped')).toEqual([]);
    expect(state.end(2, 'succeeded')).toEqual([]);
    expect(state.take(9)).toEqual([]);
    expect(state.waiting()).toEqual([4]);
  });
});
