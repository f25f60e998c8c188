import { expect, test } from 'vitest';
import { OperationsCache } from './operations-cache.ts';

const operation = (name: string, description = '') => ({
  ...{ name, method: 'GET', path: '/', description, effect: 'read', parameters: [], body: null },
});

test('each revision is read once, also by callers at the same time', async () => {
  const cache = new OperationsCache();
  let reads = 0;
  const read = async () => {
    reads += 1;
    return JSON.stringify([operation('one')]);
  };
  const [first, second] = await Promise.all([cache.get('a 1', read), cache.get('a 1', read)]);
  expect(first).toBe(second);
  expect(await cache.get('a 1', read)).toBe(first);
  expect(reads).toBe(1);
  await cache.get('a 2', read);
  expect(reads).toBe(2);
});

test('a failure is not kept', async () => {
  const cache = new OperationsCache();
  await expect(cache.get('a 1', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('a 1', async () => JSON.stringify([operation('one')]))).toHaveLength(1);
});

test('keeps the most recently used within a limit', async () => {
  const cache = new OperationsCache();
  const large = JSON.stringify([operation('one', 'x'.repeat(12_000_000))]);
  const reads: string[] = [];
  const get = (revision: string) =>
    cache.get(revision, async () => {
      reads.push(revision);
      return large;
    });
  for (const revision of ['a', 'b', 'a', 'c', 'a', 'b']) await get(revision);
  expect(reads).toEqual(['a', 'b', 'c', 'b']);
});
