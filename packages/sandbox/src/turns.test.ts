import { expect, test } from 'vitest';
import { type TurnLimits, Turns } from './turns.ts';

const LIMITS: TurnLimits = {
  name: 'works',
  atOnce: 2,
  ofOwner: 1,
  waiting: 10,
  waitingCost: 100,
  waitMs: 60_000,
  timeMs: 60_000,
  timeShare: 1,
};

const settled = () => new Promise(setImmediate);

/** Tasks that end on demand. */
function worksIn(turns: Turns) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (owner: string, name: string, options: { cost?: number; signal?: AbortSignal } = {}) =>
    turns.run({ owner, ...options }, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { begun, start, end };
}

test('owners take turns, and one with many tasks leaves a place free', async () => {
  const { begun, start, end } = worksIn(new Turns(LIMITS));
  const all = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3')];
  await settled();
  expect(begun).toEqual(['a1']);
  all.push(start('b', 'b1'), start('c', 'c1'), start('b', 'b2'));
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  await end('b1');
  expect(begun).toEqual(['a1', 'b1', 'a2', 'c1']);
  await end('c1');
  await end('a2');
  expect(begun.slice(4).sort()).toEqual(['a3', 'b2']);
  await end('a3');
  await end('b2');
  await Promise.all(all);
});

test('refuses an owner with too many waiting tasks, by count and by cost, but not others', async () => {
  const { start, end } = worksIn(new Turns({ ...LIMITS, waiting: 2 }));
  const all = [start('a', 'a1', { cost: 90 }), start('a', 'a2', { cost: 10 })];
  await settled();
  await expect(start('a', 'a3', { cost: 1 })).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 10 });
  all.push(start('b', 'b1', { cost: 500 })); // over the limit by itself, so it runs alone
  await end('a1');
  all.push(start('a', 'a4'), start('a', 'a5'));
  await expect(start('a', 'a6')).rejects.toMatchObject({ code: 'overloaded' });
  for (const name of ['a2', 'b1', 'a4', 'a5']) await end(name);
  await Promise.all(all);
});

test('an owner without time waits for a refill, or is refused, while others continue', async () => {
  const turns = new Turns({ ...LIMITS, timeMs: 1, timeShare: 0.01, waitMs: 500 });
  const { begun, start, end } = worksIn(turns);
  const first = start('a', 'a1');
  const startedAt = performance.now();
  await expect.poll(() => performance.now() - startedAt).toBeGreaterThan(40);
  await end('a1');
  await first;
  const refused = start('a', 'a2');
  const other = start('b', 'b1');
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  await expect(refused).rejects.toMatchObject({ code: 'overloaded', message: expect.stringContaining('works') });
  await end('b1');
  await other;
  const patient = new Turns({ ...LIMITS, timeMs: 1, timeShare: 0.5 });
  const own = worksIn(patient);
  const one = own.start('a', 'a1');
  const begunAt = performance.now();
  await expect.poll(() => performance.now() - begunAt).toBeGreaterThan(20);
  await own.end('a1');
  await one;
  const two = own.start('a', 'a2');
  await settled();
  expect(own.begun).toEqual(['a1']);
  await expect.poll(() => own.begun, { timeout: 30_000 }).toEqual(['a1', 'a2']);
  await own.end('a2');
  await two;
});

test('a waiting task leaves when its signal aborts, and a failed one frees its place', async () => {
  const turns = new Turns(LIMITS);
  const { start, end } = worksIn(turns);
  const running = start('a', 'a1');
  const controller = new AbortController();
  const waiting = start('a', 'a2', { signal: controller.signal });
  controller.abort(new Error('not any more'));
  await expect(waiting).rejects.toThrow('not any more');
  await end('a1');
  await running;
  await expect(turns.run({ owner: 'a' }, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await turns.run({ owner: 'a' }, async () => 'next')).toBe('next');
});
