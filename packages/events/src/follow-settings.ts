import { randomUUID } from 'node:crypto';
import { isStoreUnavailable } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import { setAlignedInterval } from '@chorus/runtime/timing';
import type { RedisConnection } from './connection/index.ts';
import { fromRedis } from './from-redis.ts';
import { listenOn } from './listen-on.ts';

/** Settings that change while processes run. */
export type LiveSettings = 'provider_keys' | 'model_settings' | 'limits' | 'budgets';

/** The connections of a process that follows settings. */
export interface SettingsConnections {
  redis: RedisConnection;
  subscriber: RedisConnection;
  log: Logger;
}

/** A Redis hash with the version of each group of settings. */
const VERSIONS = 'chorus:settings:versions';

/** Announces that a version has changed. */
const CHANNEL = 'chorus:settings';

/** Catches announcements that were lost although the subscriber seemed connected. */
const CHECK_EVERY_MS = 5_000;

/** The pause after settings could not be read. */
const RETRY_MS = 500;

/** Checks for a change, one function per follower. */
const followers = new WeakMap<RedisConnection, Set<() => Promise<void>>>();

/** Makes every process that follows these settings read them again. This one has read them when it returns. */
export async function announceSettings(redis: RedisConnection, settings: LiveSettings): Promise<void> {
  await fromRedis(redis.hset(VERSIONS, settings, randomUUID()));
  // The change is stored, so others find it even if it cannot be announced.
  redis.publish(CHANNEL, settings).catch(() => undefined);
  await Promise.all(Array.from(followers.get(redis) ?? [], (check) => check()));
}

/**
 * Calls `load` now, and after each change of the settings. Retries failed calls.
 *
 * @returns a function that stops it
 */
export async function followSettings(
  { redis, subscriber, log }: SettingsConnections,
  settings: LiveSettings,
  load: () => Promise<void>,
): Promise<() => void> {
  let known: string | null | undefined;
  let checking: Promise<void> | null = null;
  let retry: NodeJS.Timeout | null = null;
  let isStopped = false;
  const check = async () => {
    try {
      // Read first: a change meanwhile has another version, and is found by the next check.
      const version = (await readVersions(redis))[settings] ?? null;
      if (version !== known) {
        await load();
        known = version;
      }
      if (retry) clearTimeout(retry);
      retry = null;
    } catch (err) {
      if (isStopped) return;
      if (retry) clearTimeout(retry);
      // Outages are logged once per store.
      else if (!isStoreUnavailable(err)) log.warn({ err, settings }, 'could not read changed settings; trying again');
      retry = setTimeout(() => void checkOnce(), RETRY_MS).unref();
    }
  };
  const checkOnce = () => {
    checking ??= check().finally(() => {
      checking = null;
    });
    return checking;
  };
  // A check that is under way may have read before the change.
  const checkAgain = async () => {
    await checking;
    await checkOnce();
  };

  await checkOnce();
  const all = followers.get(redis) ?? new Set();
  followers.set(redis, all.add(checkAgain));
  const { stop: stopListening } = listenOn(subscriber, CHANNEL, {
    onMessage: (changed) => {
      if (changed === settings) void checkAgain();
    },
    onSubscribed: checkAgain,
    log,
  });
  const stopInterval = setAlignedInterval(() => void checkOnce(), CHECK_EVERY_MS);
  return () => {
    isStopped = true;
    all.delete(checkAgain);
    stopListening();
    stopInterval();
    if (retry) clearTimeout(retry);
  };
}

const readings = new WeakMap<RedisConnection, Promise<Record<string, string>>>();

/** Reads once for all followers of a process, since their timers are aligned. */
function readVersions(redis: RedisConnection): Promise<Record<string, string>> {
  const running = readings.get(redis);
  if (running) return running;
  const reading = fromRedis(redis.hgetall(VERSIONS)).finally(() => readings.delete(redis));
  readings.set(redis, reading);
  return reading;
}
