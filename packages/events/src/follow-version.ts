import type { Logger } from '@chorus/runtime/log';
import { setAlignedInterval } from '@chorus/runtime/timing';
import type { RedisConnection } from './connection/index.ts';
import { fromRedis } from './from-redis.ts';

/** Polled, since a subscription can lose a message: a change is noticed within a second. */
const LOOK_EVERY_MS = 500;

/**
 * Calls `load` now, and after each change of a version in Redis. A failed call is repeated.
 *
 * @param what names the settings in the log
 * @returns stops it
 */
export async function followVersion(
  { redis, log }: { redis: RedisConnection; log: Logger },
  { key, what, load }: { key: string; what: string; load: () => Promise<void> },
): Promise<() => void> {
  let known: string | null | undefined;
  let looking = false;
  let hasFailed = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      // Read first: a change meanwhile has another version, and is seen by the next look.
      const version = await fromRedis(redis.get(key));
      if (version !== known) {
        await load();
        known = version;
      }
      hasFailed = false;
    } catch (err) {
      if (!hasFailed) log.warn({ err }, `could not read ${what}; trying again`);
      hasFailed = true;
    } finally {
      looking = false;
    }
  };
  await look();
  return setAlignedInterval(() => void look(), LOOK_EVERY_MS);
}
