import type { RedisConnection } from './connect-redis.ts';

type Run = (...args: (string | number)[]) => Promise<unknown>;

/**
 * Makes a Lua step callable on a connection: sent by its hash, loaded when the server does not know it yet.
 * The keys come first and must lie in one slot.
 */
export function defineScript(redis: RedisConnection, name: string, lua: string, numberOfKeys: number): Run {
  if (!(name in redis)) redis.defineCommand(name, { lua, numberOfKeys });
  const commands = redis as unknown as Record<string, Run>;
  return (...args) => (commands[name] as Run).apply(redis, args);
}
