import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { backoff, poll, readBeforeGivingUp, repeatedly, retryWhile, valueWithin, withTimeout } from './index.ts';

const never = new Promise<never>(() => undefined);
const late = () => 'late';

/** Blocks the event loop. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

async function connectedSockets(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[accepted]] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  onTestFinished(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  return [client, accepted as Socket];
}

/** Calls of a function that fails `failures` times. */
function failing(failures: number) {
  const calls: number[] = [];
  const step = async () => {
    calls.push(performance.now());
    if (calls.length <= failures) throw new Error(`failure ${calls.length}`);
    return 'done';
  };
  return { calls, step };
}

test('withTimeout returns the result, or passes the error on', async () => {
  expect(await withTimeout(Promise.resolve('value'), 1_000, late)).toBe('value');
  await expect(withTimeout(Promise.reject(new Error('broken')), 1_000, late)).rejects.toThrow('broken');
});

test('withTimeout returns or throws what onTimeout does, and ignores later results', async () => {
  expect(await withTimeout(never, 1, late)).toBe('late');
  const giveUp = () => {
    throw new Error('too late');
  };
  await expect(withTimeout(never, 1, giveUp)).rejects.toThrow('too late');
  const failsLater = Promise.withResolvers<string>();
  expect(await withTimeout(failsLater.promise, 1, late)).toBe('late');
  failsLater.reject(new Error('the caller is gone'));
  await new Promise(setImmediate);
});

test('withTimeout leaves no timer behind, and does not call onTimeout after a result', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  let calls = 0;
  await withTimeout(Promise.resolve(), 1, () => {
    calls += 1;
  });
  await withTimeout(Promise.resolve(), 60_000, late);
  expect(timers()).toBe(before);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(calls).toBe(0);
});

test('a response that is already in the socket counts, even if a busy process reads it late', async () => {
  const [client, server] = await connectedSockets();
  const answer = once(client, 'data').then(([bytes]) => String(bytes));
  const waiting = withTimeout(answer, 20, late);
  server.write('answer');
  block(60);
  expect(await waiting).toBe('answer');
});

test('without a response, a busy process still gives up', async () => {
  const [client] = await connectedSockets();
  const waiting = withTimeout(once(client, 'data'), 20, late);
  block(60);
  expect(await waiting).toBe('late');
});

test('readBeforeGivingUp can be cancelled before its time and between timer and reading', async () => {
  let calls = 0;
  const giveUp = () => {
    calls += 1;
  };
  readBeforeGivingUp(1, giveUp)();
  const cancel = readBeforeGivingUp(1, giveUp);
  block(5);
  setTimeout(cancel, 1); // Due in the same timer phase, behind the other one.
  block(5);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(calls).toBe(0);
  await new Promise<void>((resolve) => {
    readBeforeGivingUp(1, resolve);
  });
});

test('valueWithin returns the value, or undefined for a failure or a timeout', async () => {
  expect(await valueWithin(Promise.resolve(0), 1_000)).toBe(0);
  expect(await valueWithin(Promise.reject(new Error('broken')), 1_000)).toBeUndefined();
  expect(await valueWithin(never, 1)).toBeUndefined();
});

test('backoff doubles up to its maximum, and is constant without one', () => {
  expect(backoff(50, 300).take(5).toArray()).toEqual([50, 100, 200, 300, 300]);
  expect(backoff(7).take(3).toArray()).toEqual([7, 7, 7]);
});

test('retryWhile runs a step until it succeeds, with the given pauses', async () => {
  const { calls, step } = failing(2);
  expect(await retryWhile(() => true, step, { pausesMs: [10, 30] })).toBe('done');
  expect(calls.length).toBe(3);
  const [first = 0, second = 0, third = 0] = calls;
  expect(second - first).toBeGreaterThan(8);
  expect(third - second).toBeGreaterThan(28);
});

test('retryWhile throws the last error once the pauses are used up', async () => {
  const { calls, step } = failing(9);
  await expect(retryWhile(() => true, step, { pausesMs: [1, 1] })).rejects.toThrow('failure 3');
  expect(calls.length).toBe(3);
});

test('retryWhile immediately throws an error that must not be retried', async () => {
  const { calls, step } = failing(9);
  const mayRetry = (error: unknown) => (error as Error).message === 'failure 1';
  await expect(retryWhile(mayRetry, step, { pausesMs: backoff(1) })).rejects.toThrow('failure 2');
  expect(calls.length).toBe(2);
});

test('retryWhile starts no retry after its deadline', async () => {
  const { calls, step } = failing(1_000);
  await expect(retryWhile(() => true, step, { pausesMs: backoff(5), deadlineMs: 20 })).rejects.toThrow('failure');
  expect(calls.length).toBeGreaterThan(1);
  expect(calls.length).toBeLessThan(8);
});

test('a signal ends a pause with its reason, and leaves a running step alone', async () => {
  const aborting = new AbortController();
  const { calls, step } = failing(9);
  const retrying = retryWhile(() => true, step, { pausesMs: backoff(60_000), signal: aborting.signal });
  await new Promise(setImmediate);
  aborting.abort(new Error('stopped'));
  await expect(retrying).rejects.toThrow('stopped');
  expect(calls.length).toBe(1);
  expect(await retryWhile(() => true, failing(0).step, { pausesMs: [], signal: aborting.signal })).toBe('done');
});

test('poll looks until it finds something or the time is up', async () => {
  let looks = 0;
  const look = async () => {
    looks += 1;
    return looks === 3 && 'found';
  };
  expect(await poll(look, { everyMs: 1, withinMs: 60_000 })).toBe('found');
  expect(looks).toBe(3);
  expect(await poll(async () => null, { everyMs: 1, withinMs: 5 })).toBeUndefined();
  await expect(poll(() => Promise.reject(new Error('broken')), { everyMs: 1, withinMs: 5 })).rejects.toThrow('broken');
});

test('repeatedly never overlaps a slow task with the next, and stopping waits for the running one', async () => {
  const open: (() => void)[] = [];
  const third = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const stop = repeatedly(1, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => {
      open.push(resolve);
      if (open.length === 3) third.resolve();
      else setTimeout(resolve, 5);
    });
    running -= 1;
  });
  await third.promise;
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

test('repeatedly uses the pause that its task returns, and does not start again if stopped in a pause', async () => {
  let runs = 0;
  const second = Promise.withResolvers<void>();
  const stop = repeatedly(60_000, async () => {
    runs += 1;
    if (runs === 2) second.resolve();
    return runs === 1 ? 1 : undefined;
  });
  await second.promise;
  await stop();
  expect(runs).toBe(2);
});
