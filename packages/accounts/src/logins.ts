import { type Actor, type AuditLog, ChorusError, personalScope, type TokenAnswer } from '@chorus/contract';
import type { Database, UserRecord } from '@chorus/database';
import type { AccessTokens } from './access-tokens.ts';
import { presentUser } from './present-user.ts';
import { createRefreshTokens, type RefreshGrant } from './refresh-tokens.ts';
import { VersionedCache } from './versioned-cache.ts';
import type { Versions } from './versions.ts';

/** Logins: each is a family of refresh tokens, and the access tokens that came of it end with it. */
export interface Logins {
  open(user: UserRecord): Promise<TokenAnswer>;
  /** See `Accounts.refresh`. */
  refresh(token: string, actor: Actor): Promise<TokenAnswer>;
  /** The user's id and the login that an access token came from. Throws `token_expired`, or `unauthorized`. */
  verify(jwt: string): Promise<{ userId: string; loginId: string }>;
  /** Throws `unauthorized` unless the login is this user's and has not ended. */
  check(login: { userId: string; loginId: string }): Promise<void>;
  /** Ends a login in all processes within a second, or throws `store_unavailable`. */
  end(id: string): Promise<void>;
  /** The same for all of a user's but one. */
  endAll(userId: string, exceptId: string | null): Promise<void>;
}

export interface LoginParts {
  database: Pick<Database, 'users' | 'refreshTokens'>;
  accessTokens: AccessTokens;
  /** From which the tokens that follow a refresh token are derived. */
  secret: string;
  /** Lives of an access token and of a refresh token, in seconds. */
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
  /** Whose the logins are that have not ended. */
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
    if (whose !== userId) throw new ChorusError('unauthorized', 'This login has ended; log in again.');
  };

  return {
    check,
    open: async (user) => answer(await tokens.open(user.id), user),
    refresh: async (token, actor) => {
      const grant = await tokens.rotate(token, async ({ id, user_id }) => {
        const fact = { action: 'login.token_reused', target: { type: 'login', id } } as const;
        await audit.record({ ...actor, user_id: null }, { ...fact, scope_key: personalScope(user_id) });
        await versions.changed('logins');
      });
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
    end: async (id) => {
      await refreshTokens.revoke(id, new Date());
      await versions.changed('logins');
    },
    endAll: async (userId, exceptId) => {
      await refreshTokens.revokeOfUser(userId, new Date(), exceptId);
      await versions.changed('logins');
    },
  };
}
