import { expect, test } from 'vitest';
import { Budget } from './budget.ts';

test('never more units are taken than there are, all get their turn in order, and a failure gives its units back', async () => {
  const budget = new Budget(10);
  const begun: number[] = [];
  let taken = 0;
  const work = (units: number) =>
    budget.run(units, async () => {
      begun.push(units);
      taken += Math.min(units, 10);
      expect(taken).toBeLessThanOrEqual(10);
      await new Promise(setImmediate);
      taken -= Math.min(units, 10);
      if (units === 3) throw new Error('failed');
    });
  const sizes = [6, 3, 50, 1, 9, 3, 2];
  const ended = await Promise.allSettled(sizes.map(work));
  expect(begun).toEqual(sizes);
  expect(ended.map(({ status }) => status)).toEqual(sizes.map((units) => (units === 3 ? 'rejected' : 'fulfilled')));
  expect(budget.waiting).toBe(0);
});
