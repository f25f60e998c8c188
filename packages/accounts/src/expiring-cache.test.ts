import { expect, it } from 'vitest';
import { ExpiringCache } from './expiring-cache.ts';

it('drops the least recently used entry beyond its limit', () => {
  const cache = new ExpiringCache<number>(2);
  const later = Date.now() + 60_000;
  cache.set('a', 1, later);
  cache.set('b', 2, later);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3, later);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
});

it('drops expired and deleted entries', () => {
  const cache = new ExpiringCache<number>(2);
  cache.set('a', 1, Date.now());
  cache.set('b', 2, Date.now() + 60_000);
  cache.delete('b');
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, undefined]);
});
