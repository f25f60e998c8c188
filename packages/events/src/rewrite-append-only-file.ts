import { ChorusError } from '@chorus/contract';
import { poll } from '@chorus/runtime/timing';
import type { RedisConnection } from './connection/index.ts';
import { fromRedis } from './from-redis.ts';

const LOOK_EVERY_MS = 50;
/** A large data set may take minutes. */
const WITHIN_MS = 3_600_000;

/**
 * Rewrites the append-only file, to remove deleted data from it. Waits for completion.
 *
 * @throws {ChorusError} store_unavailable: Redis is down, or the rewrite failed
 */
export async function rewriteAppendOnlyFile(redis: RedisConnection): Promise<void> {
  // A rewrite in progress may have started before the deletion.
  await until(redis, ({ aof_rewrite_in_progress: running }) => running === '0');
  await fromRedis(redis.bgrewriteaof());
  const state = await until(redis, (now) => now.aof_rewrite_in_progress === '0' && now.aof_rewrite_scheduled === '0');
  if (state.aof_last_bgrewrite_status === 'ok') return;
  throw failed('Redis could not rewrite its append-only file. See its log.');
}

async function until(
  redis: RedisConnection,
  isDone: (state: Record<string, string>) => boolean,
): Promise<Record<string, string>> {
  const look = async () => {
    const info = await fromRedis(redis.info('persistence'));
    const state = Object.fromEntries(info.split('\r\n').map((line) => line.split(':') as [string, string]));
    return isDone(state) ? state : null;
  };
  const state = await poll(look, { everyMs: LOOK_EVERY_MS, withinMs: WITHIN_MS });
  if (state) return state;
  throw failed('Redis did not finish rewriting its append-only file in time.');
}

const failed = (message: string) => new ChorusError('store_unavailable', message, { retryAfterS: 60 });
