import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

test('measures items that ended recently', () => {
  const pace = new Pace();
  expect(pace.measure(0, 0)).toBeNull();
  expect(pace.measure(10, 100)).toBeNull();
  expect(pace.measure(50, 1_000)).toEqual({ per_second: 50, at: new Date(1_000) });
  for (let second = 2; second <= 60; second += 1) pace.measure(50 + second, second * 1_000);
  expect(pace.measure(111, 61_000)?.per_second).toBe(1);
  // A retry has reset items.
  expect(pace.measure(0, 62_000)?.per_second).toBe(0);
});

test('leaves out the time in which all items waited', () => {
  const pace = new Pace();
  pace.measure(0, 0);
  pace.measure(100, 10_000);
  pace.note(true, 10_000);
  pace.note(true, 11_000);
  expect(pace.measure(100, 60_000)?.per_second).toBe(10);
  pace.note(false, 70_000);
  expect(pace.measure(100, 70_000)).toEqual({ per_second: 10, at: new Date(70_000) });
  expect(pace.measure(110, 71_000)?.per_second).toBe(10);
  pace.note(false, 72_000);
  expect(pace.measure(110, 80_000)?.per_second).toBe(5.5);
});
