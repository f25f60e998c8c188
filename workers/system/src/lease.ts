import type { RedisConnection } from '@chorus/events';

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
    const got = await redis.set(`chorus:lease:${name}`, process.pid, 'PX', Math.floor(everyMs * 0.9), 'NX');
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
