import { ChorusError } from '@chorus/contract';
import type { UserRepository } from '@chorus/database';
import { generatePassword, hashPassword } from './passwords.ts';

export interface FirstUser {
  email: string;
  /** Only when the user was made just now. */
  password?: string;
  created: boolean;
}

const DEFAULT_EMAIL = 'admin@localhost';

/** Makes the first user if there is none. See `Accounts.ensureFirstUser`. */
export async function ensureFirstUser(
  users: UserRepository,
  wanted: { email: string | null; password: string | null },
): Promise<FirstUser> {
  const email = (wanted.email ?? DEFAULT_EMAIL).trim().toLowerCase();
  if ((await users.count()) === 0) {
    const password = wanted.password ?? generatePassword();
    try {
      await users.create({ email, password_hash: await hashPassword(password), operator: true, first: true });
      return { email, password, created: true };
    } catch (error) {
      // Another process was quicker.
      if (!(error instanceof ChorusError && error.code === 'conflict')) throw error;
    }
  }
  const first = await users.findFirst();
  return { email: first?.email ?? email, created: false };
}
