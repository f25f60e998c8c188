import type { RedisConnection } from '@chorus/events';

const keyOf = (name: string) => `chorus:lease:${name}`;

/**
 * Runs `task` every `everyMs`, in one of the processes that ask for the same name: whoever gets the lease of a round runs it.
 * A process that dies in its round costs that round, no more.
 *
 * @returns stops it, after a running round
 */
export function everyWithLease(
  redis: RedisConnection,
  name: string,
  everyMs: number,
  task: () => Promise<void>,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const round = async () => {
    // A little shorter than the round, so that clocks that drift do not skip one.
    const got = await redis.set(keyOf(name), process.pid, 'PX', Math.floor(everyMs * 0.9), 'NX');
    if (got === 'OK') await task();
  };
  const timer = setInterval(() => {
    running = running.then(round).catch(() => undefined);
  }, everyMs);
  running = round().catch(() => undefined);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/**
 * Keeps the lease of a round that takes longer than rounds are apart, so that nobody else begins the next one meanwhile.
 *
 * @returns stops keeping it
 */
export function keepLease(redis: RedisConnection, name: string, everyMs: number): () => void {
  const timer = setInterval(() => {
    redis.set(keyOf(name), process.pid, 'PX', everyMs, 'XX').catch(() => undefined);
  }, everyMs / 3);
  return () => clearInterval(timer);
}
