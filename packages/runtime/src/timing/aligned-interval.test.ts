import { expect, test, vi } from 'vitest';
import { setAlignedInterval } from './aligned-interval.ts';

test('tasks that started at different times run together, and stop', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const at: Record<string, number[]> = { one: [], other: [] };
    const stops = [setAlignedInterval(() => at.one?.push(performance.now()), 100)];
    vi.advanceTimersByTime(30);
    stops.push(setAlignedInterval(() => at.other?.push(performance.now()), 100));
    vi.advanceTimersByTime(300);
    expect(at.one).toHaveLength(3);
    expect(at.other).toEqual(at.one);
    for (const stop of stops) stop();
    vi.advanceTimersByTime(300);
    expect(at.one).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});
