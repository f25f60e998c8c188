import { expect, it, vi } from 'vitest';
import { setSharedTimeout } from './shared-timeout.ts';

it('runs tasks that are due at about the same time together, except cancelled ones', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const ran: [string, number][] = [];
    const later = (name: string, ms: number) =>
      setSharedTimeout(() => ran.push([name, Math.round(performance.now() / 10) * 10]), ms, 10);
    const start = Math.ceil(performance.now() / 10) * 10;
    vi.advanceTimersByTime(start + 1 - performance.now());
    later('first', 3);
    const cancel = later('cancelled', 4);
    vi.advanceTimersByTime(2);
    later('second', 6);
    later('third', 12);
    later('soon', -5);
    cancel();
    vi.advanceTimersByTime(30);
    expect(ran).toEqual([
      ['soon', start],
      ['first', start + 10],
      ['second', start + 10],
      ['third', start + 20],
    ]);
  } finally {
    vi.useRealTimers();
  }
});
