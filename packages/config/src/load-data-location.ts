import { join, resolve } from 'node:path';

/** Where the platform's data is: what commands need that start nothing. */
export interface DataLocation {
  dataDir: string;
  /** Null where it is the built-in store under `dataDir`. */
  mongodbUri: string | null;
  /** Null where it is the built-in Redis under `dataDir`. */
  redisUrl: string | null;
  /** The folder of the search index; null where it is in a bucket. */
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
