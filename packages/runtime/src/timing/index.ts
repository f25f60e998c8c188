import { setTimeout as sleep } from 'node:timers/promises';

export { setAlignedInterval } from './aligned-interval.ts';
export { sampleLoopWithoutTimer } from './event-loop-delay.ts';
export { joinCalls } from './join-calls.ts';
export { setSharedTimeout } from './shared-timeout.ts';

/**
 * Calls `giveUp` after `ms`, and after reading what is already in the sockets.
 *
 * A busy process finds its timers due before it has read answers that came in time.
 * @returns cancels it
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

/** Returns the result of `work`, or after `ms` what `onTimeout` returns or throws. */
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

/** Returns the result of `work`, or undefined when it fails or takes longer than `ms`. */
export function valueWithin<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const ignore = () => undefined;
  return withTimeout(work, ms, ignore).catch(ignore);
}

/** Yields pauses that double from `firstMs` up to `maxMs`, without end. */
export function* backoff(firstMs: number, maxMs = firstMs): Generator<number, never> {
  for (let ms = firstMs; ; ms = Math.min(ms * 2, maxMs)) yield ms;
}

export interface RetryOptions {
  /** One pause before each retry. The last error is thrown when they run out. */
  pausesMs: Iterable<number>;
  deadlineMs?: number;
  signal?: AbortSignal;
}

/** Runs `step` again while it fails with an error for which `mayRetry` returns true. */
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
 * Runs `task`, and again `everyMs` after its end, so that a slow one never overlaps with the next.
 * @param task catches its own errors; may return another pause, in milliseconds
 * @returns stops it, once the running task has ended
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
