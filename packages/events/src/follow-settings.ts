import { randomUUID } from 'node:crypto';
import type { Logger } from '@chorus/runtime/log';
import { setAlignedInterval } from '@chorus/runtime/timing';
import type { RedisConnection } from './connection/index.ts';
import { fromRedis } from './from-redis.ts';

/** Settings that change while processes run. */
export type LiveSettings = 'provider_keys' | 'model_settings' | 'limits' | 'budgets';

/** A hash with a version of each of the settings. */
const VERSIONS = 'chorus:settings:versions';

/** Polled, since a subscription can lose a message: a change is noticed within a second. */
const LOOK_EVERY_MS = 500;

/** Looks for a change, once for each follower. */
const followers = new WeakMap<RedisConnection, Set<() => Promise<void>>>();

/** Tells every process that follows these settings to read them again. This one has read them when it returns. */
export async function announceSettings(redis: RedisConnection, settings: LiveSettings): Promise<void> {
  await fromRedis(redis.hset(VERSIONS, settings, randomUUID()));
  await Promise.all(Array.from(followers.get(redis) ?? [], (look) => look()));
}

/**
 * Calls `load` now, and after each change of the settings. A failed call is repeated.
 *
 * @returns stops it
 */
export async function followSettings(
  { redis, log }: { redis: RedisConnection; log: Logger },
  settings: LiveSettings,
  load: () => Promise<void>,
): Promise<() => void> {
  let known: string | null | undefined;
  let looking: Promise<void> | null = null;
  let hasFailed = false;
  const look = async () => {
    try {
      // Read first: a change meanwhile has another version, and is seen by the next look.
      const version = (await readVersions(redis))[settings] ?? null;
      if (version !== known) {
        await load();
        known = version;
      }
      hasFailed = false;
    } catch (err) {
      if (!hasFailed) log.warn({ err, settings }, 'could not read changed settings; trying again');
      hasFailed = true;
    }
  };
  const lookOnce = () => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };
  // A look that runs already may have read before the change.
  const lookAfterwards = async () => {
    await looking;
    await lookOnce();
  };
  await lookOnce();
  const all = followers.get(redis) ?? new Set();
  followers.set(redis, all.add(lookAfterwards));
  const stop = setAlignedInterval(() => void lookOnce(), LOOK_EVERY_MS);
  return () => {
    all.delete(lookAfterwards);
    stop();
  };
}

const readings = new WeakMap<RedisConnection, Promise<Record<string, string>>>();

/** Reads once for all followers of a process, whose timers are aligned. */
function readVersions(redis: RedisConnection): Promise<Record<string, string>> {
  const running = readings.get(redis);
  if (running) return running;
  const reading = fromRedis(redis.hgetall(VERSIONS)).finally(() => readings.delete(redis));
  readings.set(redis, reading);
  return reading;
}
