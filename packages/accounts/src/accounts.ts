import { randomBytes } from 'node:crypto';
import {
  type Actor,
  type AuditEntry,
  type AuditLog,
  type AuditQuery,
  ChorusError,
  type ListQuery,
  type LoginSession,
  type Page,
  personalScope,
  type Role,
  type TokenAnswer,
  type User,
} from '@chorus/contract';
import type { Database, LoginDevice, UserRecord } from '@chorus/database';
import type { RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/log';
import { createAccessTokens } from './access-tokens.ts';
import { API_KEY_PREFIX } from './api-key-secrets.ts';
import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { createAuditLog } from './audit-log.ts';
import type { Credential } from './credential.ts';
import { type FirstUser, firstUserMaker } from './first-user.ts';
import { createInvitations, type Invitations, type InviteNewUsers } from './invitations.ts';
import { type KeySetOptions, loadKeySet } from './key-set.ts';
import { KeyUse } from './key-use.ts';
import { createLoginChallenges, digestOf, totpRequired, unknownChallenge } from './login-challenges.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { createLogins, familyIdOf, loginIdOf } from './logins.ts';
import { createOperatorSessions, type OperatorSessions } from './operator-sessions.ts';
import { auditForOperators } from './operators-audit.ts';
import { createPasswordCheck, type RemoteActor } from './password-check.ts';
import { checkNewPassword } from './passwords/check-new-password.ts';
import { createScopes, type ResolvedScope, type ScopeRequest } from './scopes.ts';
import { type CredentialIds, createTickets, type Tickets } from './tickets.ts';
import { createTotpFactors, type TotpFactors } from './totp/totp-factors.ts';
import { createUsers, type Users } from './users.ts';
import { createVersions } from './versions.ts';
import { createWorkspaces, type Workspaces } from './workspaces.ts';

export interface AccountsConfig {
  /** Life of an access token, in seconds. */
  accessTokenTtlS: number;
  /** Life of a refresh token since its family was last used, in seconds. */
  refreshTokenTtlS: number;
  /** How long an entry of the audit log is kept. */
  auditKeepMs: number;
  /** Who may invite people that have no account yet. */
  inviteNewUsers: InviteNewUsers;
  /** When signing keys change; the defaults unless a test says otherwise. */
  signingKeys?: Omit<KeySetOptions, 'tokenTtlMs'>;
}

export interface AccountsParts {
  database: Pick<
    Database,
    'users' | 'workspaces' | 'refreshTokens' | 'totp' | 'signingKeys' | 'secrets' | 'apiKeys' | 'invitations' | 'audit'
  >;
  redis: RedisConnection;
  log: Logger;
  config: AccountsConfig;
}

/** Someone who is not logged in: their IP address, and the program that asks for them. */
export interface Stranger {
  address: string;
  user_agent?: string | null;
  request_id?: string | null;
}

export interface LoginCredentials {
  email: string;
  password: string;
  totp_code?: string | undefined;
}

export interface ChangedPassword {
  current: string;
  next: string;
  /** Ends all other logins of the user. */
  endLogins: boolean;
  revokeKeys: boolean;
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
   * `rate_limited` with the seconds to wait. Where the account has a second factor and no code comes, throws `totp_required` with a `challenge` for
   * `loginByCode`; `invalid_totp_code` for a wrong one.
   */
  login(credentials: LoginCredentials, from: Stranger): Promise<TokenAnswer>;
  /** The second step of a login. Throws `unauthorized` for a challenge that has expired, `invalid_totp_code`, `rate_limited`. */
  loginByCode(answer: { challenge: string; code: string }, from: Stranger): Promise<TokenAnswer>;
  /**
   * Uses a refresh token, once. A retry within 10 s gets the same answer; a later one throws `refresh_token_reused` and ends all that
   * came of the same login. Throws `unauthorized` for an unknown or expired one.
   *
   * @param newest such a retry gets the newest tokens of its login: for a cookie that several tabs share
   */
  refresh(token: string, from?: Stranger, newest?: boolean): Promise<TokenAnswer>;
  /** Accepts an invitation by creating an account, and logs in. Throws like `Invitations.signUp`. */
  acceptInvitation(accepted: { token: string; password: string }, from: Stranger): Promise<TokenAnswer>;
  /**
   * What an access token or an API key stands for. Throws `token_expired`, or `unauthorized`. A user disabled, a login ended and a key revoked
   * through these functions are noticed in every process within a second.
   */
  verify(bearer: string): Promise<Credential>;
  /** The same where only an API key may stand. */
  verifyApiKey(key: string): Promise<Credential>;
  /**
   * A credential that was verified before, as it is now: for what lasts longer than an access token does. Throws `unauthorized` when its login has
   * ended, its key was revoked or its user disabled.
   */
  standing(credential: Credential): Promise<Credential>;
  /** Ends the login that this credential is of, with all its tokens. */
  logout(credential: Credential, actor: Actor): Promise<void>;
  /** The same by a refresh token, also one that was used. Nothing happens when its login has ended. */
  logoutByToken(refreshToken: string, actor: Actor): Promise<void>;
  /** The logins of the credential's user. */
  listLogins(credential: Credential, query: ListQuery): Promise<Page<LoginSession>>;
  /** Ends one of them. Throws `not_found`. */
  endLogin(credential: Credential, actor: Actor, loginId: string): Promise<void>;
  /** Ends all of them but the credential's own. Returns how many there were. */
  endOtherLogins(credential: Credential, actor: Actor): Promise<number>;
  /** Throws like `login` for a wrong current password, `invalid_request` for a new one that is easy to guess. */
  changePassword(credential: Credential, change: ChangedPassword, actor: RemoteActor): Promise<User>;
  /**
   * The owner that requests with these headers act as, and their role. Throws `invalid_scope` (422) for missing or contradictory
   * headers, `workspace_forbidden` (403) for a workspace that is unknown or not theirs, `forbidden` where an API key may not go. A role taken
   * away is noticed within a second.
   */
  resolveScope(request: ScopeRequest): Promise<ResolvedScope>;
  /** The user's role; null when there is no such workspace or the user is no member. */
  roleIn(workspaceId: string, userId: string): Promise<Role | null>;
  /** Makes a new signing key; nobody is logged out. Keys follow each other by themselves, too. Returns its id. */
  rotateSigningKey(actor: Actor): Promise<string>;
  /**
   * Replaces all signing keys at once: every access token and operator's session that exists is refused within a second, logins stay and get new tokens. Returns the new key's id. Throws
   * `store_unavailable`; can be repeated.
   */
  revokeSigningKeys(actor: Actor): Promise<string>;
  /** Notes that the secrets in the store are encrypted with a new key. */
  noteSecretKey(actor: Actor, id: string): Promise<void>;
  /** The second factor of users. */
  readonly totp: TotpFactors;
  readonly tickets: Tickets;
  readonly operatorSessions: OperatorSessions;
  readonly users: Users;
  readonly apiKeys: ApiKeys;
  readonly workspaces: Workspaces;
  readonly invitations: Invitations;
  readonly audit: AuditLog & { list(scopeKey: string, query: AuditQuery): Promise<Page<AuditEntry>> };
  /** Writes what was collected. */
  close(): Promise<void>;
}

/** The name of the secret that signs operators' sessions. */
const OPERATOR_SESSIONS = 'operator_sessions';

export async function createAccounts({ database, redis, log, config }: AccountsParts): Promise<Accounts> {
  const versions = createVersions(redis);
  const [keys, secret] = await Promise.all([
    loadKeySet(database.signingKeys, versions, { tokenTtlMs: config.accessTokenTtlS * 1_000, ...config.signingKeys }),
    database.secrets.getOrCreate('refresh_tokens', randomBytes(32).toString('base64url')),
  ]);
  const audit = createAuditLog(database.audit, { log, keepMs: config.auditKeepMs });
  const logins = createLogins({
    database,
    accessTokens: createAccessTokens(keys, config.accessTokenTtlS),
    secret,
    accessTtlS: config.accessTokenTtlS,
    refreshTtlS: config.refreshTokenTtlS,
    versions,
    audit,
  });
  const use = new KeyUse(database.apiKeys, log);
  const apiKeys = createApiKeys({ database, versions, audit, use });
  const users = createUsers({ users: database.users, logins, apiKeys, versions, audit });
  const throttle = createLoginThrottle(redis);
  const checkPassword = createPasswordCheck({ users: database.users, throttle, audit, log });
  const totp = createTotpFactors({
    factors: database.totp,
    users: database.users,
    throttle,
    checkPassword,
    audit,
  });
  const challenges = createLoginChallenges(redis);
  const invitations = createInvitations({
    database,
    users,
    inviteNewUsers: config.inviteNewUsers,
    versions,
    audit,
  });
  const scopes = createScopes(database.workspaces, versions);

  const noteLogin = (actor: Actor, action: 'login.succeeded' | 'login.ended', userId: string) =>
    audit.record(actor, { scope_key: personalScope(userId), action, target: { type: 'user', id: userId } });
  /** Read again when the signing keys have changed: a revocation ends operators' sessions, too. */
  let sessions: { revision: string; secret: Promise<string> } | null = null;
  const sessionSecret = async (): Promise<string> => {
    const revision = await keys.revision();
    if (sessions?.revision !== revision) {
      const fresh = randomBytes(32).toString('base64url');
      sessions = { revision, secret: database.secrets.getOrCreate(OPERATOR_SESSIONS, fresh) };
      sessions.secret.catch(() => {
        sessions = null;
      });
    }
    return sessions.secret;
  };
  const noteKey = async (
    actor: Actor,
    action: 'signing_key.rotated' | 'signing_key.revoked' | 'secret_key.rotated',
    change: () => Promise<string>,
  ): Promise<string> => {
    const id = await change();
    const [type] = action.split('.');
    await auditForOperators({ users: database.users, audit }, actor, { action, target: { type: type ?? '', id } });
    return id;
  };
  const noteEnd = (actor: Actor, userId: string, loginId: string) =>
    audit.record(actor, {
      scope_key: personalScope(userId),
      action: 'login.ended',
      target: { type: 'login', id: loginIdOf(loginId) },
    });
  const openLogin = async (user: UserRecord, from: Stranger): Promise<TokenAnswer> => {
    const [answer] = await Promise.all([
      logins.open(user, deviceOf(from)),
      noteLogin({ ...actorOf(from), user_id: user.id }, 'login.succeeded', user.id),
    ]);
    return answer;
  };
  const userOf = async (id: string, credential: string): Promise<User> => {
    const user = await users.active(id);
    if (user === null) throw new ChorusError('unauthorized', `This ${credential} is not valid.`);
    return user;
  };

  const verifyApiKey = async (secret: string): Promise<Credential> => {
    const { userId, key } = await apiKeys.verify(secret);
    return { user: await userOf(userId, 'API key'), login_id: null, key };
  };

  const standing = async ({ user_id, login_id, key_id }: CredentialIds): Promise<Credential> => {
    if (login_id !== null) await logins.check({ userId: user_id, loginId: login_id });
    const key = key_id === null ? null : await apiKeys.check(user_id, key_id);
    return { user: await userOf(user_id, 'credential'), login_id, key };
  };

  return {
    ensureFirstUser: firstUserMaker(database.users),
    login: async ({ totp_code: code, ...credentials }, from) => {
      const user = await checkPassword(credentials, actorOf(from));
      if (await totp.isEnabled(user.id)) {
        if (code === undefined) throw totpRequired(await challenges.issue(user));
        await totp.check(user, code, actorOf(from));
      }
      return openLogin(user, from);
    },
    loginByCode: async ({ challenge, code }, from) => {
      const { userId, passwordDigest } = await challenges.read(challenge);
      const user = await database.users.findById(userId);
      if (user === null || user.disabled_at !== null || digestOf(user) !== passwordDigest) throw unknownChallenge();
      await totp.check(user, code, actorOf(from));
      await challenges.end(challenge);
      return openLogin(user, from);
    },
    refresh: (token, from = { address: '' }, newest = false) =>
      logins.refresh(token, actorOf(from), deviceOf(from), newest),
    acceptInvitation: async (accepted, from) =>
      logins.open(await invitations.signUp(actorOf(from), accepted), deviceOf(from)),
    verifyApiKey,
    standing: ({ user, login_id, key }) => standing({ user_id: user.id, login_id, key_id: key?.id ?? null }),
    verify: async (bearer) => {
      if (bearer.startsWith(API_KEY_PREFIX)) return verifyApiKey(bearer);
      const { userId, loginId } = await logins.verify(bearer);
      return { user: await userOf(userId, 'access token'), login_id: loginId, key: null };
    },
    logout: async ({ user, login_id }, actor) => {
      if (login_id !== null) await logins.end(user.id, login_id);
      await noteLogin(actor, 'login.ended', user.id);
    },
    logoutByToken: async (token, actor) => {
      const found = await logins.find(token);
      if (found === null) return;
      await logins.end(found.userId, found.loginId);
      await noteLogin({ ...actor, user_id: found.userId }, 'login.ended', found.userId);
    },
    listLogins: ({ user, login_id }, query) => logins.list(user.id, query, login_id),
    endLogin: async ({ user }, actor, loginId) => {
      const id = familyIdOf(loginId);
      if (!(await logins.end(user.id, id))) throw new ChorusError('not_found', 'There is no such login.');
      await noteEnd(actor, user.id, id);
    },
    endOtherLogins: async ({ user, login_id }, actor) => {
      const ended = await logins.endAll(user.id, login_id);
      if (ended > 0) await noteLogin(actor, 'login.ended', user.id);
      return ended;
    },
    changePassword: async ({ user, login_id }, { current, next, ...options }, actor) => {
      const path = 'body.new_password';
      await checkNewPassword(next, user.email, path);
      const { id } = await checkPassword({ email: user.email, password: current }, actor);
      await users.setPassword(actor, id, next, { ...options, exceptLogin: login_id, path });
      return user;
    },
    resolveScope: scopes.resolve,
    roleIn: scopes.roleIn,
    rotateSigningKey: (actor) => noteKey(actor, 'signing_key.rotated', keys.rotate),
    revokeSigningKeys: (actor) =>
      noteKey(actor, 'signing_key.revoked', async () => {
        await database.secrets.remove(OPERATOR_SESSIONS);
        return keys.revoke();
      }),
    noteSecretKey: async (actor, id) => {
      await noteKey(actor, 'secret_key.rotated', async () => id);
    },
    totp,
    tickets: createTickets(redis, standing, 'voice'),
    operatorSessions: createOperatorSessions({
      tickets: createTickets(redis, standing, 'queues'),
      secret: sessionSecret,
      standing,
    }),
    users,
    apiKeys,
    workspaces: createWorkspaces({ database, versions, audit }),
    invitations,
    audit,
    close: () => use.flush(),
  };
}

function deviceOf({ address, user_agent = null }: Stranger): LoginDevice {
  return { address: address === '' ? null : address, user_agent };
}

function actorOf({ address, request_id = null }: Stranger): RemoteActor {
  return { user_id: null, key_id: null, address, request_id };
}
