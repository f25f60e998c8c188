import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LruCache } from './lru-cache.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const held = (cache: LruCache<string, number>, keys: string) =>
  [...keys].filter((key) => cache.get(key) !== undefined).join('');

test('evicts the least recently used values, and does not keep oversized ones', () => {
  const cache = new LruCache<string, number>({ maxBytes: 30, idleMs: 1_000 });
  for (const key of 'abc') cache.set(key, 1, 10);
  cache.get('a');
  cache.set('d', 2, 10);
  expect([held(cache, 'abcd'), cache.bytes]).toEqual(['acd', 30]);
  cache.set('e', 3, 25);
  expect([held(cache, 'acde'), cache.bytes]).toEqual(['e', 25]);
  cache.set('e', 4, 10);
  expect([cache.get('e'), cache.bytes]).toEqual([4, 10]);
  cache.set('f', 5, 31);
  expect([held(cache, 'ef'), cache.bytes]).toEqual(['e', 10]);
  cache.set('e', 6, 31);
  expect([held(cache, 'ef'), cache.bytes]).toEqual(['', 0]);
});

test('drops idle values after a while, even without access', () => {
  const cache = new LruCache<string, number>({ maxBytes: 100, idleMs: 1_000 });
  cache.set('a', 1, 10);
  vi.advanceTimersByTime(600);
  cache.set('b', 2, 10);
  cache.get('a');
  vi.advanceTimersByTime(900);
  expect(cache.bytes).toBe(20);
  vi.advanceTimersByTime(1_200);
  expect([cache.bytes, vi.getTimerCount()]).toEqual([0, 0]);
  cache.set('c', 3, 10);
  vi.advanceTimersByTime(999);
  expect(held(cache, 'abc')).toBe('c');
  vi.advanceTimersByTime(2_000);
  expect(held(cache, 'abc')).toBe('');
});

test('when comparing, keeps as many values that are used in turn as fit, and adapts to changes', () => {
  const cache = new LruCache<string, number>({ maxBytes: 30, idleMs: 60_000, comparing: true });
  const use = (keys: string) =>
    [...keys].filter((key) => {
      vi.advanceTimersByTime(1);
      if (cache.get(key) !== undefined) return true;
      cache.set(key, 1, 10);
      return false;
    }).length;
  use('abcde');
  expect(use('abcdeabcde')).toBe(6);
  use('fghfgh'); // the second time, each was used later than one of the others
  expect(use('fghfgh')).toBe(6);
  expect(cache.bytes).toBe(30);
});
