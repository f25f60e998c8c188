import { type AccountDeletionPlan, ChorusError, type User } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { SingleSignOn } from './oidc/single-sign-on.ts';
import type { PasswordCheck, RemoteActor } from './password-check.ts';
import type { TotpFactors } from './totp/totp-factors.ts';
import type { Users } from './users.ts';

/** Proof of the user's identity: the password, or a ticket from the identity provider. */
export type LeaveProof = { code?: string | undefined } & (
  | { password: string; ticket?: undefined }
  | { password?: undefined; ticket: string /** Secret of the browser that got the ticket. */; browser: string | null }
);

interface Parts {
  database: Pick<Database, 'erasure' | 'users'>;
  users: Pick<Users, 'leave'>;
  totp: Pick<TotpFactors, 'isEnabled' | 'check'>;
  checkPassword: PasswordCheck;
  singleSignOn: SingleSignOn | null;
  passwordLogin: boolean;
}

/** Deletion of accounts by their users. */
export function createLeaving({ database, users, totp, checkPassword, singleSignOn, passwordLogin }: Parts) {
  const plan = async ({ id, operator }: User): Promise<AccountDeletionPlan> => {
    const [erased_workspaces, blocking_workspaces, hasOther, needs_code, isLinked] = await Promise.all([
      database.erasure.findLeftEmpty(id),
      database.erasure.findSoleOwned(id),
      database.users.hasOtherOperator(id),
      totp.isEnabled(id),
      singleSignOn?.isLinked(id),
    ]);
    return {
      object: 'account_deletion',
      password: passwordLogin,
      identity_provider: singleSignOn && isLinked ? singleSignOn.name : null,
      needs_code,
      erased_workspaces,
      blocking_workspaces,
      only_operator: operator && !hasOther,
    };
  };

  return {
    /** Returns what deleting the account would do. */
    plan,
    /**
     * Disables the user's account permanently. Maintenance erases it.
     * @throws {ChorusError} as a login does for a wrong password or code; sso_failed for a wrong ticket;
     * invalid_request without a required code; conflict for the only operator, or the only owner of a workspace with
     * other members
     */
    async leave(user: User, proof: LeaveProof, actor: RemoteActor): Promise<void> {
      const planned = await plan(user);
      checkMayLeave(planned);
      const { code } = proof;
      if (planned.needs_code && code === undefined) throw missingCode();
      if (proof.password !== undefined) await checkPassword({ email: user.email, password: proof.password }, actor);
      if (code !== undefined && planned.needs_code) await totp.check(user, code, actor);
      // Last, since a ticket works once.
      if (proof.ticket !== undefined) {
        if (singleSignOn === null) throw new ChorusError('sso_failed', 'Single sign-on is off. Send your password.');
        await singleSignOn.confirm(proof.ticket, proof.browser, user.id);
      }
      await database.erasure.giveUpOwnerships(user.id);
      // Another owner or operator may have left meanwhile.
      checkMayLeave(await plan(user));
      await users.leave(actor, user.id);
    },
  };
}

/** @throws {ChorusError} conflict */
function checkMayLeave({ blocking_workspaces: blocking, only_operator }: AccountDeletionPlan): void {
  if (only_operator)
    throw new ChorusError('conflict', 'You are the only operator. Make another user an operator first.');
  if (blocking.length === 0) return;
  const names = blocking.map(({ name }) => `“${name}”`).join(', ');
  throw new ChorusError(
    'conflict',
    `You are the only owner of ${names}. Make another member an owner, or delete the workspace first.`,
  );
}

function missingCode(): ChorusError {
  const message = 'is required with two-factor authentication';
  return new ChorusError('invalid_request', `body.code: ${message}`, { details: [{ path: 'body.code', message }] });
}
