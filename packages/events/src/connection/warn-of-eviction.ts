import { publicAddress } from '@chorus/runtime/addresses';
import type { Logger } from '@chorus/runtime/log';
import type { RedisConfig, RedisConnection } from './connect-redis.ts';

/** Warns if Redis deletes data when it is full, such as queued jobs. */
export async function warnOfEviction(redis: RedisConnection, { url }: RedisConfig, log: Logger): Promise<void> {
  const memory = await redis.info('memory').catch(() => ''); // its user may not be allowed to ask
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
  if (policy === undefined || policy === 'noeviction') return;
  log.warn(
    `REDIS_URL: ${publicAddress(url)} deletes queued work when it is full (maxmemory-policy ${policy}); ` +
      'set its maxmemory-policy to noeviction',
  );
}
