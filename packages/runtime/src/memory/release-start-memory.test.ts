import { expect, test, vi } from 'vitest';
import { releaseStartMemory } from './release-start-memory.ts';

test('collects only when the process is idle', async () => {
  const collect = vi.fn();
  releaseStartMemory(collect, 100);
  const until = performance.now() + 250;
  while (performance.now() < until);
  await new Promise(setImmediate);
  expect(collect).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(collect).toHaveBeenCalled(), { timeout: 5_000 });
});
