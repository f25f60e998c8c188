import { createLogger } from '@chorus/runtime/log';
import { afterAll, expect, test } from 'vitest';
import { EngineProcess } from './engine-process.ts';
import type { TestRequest } from './test-engine.ts';

const PROGRAM = new URL('./test-engine.ts', import.meta.url);
const log = createLogger({ name: 'test', level: 'silent' });
const limits = { idleMs: 300_000, maxWaiting: 64 };
const engine = new EngineProcess<TestRequest, number>(PROGRAM, [], limits, log);
afterAll(() => engine.close());

const never = new AbortController().signal;
const options = { signal: never, urgency: { now: false } };
const run = (request: TestRequest, more: { signal?: AbortSignal; urgency?: { now: boolean } } = {}) =>
  Array.fromAsync(engine.run(request, { ...options, ...more }));

test('starts on first use and yields each part as soon as it is ready', async () => {
  expect(engine.pid).toBeNull();
  const parts = engine.run({ do: 'count', to: 100, everyMs: 5 }, options);
  expect((await parts.next()).value).toBe(1);
  let behind = false;
  const next = run({ do: 'pid' }).then((pid) => {
    behind = true;
    return pid;
  });
  expect((await parts.next()).value).toBe(2);
  expect(behind).toBe(false); // requests run one at a time
  await parts.return(); // abandon the other 98 parts
  expect(await next).toEqual([engine.pid]);
});

test('runs urgent requests first, even if they become urgent while waiting', async () => {
  const ended: string[] = [];
  const later = { now: false };
  const all = Promise.all([
    run({ do: 'count', to: 3, everyMs: 20 }).then(() => ended.push('running')),
    run({ do: 'count', to: 1 }).then(() => ended.push('other')),
    run({ do: 'count', to: 1 }, { urgency: later }).then(() => ended.push('later')),
    run({ do: 'count', to: 1 }, { urgency: { now: true } }).then(() => ended.push('urgent')),
  ]);
  later.now = true;
  await all;
  expect(ended).toEqual(['running', 'later', 'urgent', 'other']);
});

test('aborts running and waiting requests immediately, and serves the next', async () => {
  const reason = new Error('cancelled');
  const running = new AbortController();
  const waiting = new AbortController();
  const first = engine.run({ do: 'count', to: 1_000, everyMs: 50 }, { ...options, signal: running.signal });
  await first.next();
  const asked = run({ do: 'pid' }, { signal: waiting.signal });
  waiting.abort(reason);
  await expect(asked).rejects.toBe(reason);
  running.abort(reason);
  await expect(Array.fromAsync(first)).rejects.toBe(reason);
  expect(await run({ do: 'count', to: 2 })).toEqual([1, 2]);
  await expect(run({ do: 'pid' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test('restarts after a kill and repeats work that had yielded nothing', async () => {
  const [before] = await run({ do: 'pid' });
  const asked = run({ do: 'count', to: 2, everyMs: 200 });
  process.kill(before!, 'SIGKILL');
  expect(await asked).toEqual([1, 2]);
  expect(engine.pid).not.toBe(before);
});

test('fails work that crashes the process twice or after a part, and serves the next', async () => {
  await expect(run({ do: 'crash', after: 0 })).rejects.toMatchObject({ code: 'provider_error' });
  const begun = engine.run({ do: 'crash', after: 1 }, options);
  expect((await begun.next()).value).toBe(1);
  await expect(begun.next()).rejects.toMatchObject({ code: 'provider_error' });
  expect(await run({ do: 'count', to: 1 })).toEqual([1]);
});

test('refuses requests when the queue is full', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const asked = Array.from({ length: 65 }, () => run({ do: 'count', to: 1_000, everyMs: 50 }, { signal }));
  await expect(run({ do: 'pid' })).rejects.toMatchObject({ code: 'overloaded' });
  controller.abort(new Error('enough'));
  for (const one of asked) await expect(one).rejects.toThrow('enough');
});

test('reports a load failure to every caller and does not try again', async () => {
  const broken = new EngineProcess<TestRequest, number>(PROGRAM, ['broken'], limits, log);
  const ask = () => Array.fromAsync(broken.run({ do: 'pid' }, options));
  const [first, second] = await Promise.allSettled([ask(), ask()]);
  for (const { status, reason } of [first, second] as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(reason).toMatchObject({ code: 'provider_error', message: expect.stringContaining('no weights') });
  }
  await expect(ask()).rejects.toMatchObject({ code: 'provider_error' });
  expect(broken.pid).toBeNull();
  await broken.loaded; // resolves, because loading has failed for good
});

test('fails waiting requests when it is closed', async () => {
  const own = new EngineProcess<TestRequest, number>(PROGRAM, [], limits, log);
  const asked = Array.fromAsync(own.run({ do: 'count', to: 1_000, everyMs: 50 }, options));
  own.close();
  await expect(asked).rejects.toMatchObject({ code: 'provider_error' });
  own.start();
  expect(own.pid).toBeNull();
  await own.loaded;
});

test('reports loading again after the process has ended', async () => {
  const own = new EngineProcess<TestRequest, number>(PROGRAM, [], limits, log);
  let isLoaded = false;
  const loaded = own.loaded.then(() => {
    isLoaded = true;
  });
  own.start();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isLoaded).toBe(false);
  await loaded;
  const before = own.loaded;
  await Array.fromAsync(own.run({ do: 'crash', after: 1 }, options)).catch(() => undefined);
  expect(own.loaded).not.toBe(before);
  own.close();
});
