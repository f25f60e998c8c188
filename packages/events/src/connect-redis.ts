import { Cluster, Redis, type RedisOptions } from 'ioredis';

export type RedisConnection = Redis | Cluster;

export interface RedisConfig {
  /** `redis://…`, `rediss://…` or `unix:///path/to/redis.sock`; several cluster nodes separated by commas. */
  url: string;
  cluster: boolean;
}

/**
 * What a connection is for decides what it does while Redis is away:
 * `request` fails within seconds, since somebody waits for an answer; `worker` waits until Redis is back, since work must not be lost.
 */
export type RedisRole = 'request' | 'worker';

const MAX_RECONNECT_DELAY_MS = 1_000;

/** Opens a connection; it reconnects by itself with growing delay, at most a second. */
export function connectRedis(config: RedisConfig, role: RedisRole): RedisConnection {
  const options: RedisOptions = {
    maxRetriesPerRequest: role === 'worker' ? null : 3,
    ...(role === 'request' ? { commandTimeout: 5_000 } : {}),
    retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_DELAY_MS),
    enableAutoPipelining: false,
    enableReadyCheck: true,
  };
  const urls = config.url.split(',').map((url) => url.trim());
  if (config.cluster) {
    return new Cluster(urls, {
      redisOptions: options,
      clusterRetryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_DELAY_MS),
    });
  }
  const url = urls[0] ?? '';
  return url.startsWith('unix://')
    ? new Redis({ ...options, path: url.slice('unix://'.length) })
    : new Redis(url, options);
}
