import { type Actor, type AuditLog, ChorusError, personalScope } from '@chorus/contract';
import type { Database, UserRecord } from '@chorus/database';
import type { Logger } from '@chorus/log';
import type { AdmittedLogin, LoginThrottle } from './login-throttle.ts';
import { verifyPassword } from './passwords/hash-password.ts';

/** Who asks over the network. */
export type RemoteActor = Actor & { address: string };

/**
 * The user with this e-mail address and password. Throws `invalid_credentials`, the same and as slowly for a wrong password, an unknown and a
 * disabled user; after repeated failures `rate_limited` with the seconds to wait.
 */
export type PasswordCheck = (
  credentials: { email: string; password: string },
  actor: RemoteActor,
) => Promise<UserRecord>;

export interface PasswordCheckParts {
  users: Database['users'];
  throttle: LoginThrottle;
  audit: AuditLog;
  log: Logger;
}

export function createPasswordCheck({ users, throttle, audit, log }: PasswordCheckParts): PasswordCheck {
  const look = async (email: string, password: string, attempt: AdmittedLogin) => {
    try {
      const user = await users.findByEmail(email);
      const matches = await verifyPassword(user?.password_hash ?? null, password);
      return { user, good: user !== null && matches && user.disabled_at === null };
    } catch (error) {
      await attempt.withdraw().catch(() => {});
      throw error;
    }
  };

  return async ({ email: spelled, password }, actor) => {
    const email = spelled.trim().toLowerCase();
    const attempt = await throttle.admit(email, actor.address);
    const { user, good } = await look(email, password, attempt);
    if (user !== null && good) {
      await attempt.succeeded();
      return user;
    }
    log.info({ address: actor.address, request_id: actor.request_id }, 'login failed');
    if (user !== null) {
      const target = { type: 'user', id: user.id };
      // Not waited for: the answer must come as soon as that for an unknown user.
      void audit.record(actor, { scope_key: personalScope(user.id), action: 'login.failed', target });
    }
    throw new ChorusError('invalid_credentials', 'The e-mail or the password is wrong.');
  };
}
