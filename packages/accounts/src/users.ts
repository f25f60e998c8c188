import {
  type Actor,
  type AuditAction,
  type AuditLog,
  ChorusError,
  type ListedUser,
  type ListQuery,
  type Page,
  personalScope,
  plainEmail,
  type User,
  type UserPatch,
} from '@chorus/contract';
import type { Database, UserRecord } from '@chorus/database';
import type { ApiKeys } from './api-keys.ts';
import type { Logins } from './logins.ts';
import { auditForOperators } from './operators-audit.ts';
import { checkNewPassword } from './passwords/check-new-password.ts';
import { hashPassword } from './passwords/hash-password.ts';
import { presentUser } from './present-user.ts';
import { VersionedCache } from './versioned-cache.ts';
import type { Versions } from './versions.ts';

export interface Users {
  /** @throws {ChorusError} conflict if the email address is taken */
  create(actor: Actor, user: { email: string; password: string; operator?: boolean }): Promise<UserRecord>;
  any(): Promise<boolean>;
  list(query: ListQuery): Promise<Page<ListedUser>>;
  /** @throws {ChorusError} not_found */
  findByEmail(email: string): Promise<UserRecord>;
  /** Returns the user (briefly cached), or null if unknown or disabled. */
  active(id: string): Promise<User | null>;
  /**
   * Sets the password and ends the user's logins.
   * @throws {ChorusError} not_found; invalid_request for a weak password
   */
  setPassword(actor: Actor, id: string, password: string, options?: PasswordOptions): Promise<void>;
  /**
   * Disables or enables a user. Passwords, tokens and keys of a disabled user are refused within a second. Enabling
   * restores keys and the password.
   */
  setDisabled(actor: Actor, id: string, disabled: boolean): Promise<void>;
  /** Disables a user permanently, to be erased. */
  leave(actor: Actor, id: string): Promise<void>;
  /** Disables, enables, or makes an operator of a user. @throws {ChorusError} not_found; conflict while it is erased */
  change(actor: Actor, id: string, patch: UserPatch): Promise<ListedUser>;
}

export interface PasswordOptions {
  /** Default: true. */
  endLogins?: boolean | undefined;
  exceptLogin?: string | null | undefined;
  /** Default: false. */
  revokeKeys?: boolean | undefined;
  path?: string | undefined;
}

export interface UserParts {
  users: Database['users'];
  logins: Pick<Logins, 'endAll'>;
  apiKeys: Pick<ApiKeys, 'revokeAll'>;
  versions: Versions;
  audit: AuditLog;
}

const CACHE = { limit: 10_000, ttlMs: 5_000 };

export function createUsers({ users, logins, apiKeys, versions, audit }: UserParts): Users {
  const known = new VersionedCache<User>(versions, 'users', CACHE);
  /** Records it in the user's log, and in that of the operator who did it. */
  const note = (actor: Actor, action: AuditAction, { id, email }: UserRecord) => {
    const readers = new Set([id, actor.user_id ?? id]);
    const fact = { action, target: { type: 'user', id }, details: { email } };
    return audit.record(actor, ...[...readers].map((reader) => ({ ...fact, scope_key: personalScope(reader) })));
  };
  const setDisabled: Users['setDisabled'] = async (actor, id, disabled) => {
    if (!disabled && existing(await users.findById(id)).leaving_at !== null)
      throw new ChorusError('conflict', 'This user has deleted their account, which is being erased.');
    const record = existing(await users.setDisabled(id, disabled ? new Date() : null));
    await note(actor, disabled ? 'user.disabled' : 'user.enabled', record);
    await versions.changed('users');
    if (disabled) await logins.endAll(id, null);
  };

  return {
    create: async (actor, { email, password, operator = false }) => {
      await checkNewPassword(password, plainEmail(email), 'password');
      const record = await users.create({ email, password_hash: await hashPassword(password), operator });
      await note(actor, 'user.created', record);
      return record;
    },
    any: () => users.hasAny(),
    list: async (query) => {
      const page = await users.list(query);
      return { ...page, data: page.data.map(presentListed) };
    },
    findByEmail: async (email) => existing(await users.findByEmail(plainEmail(email))),
    active: (id) =>
      known.get(id, async () => {
        const user = await users.findById(id);
        return user === null || user.disabled_at !== null ? null : presentUser(user);
      }),
    setPassword: async (actor, id, password, options = {}) => {
      const { endLogins = true, exceptLogin = null, revokeKeys = false, path = 'password' } = options;
      const { email } = existing(await users.findById(id));
      await checkNewPassword(password, email, path);
      const record = existing(await users.setPassword(id, await hashPassword(password)));
      await note(actor, 'password.changed', record);
      if (endLogins) await logins.endAll(id, exceptLogin);
      if (revokeKeys) await apiKeys.revokeAll(actor, id);
    },
    setDisabled,
    leave: async (actor, id) => {
      const { email } = existing(await users.leave(id));
      const target = { type: 'user', id };
      await auditForOperators({ users, audit }, actor, { action: 'user.left', target, details: { email } });
      await versions.changed('users');
      await logins.endAll(id, null);
    },
    change: async (actor, id, { disabled, operator }) => {
      const before = existing(await users.findById(id));
      if (operator !== undefined && operator !== before.operator) {
        const record = existing(await users.setOperator(id, operator));
        await note(actor, operator ? 'user.operator_granted' : 'user.operator_revoked', record);
        await versions.changed('users');
      }
      if (disabled !== undefined && disabled !== (before.disabled_at !== null)) await setDisabled(actor, id, disabled);
      return presentListed(existing(await users.findById(id)));
    },
  };
}

function presentListed(user: UserRecord): ListedUser {
  return { ...presentUser(user), disabled_at: user.disabled_at?.toISOString() ?? null };
}

function existing(record: UserRecord | null): UserRecord {
  if (record === null) throw new ChorusError('not_found', 'There is no such user.');
  return record;
}
