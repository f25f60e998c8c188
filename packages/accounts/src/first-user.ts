import { ChorusError, plainEmail } from '@chorus/contract';
import type { UserRepository } from '@chorus/database';
import { checkNewPassword } from './passwords/check-new-password.ts';
import { generatePassword, hashPassword } from './passwords/hash-password.ts';

export interface FirstUser {
  email: string;
  /** Present only when this call created the user. */
  password?: string;
  created: boolean;
}

const DEFAULT_EMAIL = 'admin@localhost';

/**
 * Creates the first user if there are none; see `Accounts.ensureFirstUser`. Repeated calls offer the same
 * password, so a password stored by a lost request is still returned.
 */
export function createFirstUserMaker(users: UserRepository) {
  let offered: { password: string; hash: string } | null = null;
  return async (wanted: { email: string | null; password: string | null }): Promise<FirstUser> => {
    const email = plainEmail(wanted.email ?? DEFAULT_EMAIL);
    if (!(await users.hasAny())) {
      // Not checked earlier, since the setting does not affect existing users.
      if (wanted.password !== null) await checkNewPassword(wanted.password, email, 'ADMIN_PASSWORD');
      const password = offered?.password ?? wanted.password ?? generatePassword();
      offered ??= { password, hash: await hashPassword(password) };
      try {
        await users.create({ email, password_hash: offered.hash, operator: true, first: true });
      } catch (error) {
        // Created by another process, or by an earlier call.
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
