import { expect, test } from 'vitest';
import { repeatedly } from './repeatedly.ts';

test('a slow task never overlaps with the next, and stopping waits for the one that runs', async () => {
  const open: (() => void)[] = [];
  let running = 0;
  let most = 0;
  let third = (): void => undefined;
  const begunThrice = new Promise<void>((resolve) => {
    third = resolve;
  });
  const stop = repeatedly(1, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => {
      open.push(resolve);
      if (open.length === 3) third();
      else setTimeout(resolve, 5);
    });
    running -= 1;
  });
  await begunThrice;
  let stopped = false;
  const stopping = stop().then(() => {
    stopped = true;
  });
  await new Promise(setImmediate);
  expect([stopped, running]).toEqual([false, 1]);
  open[2]?.();
  await stopping;
  expect([most, running, open.length]).toEqual([1, 0, 3]);
});
