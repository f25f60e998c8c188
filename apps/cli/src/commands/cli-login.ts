import { hostname } from 'node:os';
import { createLogin, type Login } from '@chorus/client';
import { loginStore } from './stored-account.ts';

const USER_AGENT = `chorus-cli (${hostname().replace(/[^\x20-\x7e]/g, '?')})`;

/** Returns the stored login for a platform. */
export function cliLogin(folder: string, url: string): Login {
  return createLogin({ baseUrl: url, store: loginStore(folder, url), fetch: fetchAsCli });
}

const fetchAsCli: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), 'User-Agent': USER_AGENT } });
