import { existsSync } from 'node:fs';
import type { Accounts } from '@chorus/accounts';
import { ChorusError } from '@chorus/contract';
import { type Config, ConfigError } from '@chorus/runtime/config';
import type { Stores } from './connected-accounts.ts';
import type { AdminContext } from './define-admin-command.ts';

/**
 * Runs a task on the accounts of the running platform, with the API's own functions and stores.
 * Its processes notice changes within a second. Returns the exit code and reports errors.
 */
export async function withAccounts(
  {
    running,
    dataDir,
    output,
  }: Pick<AdminContext, 'dataDir' | 'output'> & {
    running: () => Config | null | Promise<Config | null>;
  },
  act: (accounts: Accounts, stores: Stores) => Promise<void>,
): Promise<number> {
  const reportNotRunning = () => output.failed('store_unavailable', notRunning(dataDir));
  try {
    const config = await running();
    if (config === null || !socketExists(config)) return reportNotRunning();
    // Loaded on demand, so that errors without the stores appear at once.
    const { withConnectedAccounts: connected } = await import('./connected-accounts.ts');
    await connected(config, act);
    return 0;
  } catch (error) {
    if (error instanceof ConfigError) return output.failed('config_error', error.message);
    if (!(error instanceof ChorusError)) throw error;
    return error.code === 'store_unavailable' ? reportNotRunning() : output.failed(error.code, error.message);
  }
}

/** Returns whether a Unix socket exists, instead of waiting for it. */
export function socketExists({ mongodbUri }: Config): boolean {
  const host = /^mongodb:\/\/([^/,@]+)\//.exec(mongodbUri)?.[1];
  const path = host === undefined ? '' : decodeURIComponent(host);
  return !path.endsWith('.sock') || existsSync(path);
}

function notRunning(dataDir: string): string {
  return `The platform is not running with this data (${dataDir}): start it with npm start, or set MONGODB_URI and REDIS_URL.`;
}
