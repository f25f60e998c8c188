import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from './load-config.ts';
import { loadDataLocation } from './load-data-location.ts';

/**
 * The configuration of a platform that runs, for commands beside it: what REDIS_URL and MONGODB_URI don't say, `npm start` has written into
 * its data directory. Null: nothing says where it is, so it does not run here.
 *
 * @throws {ConfigError}
 */
export function loadRunningConfig(env: NodeJS.ProcessEnv = process.env): Config | null {
  const { dataDir } = loadDataLocation(env);
  const sockets = env.REDIS_URL && env.MONGODB_URI ? null : socketsOf(dataDir);
  const REDIS_URL = env.REDIS_URL || (sockets === null ? undefined : `unix://${join(sockets, 'redis.sock')}`);
  const store = sockets === null ? undefined : `mongodb://${encodeURIComponent(join(sockets, 'store.sock'))}/chorus`;
  const MONGODB_URI = env.MONGODB_URI || store;
  if (REDIS_URL === undefined || MONGODB_URI === undefined) return null;
  return loadConfig({ ...env, REDIS_URL, MONGODB_URI });
}

/** The folder of the sockets of what runs on this data directory, or ran last. */
function socketsOf(dataDir: string): string | null {
  try {
    const { sockets } = JSON.parse(readFileSync(join(dataDir, 'run', 'instance.json'), 'utf8'));
    return typeof sockets === 'string' ? sockets : null;
  } catch {
    return null;
  }
}
