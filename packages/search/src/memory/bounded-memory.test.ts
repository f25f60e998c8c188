import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BoundedMemory } from './bounded-memory.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const held = (memory: BoundedMemory<string, number>, keys: string) =>
  [...keys].filter((key) => memory.get(key) !== undefined).join('');

test('what was used first goes where there is no more room, and what is larger than all room is not kept', () => {
  const memory = new BoundedMemory<string, number>({ maxBytes: 30, idleMs: 1_000 });
  for (const key of 'abc') memory.set(key, 1, 10);
  memory.get('a');
  memory.set('d', 2, 10);
  expect([held(memory, 'abcd'), memory.bytes]).toEqual(['acd', 30]);
  memory.set('e', 3, 25);
  expect([held(memory, 'acde'), memory.bytes]).toEqual(['e', 25]);
  memory.set('e', 4, 10);
  expect([memory.get('e'), memory.bytes]).toEqual([4, 10]);
  memory.set('f', 5, 31);
  expect([held(memory, 'ef'), memory.bytes]).toEqual(['e', 10]);
  memory.set('e', 6, 31);
  expect([held(memory, 'ef'), memory.bytes]).toEqual(['', 0]);
});

test('what nobody uses goes after a while, also when nobody asks', () => {
  const memory = new BoundedMemory<string, number>({ maxBytes: 100, idleMs: 1_000 });
  memory.set('a', 1, 10);
  vi.advanceTimersByTime(600);
  memory.set('b', 2, 10);
  memory.get('a');
  vi.advanceTimersByTime(900);
  expect(memory.bytes).toBe(20);
  vi.advanceTimersByTime(1_200);
  expect([memory.bytes, vi.getTimerCount()]).toEqual([0, 0]);
  memory.set('c', 3, 10);
  vi.advanceTimersByTime(999);
  expect(held(memory, 'abc')).toBe('c');
  vi.advanceTimersByTime(2_000);
  expect(held(memory, 'abc')).toBe('');
});
