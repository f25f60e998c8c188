import { randomBytes } from 'node:crypto';
import { ChorusError, type TokenAnswer, type User } from '@chorus/contract';
import type { Database, UserRecord } from '@chorus/database';
import type { Logger } from '@chorus/log';
import { createAccessTokens } from './access-tokens.ts';
import { ExpiringCache } from './expiring-cache.ts';
import { type FirstUser, firstUserMaker } from './first-user.ts';
import { loadKeySet } from './key-set.ts';
import { type AdmittedLogin, createLoginThrottle, type RedisConnection } from './login-throttle.ts';
import { verifyPassword } from './passwords.ts';
import { createRefreshTokens, type RefreshGrant } from './refresh-tokens.ts';
import { createScopes, type ResolvedScope, type ScopeRequest } from './scopes.ts';

export interface AccountsConfig {
  /** Life of an access token, in seconds. */
  accessTokenTtlS: number;
  /** Life of a refresh token since its family was last used, in seconds. */
  refreshTokenTtlS: number;
}

export interface AccountsParts {
  database: Pick<Database, 'users' | 'workspaces' | 'refreshTokens' | 'signingKeys' | 'secrets'>;
  redis: RedisConnection;
  log: Logger;
  config: AccountsConfig;
}

/** Who is asking, and what they may do: the rules that API, command line and sockets share. */
export interface Accounts {
  /**
   * Makes the first user, an operator, if there is no user at all; of several processes one does. Without an e-mail it is
   * `admin@localhost`, without a password one is generated; the answer has the password only when it was made just now.
   */
  ensureFirstUser(wanted: { email: string | null; password: string | null }): Promise<FirstUser>;
  /**
   * Throws `invalid_credentials`, the same and as slowly for a wrong password, an unknown and a disabled user; after repeated failures
   * `rate_limited` with the seconds to wait. `address` is the client's IP address.
   */
  login(credentials: { email: string; password: string }, from: { address: string }): Promise<TokenAnswer>;
  /**
   * Uses a refresh token, once. A retry within 10 s gets the same answer; a later one throws `refresh_token_reused` and ends all that
   * came of the same login. Throws `unauthorized` for an unknown or expired one.
   */
  refresh(token: string): Promise<TokenAnswer>;
  /** Throws `token_expired`, or `unauthorized`. A user disabled since is noticed within 5 s. */
  verifyAccessToken(jwt: string): Promise<{ user: User }>;
  /**
   * The owner that requests with these headers act as, and their role. Throws `invalid_scope` (422) for missing or contradictory
   * headers, `workspace_forbidden` (403) for a workspace that is unknown or not theirs. A role taken away is noticed within 2 s.
   */
  resolveScope(request: ScopeRequest): Promise<ResolvedScope>;
}

const CACHED_USERS = 10_000;
const USER_CACHE_MS = 5_000;

export async function createAccounts({ database, redis, log, config }: AccountsParts): Promise<Accounts> {
  const { users } = database;
  const [keys, secret] = await Promise.all([
    loadKeySet(database.signingKeys),
    database.secrets.getOrCreate('refresh_tokens', randomBytes(32).toString('base64url')),
  ]);
  const accessTokens = createAccessTokens(keys, config.accessTokenTtlS);
  const refreshTokens = createRefreshTokens(database.refreshTokens, { secret, ttlS: config.refreshTokenTtlS });
  const throttle = createLoginThrottle(redis);
  const knownUsers = new ExpiringCache<Promise<User | null>>(CACHED_USERS);

  const answer = async (grant: RefreshGrant, user: UserRecord): Promise<TokenAnswer> => ({
    access_token: await accessTokens.issue({ userId: user.id, id: grant.tokenId, issuedAt: grant.issuedAt }),
    token_type: 'Bearer',
    expires_in: config.accessTokenTtlS,
    refresh_token: grant.token,
    user: publicUser(user),
  });

  /** The user as of at most 5 s ago; requests at the same moment share one look. */
  const activeUser = async (id: string): Promise<User | null> => {
    const cached = knownUsers.get(id);
    if (cached !== undefined) return cached;
    const looking = users.findById(id).then((user) => (user === null || user.disabled_at ? null : publicUser(user)));
    knownUsers.set(id, looking, Date.now() + USER_CACHE_MS);
    try {
      return await looking;
    } catch (error) {
      knownUsers.delete(id);
      throw error;
    }
  };

  const checkPassword = async (email: string, password: string, attempt: AdmittedLogin): Promise<UserRecord | null> => {
    try {
      const user = await users.findByEmail(email);
      const matches = await verifyPassword(user?.password_hash ?? null, password);
      return user !== null && matches && user.disabled_at === null ? user : null;
    } catch (error) {
      await attempt.withdraw().catch(() => {});
      throw error;
    }
  };

  return {
    ensureFirstUser: firstUserMaker(users),
    login: async ({ email: spelled, password }, { address }) => {
      const email = spelled.trim().toLowerCase();
      const attempt = await throttle.admit(email, address);
      const user = await checkPassword(email, password, attempt);
      if (user === null) {
        log.info({ address }, 'login failed');
        throw new ChorusError('invalid_credentials', 'The e-mail or the password is wrong.');
      }
      const [grant] = await Promise.all([refreshTokens.open(user.id), attempt.succeeded()]);
      return answer(grant, user);
    },
    refresh: async (token) => {
      const grant = await refreshTokens.rotate(token);
      const user = await users.findById(grant.userId);
      if (user === null || user.disabled_at !== null)
        throw new ChorusError('unauthorized', 'This refresh token is not valid.');
      return answer(grant, user);
    },
    verifyAccessToken: async (jwt) => {
      const user = await activeUser(await accessTokens.verify(jwt));
      if (user === null) throw new ChorusError('unauthorized', 'This access token is not valid.');
      return { user };
    },
    resolveScope: createScopes(database.workspaces),
  };
}

function publicUser({ id, email, operator, created_at }: UserRecord): User {
  return { id, object: 'user', email, operator, created_at: created_at.toISOString() };
}
