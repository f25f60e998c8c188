import {
  type Actor,
  type AuditAction,
  type AuditLog,
  ChorusError,
  type ListedUser,
  type ListQuery,
  type Page,
  personalScope,
  type User,
} from '@chorus/contract';
import type { Database, UserRecord } from '@chorus/database';
import type { Logins } from './logins.ts';
import { hashPassword } from './passwords.ts';
import { presentUser } from './present-user.ts';
import { VersionedCache } from './versioned-cache.ts';
import type { Versions } from './versions.ts';

export interface Users {
  /** Throws `conflict` when the e-mail address is taken. */
  create(actor: Actor, user: { email: string; password: string; operator?: boolean }): Promise<UserRecord>;
  list(query: ListQuery): Promise<Page<ListedUser>>;
  /** Throws `not_found`. */
  findByEmail(email: string): Promise<UserRecord>;
  /** The user as of a moment ago; null: unknown or disabled. */
  active(id: string): Promise<User | null>;
  /** Sets the password and ends all logins but this one. API keys stay. */
  setPassword(actor: Actor, id: string, password: string, exceptLogin?: string | null): Promise<void>;
  /** A disabled user's passwords, tokens and API keys are refused within a second; enabling brings back the keys and the password. */
  setDisabled(actor: Actor, id: string, disabled: boolean): Promise<void>;
}

export interface UserParts {
  users: Database['users'];
  logins: Pick<Logins, 'endAll'>;
  versions: Versions;
  audit: AuditLog;
}

const CACHE = { limit: 10_000, ttlMs: 5_000 };

export function createUsers({ users, logins, versions, audit }: UserParts): Users {
  const known = new VersionedCache<User>(versions, 'users', CACHE);
  const note = (actor: Actor, action: AuditAction, { id, email }: UserRecord) =>
    audit.record(actor, { scope_key: personalScope(id), action, target: { type: 'user', id }, details: { email } });

  return {
    create: async (actor, { email, password, operator = false }) => {
      const record = await users.create({ email, password_hash: await hashPassword(password), operator });
      await note(actor, 'user.created', record);
      return record;
    },
    list: async (query) => {
      const page = await users.list(query);
      const data = page.data.map((user) => ({
        ...presentUser(user),
        disabled_at: user.disabled_at?.toISOString() ?? null,
      }));
      return { ...page, data };
    },
    findByEmail: async (email) => existing(await users.findByEmail(email.trim().toLowerCase())),
    active: (id) =>
      known.get(id, async () => {
        const user = await users.findById(id);
        return user === null || user.disabled_at !== null ? null : presentUser(user);
      }),
    setPassword: async (actor, id, password, exceptLogin = null) => {
      const record = existing(await users.setPassword(id, await hashPassword(password)));
      await note(actor, 'password.changed', record);
      await logins.endAll(id, exceptLogin);
    },
    setDisabled: async (actor, id, disabled) => {
      const record = existing(await users.setDisabled(id, disabled ? new Date() : null));
      await note(actor, disabled ? 'user.disabled' : 'user.enabled', record);
      await versions.changed('users');
      if (disabled) await logins.endAll(id, null);
    },
  };
}

function existing(record: UserRecord | null): UserRecord {
  if (record === null) throw new ChorusError('not_found', 'There is no such user.');
  return record;
}
