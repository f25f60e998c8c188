import { resolve } from 'node:path';

/** Where the platform's data is: what commands need that start nothing. `mongodbUri` is null where it is the built-in store under `dataDir`. */
export function loadDataLocation(env: NodeJS.ProcessEnv = process.env): { dataDir: string; mongodbUri: string | null } {
  return { dataDir: resolve(env.DATA_DIR || './.data'), mongodbUri: env.MONGODB_URI || null };
}
