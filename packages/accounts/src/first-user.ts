import { ChorusError } from '@chorus/contract';
import type { UserRepository } from '@chorus/database';
import { checkNewPassword } from './passwords/check-new-password.ts';
import { generatePassword, hashPassword } from './passwords/hash-password.ts';

export interface FirstUser {
  email: string;
  /** Only when the user was created just now. */
  password?: string;
  created: boolean;
}

const DEFAULT_EMAIL = 'admin@localhost';

/**
 * Makes the first user if there is none. See `Accounts.ensureFirstUser`. A call that is repeated, since the store went away, offers the same
 * password, so that one that was stored without an answer is still told.
 */
export function firstUserMaker(users: UserRepository) {
  let offered: { password: string; hash: string } | null = null;
  return async (wanted: { email: string | null; password: string | null }): Promise<FirstUser> => {
    const email = (wanted.email ?? DEFAULT_EMAIL).trim().toLowerCase();
    if (!(await users.any())) {
      // Only here: a user who exists keeps the password, whatever the setting says.
      if (wanted.password !== null) await checkNewPassword(wanted.password, email, 'ADMIN_PASSWORD');
      const password = offered?.password ?? wanted.password ?? generatePassword();
      offered ??= { password, hash: await hashPassword(password) };
      try {
        await users.create({ email, password_hash: offered.hash, operator: true, first: true });
      } catch (error) {
        // Another process was quicker, or an earlier call of ours.
        if (!(error instanceof ChorusError && error.code === 'conflict')) throw error;
      }
    }
    const first = await users.findFirst();
    const made = offered;
    offered = null;
    return made !== null && first?.password_hash === made.hash
      ? { email, password: made.password, created: true }
      : { email: first?.email ?? email, created: false };
  };
}
