import { expect, test } from 'vitest';
import { collectGarbage } from './collect-garbage.ts';

const MB = 1_000_000;

test('frees what is no longer used, without a flag of V8', async () => {
  const used = () => process.memoryUsage().heapUsed / MB;
  const fill = () => {
    const words = Array.from({ length: 1_000_000 }, (_, n) => `word ${n}`);
    return [words.length, used()] as const;
  };
  await collectGarbage();
  const before = used();
  const [, filled] = fill();
  expect(filled).toBeGreaterThan(before + 20);
  await collectGarbage();
  expect(used()).toBeLessThan(before + 10);
  expect(process.execArgv).not.toContain('--expose-gc');
});
