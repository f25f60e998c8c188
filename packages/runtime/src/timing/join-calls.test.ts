import { describe, expect, it } from 'vitest';
import { joinCalls } from './join-calls.ts';

describe('joinCalls', () => {
  it('runs the calls of one turn together, by key, and returns a result to each', async () => {
    const runs: [string, number[]][] = [];
    const double = joinCalls<string, number, number>(
      async (key, calls) => {
        runs.push([key, calls]);
        return calls.map((call) => 2 * call);
      },
      { most: 2 },
    );
    const answers = await Promise.all([double('a', 1), double('b', 2), double('a', 3), double('a', 4)]);
    expect(answers).toEqual([2, 4, 6, 8]);
    expect(runs).toEqual([
      ['a', [1, 3]],
      ['b', [2]],
      ['a', [4]],
    ]);
    expect(await double('a', 5)).toBe(10);
  });

  it('fails the calls of a failed run only', async () => {
    const run = async (key: string, calls: number[]) => {
      if (key === 'broken') throw new Error('away');
      return calls;
    };
    const call = joinCalls(run, { most: 8 });
    const settled = await Promise.allSettled([call('broken', 1), call('broken', 2), call('whole', 3)]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });
});
