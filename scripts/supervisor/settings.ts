import { resolve } from 'node:path';

/** What of the environment the supervisor itself needs; all of it goes to the processes too. */
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
 * @param folder what a relative DATA_DIR is relative to
 * @throws {SettingsError} that names the variable, never its value
 */
export function readSettings(environment: NodeJS.ProcessEnv, folder: string): Settings {
  const { DATA_DIR, HOST, REDIS_URL, MONGODB_URI, ADMIN_PASSWORD } = environment;
  return {
    dataDir: resolve(folder, DATA_DIR || '.data'),
    host: HOST || '127.0.0.1',
    port: wholeNumber(environment, 'PORT', 8080, 65_535),
    graceMs: wholeNumber(environment, 'SHUTDOWN_GRACE_MS', 8000, 3_600_000),
    ...(REDIS_URL && { redisUrl: REDIS_URL }),
    ...(MONGODB_URI && { mongodbUri: MONGODB_URI }),
    hasAdminPassword: Boolean(ADMIN_PASSWORD),
  };
}

function wholeNumber(environment: NodeJS.ProcessEnv, name: string, standard: number, max: number): number {
  const text = environment[name];
  if (!text) return standard;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max) throw new SettingsError(`${name} must be a whole number from 0 to ${max}.`);
  return value;
}
