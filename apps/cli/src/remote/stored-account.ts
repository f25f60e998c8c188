import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoginStore, StoredLogin } from '@chorus/client';

/** A platform, and the login or API key for it. */
export interface Account {
  url: string;
  login?: StoredLogin | undefined;
  apiKey?: string | undefined;
  /** The workspace that such a key is bound to: the scope where a command names none. */
  workspace?: string | undefined;
}

const fileOf = (folder: string) => join(folder, 'account.json');

/** The account that `login` has left; null: there is none. */
export async function readAccount(folder: string): Promise<Account | null> {
  try {
    const account = JSON.parse(await readFile(fileOf(folder), 'utf8')) as Partial<Account>;
    return typeof account.url === 'string' ? (account as Account) : null;
  } catch {
    return null; // there is none, or nothing that can be read
  }
}

/** Keeps an account for the user's eyes alone; null ends it. */
export async function writeAccount(folder: string, account: Account | null): Promise<void> {
  if (account === null) return rm(fileOf(folder), { force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Commands side by side renew the same login: none reads half of what another one writes.
  const next = `${fileOf(folder)}.${randomUUID()}`;
  await writeFile(next, `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 });
  await rename(next, fileOf(folder));
}

/** Where the login for one platform is kept. */
export function loginStore(folder: string, url: string): LoginStore {
  return {
    async load() {
      const account = await readAccount(folder);
      return account?.url === url ? (account.login ?? null) : null;
    },
    async save(login: StoredLogin | null) {
      await writeAccount(folder, login === null ? null : { url, login });
    },
  };
}
