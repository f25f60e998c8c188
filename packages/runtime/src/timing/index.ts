import { setTimeout as sleep } from 'node:timers/promises';

export { setAlignedInterval } from './aligned-interval.ts';
export { sampleLoopWithoutTimer } from './event-loop-delay.ts';
export { joinCalls } from './join-calls.ts';
export { setSharedTimeout } from './shared-timeout.ts';

/**
 * Calls `giveUp` after `ms`, and after reading any data that has already arrived in the sockets.
 *
 * In a busy process, timers are due before it has read responses that arrived in time.
 * @returns A function that cancels it.
 */
export function readBeforeGivingUp(ms: number, giveUp: () => void): () => void {
  let reading: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    reading = setImmediate(giveUp);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(reading);
  };
}

/** Returns the result of `work`. After `ms`, returns or throws the result of `onTimeout` instead. */
export function withTimeout<T, L>(work: Promise<T>, ms: number, onTimeout: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const cancel = readBeforeGivingUp(ms, () => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error);
      }
    });
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error) => {
        cancel();
        reject(error);
      },
    );
  });
}

/** Returns the result of `work`, or undefined if it fails or takes longer than `ms`. */
export function valueWithin<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const ignore = () => undefined;
  return withTimeout(work, ms, ignore).catch(ignore);
}

/** Yields endless pauses that double from `firstMs` up to `maxMs`. */
export function* backoff(firstMs: number, maxMs = firstMs): Generator<number, never> {
  for (let ms = firstMs; ; ms = Math.min(ms * 2, maxMs)) yield ms;
}

export interface RetryOptions {
  /** One pause before each retry. The last error is thrown when they run out. */
  pausesMs: Iterable<number>;
  deadlineMs?: number;
  signal?: AbortSignal;
}

/** Retries `step` while it fails with an error for which `mayRetry` returns true. */
export async function retryWhile<T>(
  mayRetry: (error: unknown) => boolean,
  step: () => Promise<T>,
  { pausesMs, deadlineMs = Number.POSITIVE_INFINITY, signal }: RetryOptions,
): Promise<T> {
  const until = performance.now() + deadlineMs;
  const pauses = pausesMs[Symbol.iterator]();
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!mayRetry(error) || performance.now() > until) throw error;
      const pause = pauses.next();
      if (pause.done) throw error;
      await sleep(pause.value, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

/** Calls `look` every `everyMs` until it returns something truthy. Returns that, or undefined after `withinMs`. */
export async function poll<T>(
  look: () => Promise<T>,
  { everyMs, withinMs }: { everyMs: number; withinMs: number },
): Promise<T | undefined> {
  const until = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > until) return undefined;
    await sleep(everyMs);
  }
}

/**
 * Runs `task` repeatedly, with a pause of `everyMs` after its end, so that a slow run never overlaps with the next.
 * @param task Must catch its own errors. May return another pause, in milliseconds.
 * @returns A function that stops it, and waits for the running task.
 */
export function repeatedly(
  everyMs: number,
  task: () => Promise<void> | Promise<number | undefined>,
): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void>;
  const run = async (): Promise<void> => {
    const pauseMs = (await task()) ?? everyMs;
    if (stopped) return;
    timer = setTimeout(() => {
      running = run();
    }, pauseMs);
  };
  running = run();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
