import {
  type Actor,
  type AuditAction,
  type AuditLog,
  ChorusError,
  personalScope,
  type TotpEnrolment,
  type TotpState,
  type User,
} from '@chorus/contract';
import type { TotpRepository, UserRepository } from '@chorus/database';
import { generateSecret, generateURI, verifySync } from 'otplib';
import type { LoginThrottle } from '../login-throttle.ts';
import type { PasswordCheck, RemoteActor } from '../password-check.ts';
import { generateRecoveryCodes, hashRecoveryCode, plainCode } from './recovery-codes.ts';

type UserIdentity = Pick<User, 'id' | 'email'>;

/** TOTP second factors (RFC 6238) with recovery codes. */
export interface TotpFactors {
  isEnabled(userId: string): Promise<boolean>;
  state(userId: string): Promise<TotpState>;
  /**
   * Starts the setup; codes are required only after `confirm`.
   * @throws {ChorusError} as a login does for a wrong password; conflict if it is already on
   */
  begin(actor: RemoteActor, user: UserIdentity, password: string): Promise<TotpEnrolment>;
  /**
   * Turns it on and returns the recovery codes.
   * @throws {ChorusError} invalid_totp_code; not_found if no setup is open; rate_limited
   */
  confirm(actor: RemoteActor, user: UserIdentity, code: string): Promise<string[]>;
  /** Replaces the recovery codes. Throws like `disable`. */
  renewRecoveryCodes(actor: RemoteActor, user: UserIdentity, proof: TotpProof): Promise<string[]>;
  /** @throws {ChorusError} as a login does for a wrong password or code; not_found if it is not on */
  disable(actor: RemoteActor, user: UserIdentity, proof: TotpProof): Promise<void>;
  /**
   * Turns it off without a code, for operators.
   * @throws {ChorusError} not_found if the user has none or does not exist
   */
  reset(actor: Actor, userId: string): Promise<void>;
  /**
   * Consumes a TOTP code or a recovery code.
   * @throws {ChorusError} invalid_totp_code, rate_limited
   */
  check(user: UserIdentity, code: string, actor: RemoteActor): Promise<void>;
}

export interface TotpProof {
  password: string;
  code: string;
}

export interface TotpParts {
  factors: TotpRepository;
  users: Pick<UserRepository, 'findById'>;
  throttle: LoginThrottle;
  checkPassword: PasswordCheck;
  audit: AuditLog;
}

const ISSUER = 'Chorus';
const TOLERANCE_S = 30;
const ENROLMENT_TTL_MS = 15 * 60_000;

export function createTotpFactors(parts: TotpParts): TotpFactors {
  const { factors, users, throttle, checkPassword, audit } = parts;
  const note = (actor: Actor, action: AuditAction, userId: string, details = {}) =>
    audit.record(actor, { scope_key: personalScope(userId), action, target: { type: 'user', id: userId }, details });

  /** Returns the time step of a code, or null if the code is not valid now. */
  const stepOf = (secret: string, code: string): number | null => {
    if (!/^\d{6}$/.test(code)) return null;
    const found = verifySync({ secret, token: code, epochTolerance: TOLERANCE_S });
    return found.valid && 'timeStep' in found ? found.timeStep : null;
  };

  const useUp = async (userId: string, given: string, actor: RemoteActor): Promise<boolean> => {
    const factor = await factors.get(userId);
    if (factor === null || factor.confirmed_at === null) return false;
    const code = plainCode(given);
    const step = stepOf(factor.secret, code);
    if (step !== null) return factors.useStep(userId, step);
    if (!(await factors.useRecoveryCode(userId, hashRecoveryCode(code)))) return false;
    const left = factor.recovery_hashes.length - 1;
    await note({ ...actor, user_id: userId }, 'totp.recovery_code_used', userId, { left });
    return true;
  };

  /** Counts the attempt as a failure up front, as for passwords. */
  const attempt = async (user: UserIdentity, actor: RemoteActor, isGood: () => Promise<boolean>): Promise<void> => {
    const admitted = await throttle.admit(`code of ${user.id}`, actor.address);
    const good = await isGood().catch(async (error) => {
      await admitted.withdraw().catch(() => {});
      throw error;
    });
    if (good) return admitted.succeeded();
    await note(actor, 'login.failed', user.id, { wrong: 'code' });
    throw new ChorusError('invalid_totp_code', 'This code is wrong, has expired, or was already used.');
  };

  const check: TotpFactors['check'] = (user, code, actor) => attempt(user, actor, () => useUp(user.id, code, actor));

  const prove = async (actor: RemoteActor, user: UserIdentity, { password, code }: TotpProof): Promise<void> => {
    await checkPassword({ email: user.email, password }, actor);
    const factor = await factors.get(user.id);
    if (factor === null || factor.confirmed_at === null) throw notEnabled();
    await check(user, code, actor);
  };

  return {
    check,
    isEnabled: async (userId) => ((await factors.get(userId))?.confirmed_at ?? null) !== null,
    state: async (userId) => {
      const factor = await factors.get(userId);
      const enabledAt = factor?.confirmed_at ?? null;
      return {
        object: 'totp',
        enabled: enabledAt !== null,
        enabled_at: enabledAt?.toISOString() ?? null,
        recovery_codes_left: factor?.recovery_hashes.length ?? 0,
      };
    },
    begin: async (actor, user, password) => {
      await checkPassword({ email: user.email, password }, actor);
      const secret = generateSecret();
      const created_at = new Date();
      if (!(await factors.begin(user.id, { secret, created_at })))
        throw new ChorusError('conflict', 'Two-factor authentication is already on. Turn it off first.');
      return {
        object: 'totp.enrolment',
        secret,
        uri: generateURI({ issuer: ISSUER, label: user.email, secret }),
        expires_at: new Date(created_at.getTime() + ENROLMENT_TTL_MS).toISOString(),
      };
    },
    confirm: async (actor, user, code) => {
      const factor = await factors.get(user.id);
      const isOpen = factor !== null && factor.created_at.getTime() + ENROLMENT_TTL_MS > Date.now();
      if (factor === null || factor.confirmed_at !== null || !isOpen)
        throw new ChorusError('not_found', 'No two-factor setup is open. Start again.');
      const codes = generateRecoveryCodes();
      await attempt(user, actor, async () => {
        const last_step = stepOf(factor.secret, plainCode(code));
        if (last_step === null) return false;
        const recovery_hashes = codes.map(hashRecoveryCode);
        return factors.confirm(user.id, factor.created_at, { at: new Date(), last_step, recovery_hashes });
      });
      await note(actor, 'totp.enabled', user.id);
      return codes;
    },
    renewRecoveryCodes: async (actor, user, proof) => {
      await prove(actor, user, proof);
      const codes = generateRecoveryCodes();
      if (!(await factors.setRecoveryCodes(user.id, codes.map(hashRecoveryCode)))) throw notEnabled();
      await note(actor, 'totp.recovery_codes_renewed', user.id);
      return codes;
    },
    disable: async (actor, user, proof) => {
      await prove(actor, user, proof);
      await factors.remove(user.id);
      await note(actor, 'totp.disabled', user.id);
    },
    reset: async (actor, userId) => {
      if ((await users.findById(userId)) === null) throw new ChorusError('not_found', 'There is no such user.');
      if (!(await factors.remove(userId))) throw notEnabled();
      await note(actor, 'totp.reset', userId);
    },
  };
}

function notEnabled(): ChorusError {
  return new ChorusError('not_found', 'Two-factor authentication is off.');
}
