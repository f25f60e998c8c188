import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RedisConnection } from '@chorus/events';
import { type MovingParts, moveSpaces } from './move-spaces.ts';

/** How often is looked whether another embedding model is configured, in milliseconds; after a failure it is waited longer. */
const LOOK_EVERY_MS = 5_000;
const AFTER_FAILURE_MS = 30_000;

const LEASE = 'chorus:lease:knowledge-spaces';

/** Longer than one part of a document takes to be embedded, the provider's own tries included. */
const LEASE_MS = 180_000;

/** Lets go of the lease, if it is ours still. */
const LET_GO = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/**
 * Keeps what is searched in step with the embedding model that is configured, in one process of all.
 *
 * @returns stops it, and what of the work is under way
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
      await redis.eval(LET_GO, 1, LEASE, me).catch(() => undefined);
    }
  };
  const loop = async () => {
    while (!signal.aborted) {
      let waitMs = LOOK_EVERY_MS;
      try {
        await round();
      } catch (err) {
        if (signal.aborted) return;
        parts.log.warn({ err }, 'bringing what is searched to another embedding model failed; it is gone on with');
        waitMs = AFTER_FAILURE_MS;
      }
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = loop();
  return async () => {
    stopping.abort();
    await running;
  };
}
