import type { RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import { repeatedly } from '@chorus/runtime/timing';

const keyOf = (name: string) => `chorus:lease:${name}`;

/**
 * Runs `task` every `everyMs` in the process that gets the lease of the round.
 * If that process dies, only its round is lost. Failures are logged, and the next round tries again.
 *
 * @param task returns counts for the log
 * @returns stops it, after the running round
 */
export function everyWithLease(
  { redis, log }: { redis: RedisConnection; log: Logger },
  name: string,
  everyMs: number,
  task: () => Promise<Record<string, number>>,
): () => Promise<void> {
  return repeatedly(everyMs, async () => {
    // Shorter than the round, so that drifting clocks do not skip one. While Redis is down, no process runs it.
    const claiming = redis.set(keyOf(name), process.pid, 'PX', Math.floor(everyMs * 0.9), 'NX');
    if ((await claiming.catch(() => null)) !== 'OK') return;
    try {
      const counts = await task();
      const isIdle = Object.values(counts).every((count) => count === 0);
      log[isIdle ? 'debug' : 'info']({ task: name, ...counts }, 'maintenance round done');
    } catch (err) {
      log.warn({ err, task: name }, 'maintenance round failed; the next one tries again');
    }
  });
}

/**
 * Renews the lease of a round that may outlast it, so that no other process starts the next one.
 *
 * @returns stops renewing
 */
export function keepLease(redis: RedisConnection, name: string, everyMs: number): () => void {
  const timer = setInterval(() => {
    redis.set(keyOf(name), process.pid, 'PX', everyMs, 'XX').catch(() => undefined);
  }, everyMs / 3);
  return () => clearInterval(timer);
}
