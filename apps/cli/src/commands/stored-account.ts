import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoginStore, StoredLogin } from '@chorus/client';

export interface Account {
  url: string;
  login?: StoredLogin | undefined;
  apiKey?: string | undefined;
  /** Workspace of a workspace key, used unless a command names another. */
  workspace?: string | undefined;
}

const fileOf = (folder: string) => join(folder, 'account.json');

export async function readAccount(folder: string): Promise<Account | null> {
  try {
    const account = JSON.parse(await readFile(fileOf(folder), 'utf8')) as Partial<Account>;
    return typeof account.url === 'string' ? (account as Account) : null;
  } catch {
    return null; // missing or unreadable
  }
}

/** Stores an account, readable only by the user; null deletes it. */
export async function writeAccount(folder: string, account: Account | null): Promise<void> {
  if (account === null) return rm(fileOf(folder), { force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Written atomically, because concurrent commands renew the same login.
  const next = `${fileOf(folder)}.${randomUUID()}`;
  await writeFile(next, `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 });
  await rename(next, fileOf(folder));
}

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
