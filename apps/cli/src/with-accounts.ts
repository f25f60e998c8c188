import { existsSync } from 'node:fs';
import type { Accounts } from '@chorus/accounts';
import { type Config, ConfigError } from '@chorus/config';
import { type Actor, ChorusError } from '@chorus/contract';
import type { Stores } from './connected-accounts.ts';
import type { OwnSurroundings } from './own-command.ts';

/** Who does what commands do, in the audit log. */
export const COMMAND: Actor = { user_id: null, key_id: null, address: null, request_id: null };

/**
 * Runs something on the accounts of the running platform: the same functions as the API's, on the same stores, so that its processes notice
 * within a second. Answers the exit code; says plainly when nothing runs, and what an error means.
 */
export async function withAccounts(
  {
    running,
    dataDir,
    output,
  }: Pick<OwnSurroundings, 'dataDir' | 'output'> & {
    running: () => Config | null | Promise<Config | null>;
  },
  act: (accounts: Accounts, stores: Stores) => Promise<void>,
): Promise<number> {
  const isAway = () => output.failed('store_unavailable', notRunning(dataDir));
  try {
    const config = await running();
    if (config === null || !socketExists(config)) return isAway();
    // Loaded only here: what a command says without the stores should come at once.
    const { connected } = await import('./connected-accounts.ts');
    await connected(config, act);
    return 0;
  } catch (error) {
    if (error instanceof ConfigError) return output.failed('config_error', error.message);
    if (!(error instanceof ChorusError)) throw error;
    return error.code === 'store_unavailable' ? isAway() : output.failed(error.code, error.message);
  }
}

/** A socket that is not there is not waited for. */
export function socketExists({ mongodbUri }: Config): boolean {
  const host = /^mongodb:\/\/([^/,@]+)\//.exec(mongodbUri)?.[1];
  const path = host === undefined ? '' : decodeURIComponent(host);
  return !path.endsWith('.sock') || existsSync(path);
}

function notRunning(dataDir: string): string {
  return `The platform does not run with this data (${dataDir}): start it with npm start, or set MONGODB_URI and REDIS_URL.`;
}
