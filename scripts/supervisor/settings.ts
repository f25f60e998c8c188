import { resolve } from 'node:path';

/** What of the environment the supervisor itself needs. */
export interface Settings {
  dataDir: string;
  host: string;
  port: number;
  /** How long workers and API may finish what they do, in milliseconds. */
  graceMs: number;
  redisUrl?: string;
  mongodbUri?: string;
  /** Whether the user chose the first login's password, so that it need not be shown. */
  hasAdminPassword: boolean;
}

/** A setting that the platform can't start with; its message says what to do. */
export class SettingsError extends Error {}

/**
 * Reads them without a check: that is done for all settings together.
 * @param folder what a relative DATA_DIR is relative to
 */
export function readSettings(environment: NodeJS.ProcessEnv, folder: string): Settings {
  const { DATA_DIR, HOST, REDIS_URL, MONGODB_URI, ADMIN_PASSWORD } = environment;
  return {
    dataDir: resolve(folder, DATA_DIR || '.data'),
    host: HOST || '127.0.0.1',
    port: Number(environment.PORT || 8080),
    graceMs: Number(environment.SHUTDOWN_GRACE_MS || 8000),
    ...(REDIS_URL && { redisUrl: REDIS_URL }),
    ...(MONGODB_URI && { mongodbUri: MONGODB_URI }),
    hasAdminPassword: Boolean(ADMIN_PASSWORD),
  };
}
