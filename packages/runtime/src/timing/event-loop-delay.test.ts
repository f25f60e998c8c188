import perfHooks from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { sampleLoopWithoutTimer } from './event-loop-delay.ts';

const turn = () => new Promise(setImmediate);

test('a monitor without a timer sees how long the loop was blocked', async () => {
  const original = perfHooks.monitorEventLoopDelay;
  const histogram = sampleLoopWithoutTimer(() => perfHooks.monitorEventLoopDelay({ resolution: 10 }));
  expect(perfHooks.monitorEventLoopDelay).toBe(original);
  histogram.enable();
  await turn();
  const until = performance.now() + 100;
  while (performance.now() < until);
  await turn();
  await turn();
  histogram.disable();
  expect(histogram.max / 1e6).toBeGreaterThan(90);
});
