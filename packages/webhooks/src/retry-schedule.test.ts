import { expect, test } from 'vitest';
import { nextAttempt } from './retry-schedule.ts';

const HOUR_S = 3_600;
const dueSince = new Date(1_900_000_000_000);
const after = (seconds: number) => new Date(dueSince.getTime() + seconds * 1_000);
const pause = (attempts: number, retryAfter: string | null = null, random = () => 0.5) => {
  const next = nextAttempt({ attempts, dueSince, now: after(60), retryAfter }, random);
  return next === null ? null : Math.round((next.getTime() - after(60).getTime()) / 1_000);
};

test('pauses grow to two hours', () => {
  const pauses = Array.from({ length: 9 }, (_, index) => pause(index + 1));
  expect(pauses).toEqual([5, 30, 120, 600, 1_800, HOUR_S, 2 * HOUR_S, 2 * HOUR_S, 2 * HOUR_S]);
});

test('pauses vary by up to a fifth', () => {
  expect([pause(2, null, () => 0), pause(2, null, () => 1)]).toEqual([24, 36]);
});

test('retries for a day, and once at its end', () => {
  let now = dueSince;
  let attempts = 0;
  for (let next: Date | null = now; next !== null; attempts += 1) {
    now = next;
    next = nextAttempt({ attempts: attempts + 1, dueSince, now, retryAfter: null });
  }
  expect(now).toEqual(after(24 * HOUR_S));
  expect(attempts).toBeGreaterThan(14);
  expect(attempts).toBeLessThan(22);
});

test.each([
  ['60', 60],
  ['3', 5],
  ['999999999', 2 * HOUR_S],
  [after(60 + 90).toUTCString(), 90],
  [after(-500).toUTCString(), 5],
  ['soon', 5],
  ['-60', 5],
  ['', 5],
])('a receiver that asks for %s is left alone for %d s', (retryAfter, seconds) => {
  expect(pause(1, retryAfter)).toBe(seconds);
});
