import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { programFile } from '../programs/built-programs.mjs';
import { root } from '../setup/project.mjs';

export interface Settings {
  dataDir: string;
  host: string;
  port: number;
  graceMs: number;
  redisUrl?: string;
  mongodbUri?: string;
  /** Whether all workers but the text worker share a process with the upkeep. */
  sharesProcess: boolean;
  /** Whether the user set the first login's password, which is then not shown. */
  hasAdminPassword: boolean;
}

/** An invalid setting. The message says how to fix it. */
export class SettingsError extends Error {}

/**
 * Reads the settings unchecked; `checkSettings` checks all.
 * @param folder base of a relative DATA_DIR
 */
export function readSettings(environment: NodeJS.ProcessEnv, folder: string): Settings {
  const { DATA_DIR, HOST, REDIS_URL, MONGODB_URI, ADMIN_PASSWORD, WORKER_PROCESSES } = environment;
  return {
    dataDir: resolve(folder, DATA_DIR || '.data'),
    host: HOST || '127.0.0.1',
    port: Number(environment.PORT || 8080),
    graceMs: Number(environment.SHUTDOWN_GRACE_MS || 8000),
    ...(REDIS_URL && { redisUrl: REDIS_URL }),
    ...(MONGODB_URI && { mongodbUri: MONGODB_URI }),
    sharesProcess: WORKER_PROCESSES !== 'separate',
    hasAdminPassword: Boolean(ADMIN_PASSWORD),
  };
}

const PROGRAM = programFile(root, 'packages/runtime/src/config/settings-main.ts');

export type ProcessVariables = Readonly<Record<string, readonly string[]>>;

/**
 * Checks all settings in a short-lived process before anything starts.
 * @param dataDir absolute
 * @throws {SettingsError} naming all problems
 */
export async function checkSettings(dataDir: string): Promise<ProcessVariables> {
  const env = { ...process.env, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env });
  const { problems, variables } = JSON.parse(stdout) as { problems: string[]; variables: ProcessVariables };
  if (problems.length === 0) return variables;
  const lines = problems.map((problem) => `  ${problem}.`);
  throw new SettingsError(["Chorus can't run with these settings:", ...lines].join('\n'));
}
