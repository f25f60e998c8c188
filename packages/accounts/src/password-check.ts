import { type Actor, type AuditLog, ChorusError, personalScope, plainEmail } from '@chorus/contract';
import type { Database, UserRecord } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';
import type { AdmittedLogin, LoginThrottle } from './login-throttle.ts';
import { verifyPassword } from './passwords/hash-password.ts';

export type RemoteActor = Actor & { address: string };

/**
 * Returns the user with this email address and password.
 * @throws {ChorusError} invalid_credentials, equally slow for a wrong password, an unknown and a disabled user;
 * rate_limited after repeated failures
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
  const findUser = async (email: string, password: string, attempt: AdmittedLogin) => {
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
    const email = plainEmail(spelled);
    const attempt = await throttle.admit(email, actor.address);
    const { user, good } = await findUser(email, password, attempt);
    if (user !== null && good) {
      await attempt.succeeded();
      return user;
    }
    log.info({ address: actor.address, request_id: actor.request_id }, 'login failed');
    if (user !== null) {
      const target = { type: 'user', id: user.id };
      // Not awaited, so that the response takes as long as for an unknown user.
      void audit.record(actor, { scope_key: personalScope(user.id), action: 'login.failed', target });
    }
    throw new ChorusError('invalid_credentials', 'Wrong email address or password.');
  };
}
