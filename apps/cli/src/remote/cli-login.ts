import { hostname } from 'node:os';
import { createLogin, type Login } from '@chorus/client';
import { loginStore } from './stored-account.ts';

/** How the list of logins names this one. */
const USER_AGENT = `chorus-cli (${hostname().replace(/[^\x20-\x7e]/g, '?')})`;

/** The login to a platform that is stored in a folder. */
export function cliLogin(folder: string, url: string): Login {
  return createLogin({ baseUrl: url, store: loginStore(folder, url), fetch: fetchAsCli });
}

const fetchAsCli: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), 'User-Agent': USER_AGENT } });
