import { expect, test } from 'vitest';
import { shareReads } from './share-reads.ts';

test('joins calls during a read to the next one, even after a failure', async () => {
  const reads: PromiseWithResolvers<number>[] = [];
  const read = shareReads(() => {
    const one = Promise.withResolvers<number>();
    reads.push(one);
    return one.promise;
  });
  const first = read();
  await expect.poll(() => reads.length).toBe(1);
  const later = [read(), read(), read()];
  reads[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect.poll(() => reads.length).toBe(2);
  reads[1]?.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
});
