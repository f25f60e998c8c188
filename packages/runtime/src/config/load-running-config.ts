import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, loadConfig } from './load-config.ts';

export interface DataLocation {
  dataDir: string;
  /** Null: the built-in store. */
  mongodbUri: string | null;
  /** Null: the built-in Redis. */
  redisUrl: string | null;
  /** Null: the search index is in a bucket. */
  indexFolder: string | null;
}

export function loadDataLocation(env: NodeJS.ProcessEnv = process.env): DataLocation {
  const dataDir = resolve(env.DATA_DIR || './.data');
  const index = env.KNOWLEDGE_INDEX_URL?.trim() || join(dataDir, 'index');
  return {
    dataDir,
    mongodbUri: env.MONGODB_URI || null,
    redisUrl: env.REDIS_URL || null,
    indexFolder: index.includes('://') ? null : resolve(index),
  };
}

/**
 * Loads the configuration of a running platform, for commands. `npm start` writes missing addresses to its data
 * directory. Null: no platform runs here.
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

function socketsOf(dataDir: string): string | null {
  try {
    const { sockets } = JSON.parse(readFileSync(join(dataDir, 'run', 'instance.json'), 'utf8'));
    return typeof sockets === 'string' ? sockets : null;
  } catch {
    return null;
  }
}
