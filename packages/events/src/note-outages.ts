import { publicAddress } from '@chorus/config';
import type { Logger } from '@chorus/log';
import type { RedisConfig, RedisConnection } from './connect-redis.ts';

/** Connections that are away now, by URL: all of a process share one line of its log. */
const away = new Map<string, Set<RedisConnection>>();

/** Says once that Redis does not answer, by the variable and the address, and once that it does again: connections try again by themselves. */
export function noteOutages(connection: RedisConnection, { url }: RedisConfig, log: Logger): void {
  const address = publicAddress(url);
  const connections = away.get(url) ?? new Set();
  away.set(url, connections);
  const isBack = () => {
    if (connections.delete(connection) && connections.size === 0) log.warn(`REDIS_URL: ${address} answers again`);
  };
  connection.on('error', (error: NodeJS.ErrnoException) => {
    const isFirst = connections.size === 0;
    connections.add(connection);
    if (!isFirst) return;
    log.warn(`REDIS_URL: no answer from ${address} (${reasonOf(error)}); trying again until it answers`);
  });
  connection.on('ready', isBack);
  connection.on('end', () => connections.delete(connection));
}

/** A refusal's own words say more than its kind. */
function reasonOf({ code, message, name }: NodeJS.ErrnoException): string {
  return (code ?? message) || name;
}
