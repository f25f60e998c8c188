import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '@chorus/events';
import { repeatedly } from '@chorus/runtime/timing';
import { type MovingParts, moveSpaces } from './move-spaces.ts';

const LOOK_EVERY_MS = 15_000;
const AFTER_FAILURE_MS = 30_000;

const LEASE = 'chorus:lease:knowledge-spaces';

/** Longer than embedding one part of a document takes, retries included. */
const LEASE_MS = 180_000;

/** Releases the lease if this process still holds it. */
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/**
 * Moves the index to the configured embedding model, in one of all processes.
 *
 * @returns aborts running work and stops it
 */
export function keepMoving(
  redis: RedisConnection,
  parts: Omit<MovingParts, 'signal' | 'onProgress'>,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const me = randomUUID();
  const round = async () => {
    if ((await redis.set(LEASE, me, 'PX', LEASE_MS, 'NX')) !== 'OK') return;
    try {
      const onProgress = async () => {
        await redis.pexpire(LEASE, LEASE_MS);
      };
      await moveSpaces({ ...parts, signal, onProgress });
    } finally {
      await redis.eval(RELEASE, 1, LEASE, me).catch(() => undefined);
    }
  };
  const stop = repeatedly(LOOK_EVERY_MS, async () => {
    try {
      await round();
      return LOOK_EVERY_MS;
    } catch (err) {
      if (!signal.aborted)
        parts.log.warn({ err }, 'moving to another embedding model failed; the next round tries again');
      return AFTER_FAILURE_MS;
    }
  });
  return () => {
    stopping.abort();
    return stop();
  };
}
