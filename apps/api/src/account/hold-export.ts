import { ChorusError } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';
import type { ScopedContext } from '../http/request-context.ts';

/** Expiry that frees the place of a killed process. */
const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;

/** Deletes a key that still has its value. */
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/**
 * Limits a user to one download of their data at a time, across all processes, until the response ends.
 * @throws {ChorusError} limit_reached
 */
export async function holdExport({ owner, requestId, response, services }: ScopedContext): Promise<void> {
  const { redis } = services;
  const key = `chorus:{export:${owner.user_id}}`;
  if ((await fromRedis(redis.set(key, requestId, 'PX', LEASE_MS, 'NX'))) === null)
    throw new ChorusError(
      'limit_reached',
      'Your data is already being downloaded. Wait until that download has ended.',
    );
  const renewing = setInterval(() => redis.pexpire(key, LEASE_MS).catch(() => undefined), RENEW_EVERY_MS);
  const release = () => {
    clearInterval(renewing);
    releaseKey(redis, key, requestId).catch(() => undefined);
  };
  if (response.destroyed || response.writableFinished) release();
  else response.once('close', release);
}

const releaseKey = (redis: RedisConnection, key: string, requestId: string) =>
  fromRedis(defineScript(redis, 'chorusReleaseExport', RELEASE, 1)(key, requestId));
