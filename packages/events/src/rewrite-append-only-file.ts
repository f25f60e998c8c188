import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError } from '@chorus/contract';
import type { RedisConnection } from './connect-redis.ts';
import { fromRedis } from './from-redis.ts';

const LOOK_EVERY_MS = 50;
/** A large data set takes minutes. */
const WITHIN_MS = 3_600_000;

/**
 * Has Redis rewrite its append-only file, so that it holds what there is now and nothing that was deleted; waits for it.
 *
 * @throws {ChorusError} store_unavailable: Redis could not, or is away
 */
export async function rewriteAppendOnlyFile(redis: RedisConnection): Promise<void> {
  // One that is under way may have begun before the deletion.
  await until(redis, ({ aof_rewrite_in_progress: running }) => running === '0');
  await fromRedis(redis.bgrewriteaof());
  const state = await until(redis, (now) => now.aof_rewrite_in_progress === '0' && now.aof_rewrite_scheduled === '0');
  if (state.aof_last_bgrewrite_status === 'ok') return;
  throw new ChorusError('store_unavailable', 'Redis could not rewrite its append-only file: see its log.', {
    retryAfterS: 60,
  });
}

async function until(
  redis: RedisConnection,
  isSo: (state: Record<string, string>) => boolean,
): Promise<Record<string, string>> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const info = await fromRedis(redis.info('persistence'));
    const state = Object.fromEntries(info.split('\r\n').map((line) => line.split(':') as [string, string]));
    if (isSo(state)) return state;
    if (performance.now() > deadline)
      throw new ChorusError('store_unavailable', 'Redis does not end the rewriting of its append-only file.', {
        retryAfterS: 60,
      });
    await pause(LOOK_EVERY_MS);
  }
}
