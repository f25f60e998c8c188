import { type ChorusClient, ChorusError, createClient, type Scope } from '@chorus/client';
import { UsageError } from '../command.ts';
import { cliLogin } from './cli-login.ts';
import type { ClientSettings } from './client-settings.ts';
import { readAccount } from './stored-account.ts';

/** Default address of `npm start`. */
const DEFAULT_URL = 'http://127.0.0.1:8080';

export interface ConnectOptions {
  url?: string | undefined;
  workspace?: string | undefined;
  agent?: string | undefined;
}

/** Returns the platform from the option, CHORUS_URL, or the stored login. */
export async function platformUrl(settings: ClientSettings, option: string | undefined): Promise<string> {
  const url = option ?? settings.url ?? (await readAccount(settings.folder))?.url ?? DEFAULT_URL;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`"${url}" is not an HTTP address.`);
  return url.replace(/\/+$/, '');
}

/**
 * Connects to the selected platform. Sends a stored login or key only to its own platform.
 *
 * @throws {ChorusError} logged_out
 */
export async function connect(settings: ClientSettings, options: ConnectOptions): Promise<ChorusClient> {
  const url = await platformUrl(settings, options.url);
  const common = { baseUrl: url, scope: scopeOf(options.workspace), agent: options.agent };
  if (settings.apiKey !== null) return createClient({ ...common, apiKey: settings.apiKey });
  const account = await readAccount(settings.folder);
  if (account === null || account.url !== url)
    throw new ChorusError('logged_out', `You are not logged in to ${url}: run chorus login, or set CHORUS_API_KEY.`, {
      status: 0,
    });
  if (account.apiKey !== undefined) {
    const scope = scopeOf(options.workspace ?? account.workspace);
    return createClient({ ...common, scope, apiKey: account.apiKey });
  }
  return createClient({ ...common, auth: cliLogin(settings.folder, url) });
}

export function scopeOf(workspace: string | undefined): Scope {
  return workspace === undefined ? { type: 'personal' } : { type: 'workspace', workspaceId: workspace };
}
