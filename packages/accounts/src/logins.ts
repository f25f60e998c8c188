import {
  type Actor,
  type AuditLog,
  bytesOfId,
  ChorusError,
  idOfBytes,
  type ListQuery,
  type LoginSession,
  type Page,
  personalScope,
  type TokenAnswer,
} from '@chorus/contract';
import type { Database, LoginDevice, RefreshFamilyRecord, UserRecord } from '@chorus/database';
import type { AccessTokens } from './access-tokens.ts';
import { presentUser } from './present-user.ts';
import { createRefreshTokens, type RefreshGrant } from './refresh-tokens.ts';
import { VersionedCache } from './versioned-cache.ts';
import type { Versions } from './versions.ts';

/** Logins. Each is a family of refresh tokens, and its access tokens end with it. */
export interface Logins {
  open(user: UserRecord, device: LoginDevice): Promise<TokenAnswer>;
  /** See `Accounts.refresh`. */
  refresh(token: string, actor: Actor, device: LoginDevice, newest: boolean): Promise<TokenAnswer>;
  /** Lists open logins, newest first. */
  list(userId: string, query: ListQuery, currentId: string | null): Promise<Page<LoginSession>>;
  /** Returns the owner and login of a refresh token, or null if the login is not open. */
  find(token: string): Promise<{ userId: string; loginId: string } | null>;
  /**
   * Returns the user and the login of an access token.
   * @throws {ChorusError} token_expired, unauthorized
   */
  verify(jwt: string): Promise<{ userId: string; loginId: string }>;
  /** @throws {ChorusError} unauthorized unless the login belongs to this user and is open */
  check(login: { userId: string; loginId: string }): Promise<void>;
  /**
   * Ends a login in all processes within a second. Returns false if it had ended or belongs to another user.
   * @throws {ChorusError} store_unavailable
   */
  end(userId: string, id: string): Promise<boolean>;
  /** Ends all logins of a user except one, and returns their number. */
  endAll(userId: string, exceptId: string | null): Promise<number>;
}

export interface LoginParts {
  database: Pick<Database, 'users' | 'refreshTokens'>;
  accessTokens: AccessTokens;
  /** Derives successor refresh tokens. */
  secret: string;
  accessTtlS: number;
  refreshTtlS: number;
  versions: Versions;
  audit: AuditLog;
}

const CACHE = { limit: 10_000, ttlMs: 5_000 };

export function createLogins(parts: LoginParts): Logins {
  const { accessTokens, versions, audit } = parts;
  const { users, refreshTokens } = parts.database;
  const tokens = createRefreshTokens(refreshTokens, { secret: parts.secret, ttlS: parts.refreshTtlS });
  /** Owners of open logins, by login id. */
  const open = new VersionedCache<string>(versions, 'logins', CACHE);

  const answer = async (grant: RefreshGrant, user: UserRecord): Promise<TokenAnswer> => ({
    access_token: await accessTokens.issue({
      userId: user.id,
      loginId: grant.familyId,
      id: grant.tokenId,
      issuedAt: grant.issuedAt,
    }),
    token_type: 'Bearer',
    expires_in: parts.accessTtlS,
    refresh_token: grant.token,
    user: presentUser(user),
  });

  const check: Logins['check'] = async ({ userId, loginId }) => {
    const whose = await open.get(loginId, async () => {
      const family = await refreshTokens.find(loginId);
      return family === null || family.revoked_at !== null ? null : family.user_id;
    });
    if (whose !== userId) throw new ChorusError('unauthorized', 'This login has ended. Log in again.');
  };

  return {
    check,
    open: async (user, device) => answer(await tokens.open(user.id, trimmed(device)), user),
    refresh: async (token, actor, device, newest) => {
      const onReuse = async ({ id, user_id }: RefreshFamilyRecord) => {
        const fact = { action: 'login.token_reused', target: { type: 'login', id } } as const;
        await audit.record({ ...actor, user_id: null }, { ...fact, scope_key: personalScope(user_id) });
        await versions.changed('logins');
      };
      const grant = await tokens.rotate(token, trimmed(device), { newest, onReuse });
      const user = await users.findById(grant.userId);
      if (user === null || user.disabled_at !== null)
        throw new ChorusError('unauthorized', 'This refresh token is not valid.');
      return answer(grant, user);
    },
    verify: async (jwt) => {
      const verified = await accessTokens.verify(jwt);
      await check(verified);
      return verified;
    },
    list: async (userId, query, currentId) => {
      const page = await refreshTokens.listOfUser(userId, query, new Date());
      return { ...page, data: page.data.map((family) => presentLogin(family, currentId)) };
    },
    find: async (token) => {
      const family = await tokens.find(token);
      return family === null ? null : { userId: family.user_id, loginId: family.id };
    },
    end: async (userId, id) => {
      const ended = await refreshTokens.revoke(id, new Date(), userId);
      // Published even if it had already ended, because an earlier call may have failed to.
      await versions.changed('logins');
      return ended;
    },
    endAll: async (userId, exceptId) => {
      const ended = await refreshTokens.revokeOfUser(userId, new Date(), exceptId);
      await versions.changed('logins');
      return ended.length;
    },
  };
}

/** Returns the public id (TypeID) of a token family. */
export function loginIdOf(familyId: string): string {
  return idOfBytes('login', Buffer.from(familyId, 'base64url'));
}

/** The inverse of `loginIdOf`. */
export function familyIdOf(loginId: string): string {
  return Buffer.from(bytesOfId(loginId)).toString('base64url');
}

const LONGEST_USER_AGENT = 300;

function trimmed({ address, user_agent }: LoginDevice): LoginDevice {
  return { address, user_agent: user_agent?.slice(0, LONGEST_USER_AGENT) ?? null };
}

function presentLogin(family: RefreshFamilyRecord, currentId: string | null): LoginSession {
  const { id, rotations, address = null, user_agent = null, created_at, expires_at } = family;
  return {
    id: loginIdOf(id),
    object: 'login',
    current: id === currentId,
    address,
    user_agent,
    created_at: created_at.toISOString(),
    last_used_at: (rotations.at(-1)?.at ?? created_at).toISOString(),
    expires_at: expires_at.toISOString(),
  };
}
