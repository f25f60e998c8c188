import { randomBytes } from 'node:crypto';
import {
  type AccountDeletionPlan,
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
import type { Logger } from '@chorus/runtime/log';
import { createAccessTokens } from './access-tokens.ts';
import { API_KEY_PREFIX } from './api-key-secrets.ts';
import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { createAuditLog } from './audit-log.ts';
import type { Credential } from './credential.ts';
import { createDeviceLogins, type DeviceLogins } from './device-logins.ts';
import { createFirstUserMaker, type FirstUser } from './first-user.ts';
import { createInvitations, type Invitations, type InviteNewUsers } from './invitations.ts';
import { type KeySetOptions, loadKeySet } from './key-set.ts';
import { KeyUse } from './key-use.ts';
import { createLoginChallenges, digestOf, totpRequired, unknownChallenge } from './login-challenges.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { createLogins, familyIdOf, loginIdOf } from './logins.ts';
import { applyGroups, type GroupRole } from './oidc/apply-groups.ts';
import { findUser } from './oidc/find-user.ts';
import { createIdentityProvider, type ProvedIdentity, type ProviderSettings } from './oidc/identity-provider.ts';
import { createSingleSignOn, type SingleSignOn } from './oidc/single-sign-on.ts';
import { auditForOperators } from './operators-audit.ts';
import { createPasswordCheck, type RemoteActor } from './password-check.ts';
import { checkNewPassword } from './passwords/check-new-password.ts';
import { createScopes, type ResolvedScope, type ScopeRequest } from './scopes.ts';
import { type CredentialIds, createTickets, type Tickets } from './tickets.ts';
import { createTotpFactors, type TotpFactors } from './totp/totp-factors.ts';
import { createUserInvitations, type UserInvitations } from './user-invitations.ts';
import { createUsers, type Users } from './users.ts';
import { createVersions } from './versions.ts';
import { createWorkspaces, type Workspaces } from './workspaces.ts';

export interface AccountsConfig {
  accessTokenTtlS: number;
  /** Refresh tokens expire this long after their family was last used. */
  refreshTokenTtlS: number;
  auditKeepMs: number;
  inviteNewUsers: InviteNewUsers;
  /** Single sign-on. Null or absent: off. */
  oidc?: OidcSettings | null;
  /** Default: true. */
  passwordLogin?: boolean;
  signingKeys?: Omit<KeySetOptions, 'tokenTtlMs'>;
}

export interface OidcSettings extends ProviderSettings {
  /** Shown on the button. */
  name: string;
  groupRoles: readonly GroupRole[];
  linkByEmail: boolean;
  createUsers: boolean;
  emailDomains: readonly string[];
}

export interface AccountsParts {
  database: Pick<
    Database,
    | 'users'
    | 'identities'
    | 'workspaces'
    | 'refreshTokens'
    | 'totp'
    | 'signingKeys'
    | 'secrets'
    | 'apiKeys'
    | 'invitations'
    | 'audit'
    | 'erasure'
  >;
  redis: RedisConnection;
  log: Logger;
  config: AccountsConfig;
}

/** An unauthenticated caller: IP address and user agent. */
export interface Client {
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
  endLogins: boolean;
  revokeKeys: boolean;
}

/** Authentication and authorization, shared by API, CLI and sockets. */
export interface Accounts {
  /**
   * Creates the first user, an operator, if there are no users; only one of several processes does. Defaults:
   * e-mail `admin@localhost`, a generated password. Returns the password only to the call that created the
   * user.
   */
  ensureFirstUser(wanted: { email: string | null; password: string | null }): Promise<FirstUser>;
  /**
   * Logs in with a password, and a TOTP code where the account has a second factor.
   * @throws {ChorusError} invalid_credentials, equally slow for a wrong password, an unknown and a disabled
   * user; rate_limited after repeated failures; totp_required with a `challenge` for `loginByCode` when no code
   * was sent; invalid_totp_code
   */
  login(credentials: LoginCredentials, from: Client): Promise<TokenAnswer>;
  /**
   * Completes a two-step login.
   * @throws {ChorusError} unauthorized for an expired challenge; invalid_totp_code; rate_limited
   */
  loginByCode(answer: { challenge: string; code: string }, from: Client): Promise<TokenAnswer>;
  /**
   * Logs in a user who has proved otherwise who they are: at the identity provider, or in another browser.
   * @throws {ChorusError} forbidden for a disabled user
   */
  loginAs(userId: string, from: Client): Promise<TokenAnswer>;
  /**
   * Rotates a refresh token. A retry within 10 s gets the same answer; a later reuse ends the whole login.
   * @param newest a retry gets the newest tokens of its login instead: for a cookie shared by several tabs
   * @throws {ChorusError} refresh_token_reused; unauthorized for an unknown or expired token
   */
  refresh(token: string, from?: Client, newest?: boolean): Promise<TokenAnswer>;
  /** Accepts an invitation by creating an account, and logs in. Throws like `Invitations.signUp`. */
  acceptInvitation(accepted: { token: string; password: string }, from: Client): Promise<TokenAnswer>;
  /**
   * Authenticates an access token or an API key. Changes made through these functions (user disabled, login
   * ended, key revoked) take effect in every process within a second.
   * @throws {ChorusError} token_expired, unauthorized
   */
  verify(bearer: string): Promise<Credential>;
  /** Like `verify`, for places that accept API keys only. */
  verifyApiKey(key: string): Promise<Credential>;
  /**
   * Re-checks a credential verified earlier, for connections that outlive an access token.
   * @throws {ChorusError} unauthorized when its login has ended, its key was revoked or its user disabled
   */
  standing(credential: Credential): Promise<Credential>;
  logout(credential: Credential, actor: Actor): Promise<void>;
  /** Ends the login of a refresh token, even a used one. Does nothing if it has already ended. */
  logoutByToken(refreshToken: string, actor: Actor): Promise<void>;
  listLogins(credential: Credential, query: ListQuery): Promise<Page<LoginSession>>;
  /** @throws {ChorusError} not_found */
  endLogin(credential: Credential, actor: Actor, loginId: string): Promise<void>;
  endOtherLogins(credential: Credential, actor: Actor): Promise<number>;
  /** Throws like `login` for a wrong current password; `invalid_request` for a weak new one. */
  changePassword(credential: Credential, change: ChangedPassword, actor: RemoteActor): Promise<User>;
  /** Returns what deleting the account means. */
  planLeave(user: User): Promise<AccountDeletionPlan>;
  /**
   * Disables the user's account for good. Maintenance erases it.
   * @throws {ChorusError} as a login does for a wrong password or code; invalid_request without a needed code;
   * conflict for the only operator, or the only owner of a workspace with other members
   */
  leave(user: User, proof: { password: string; code?: string | undefined }, actor: RemoteActor): Promise<void>;
  /**
   * Resolves scope headers to an owner and the user's role. A revoked role takes effect within a second.
   * @throws {ChorusError} invalid_scope (422) for missing or contradictory headers; workspace_forbidden (403)
   * for a workspace that is unknown or not theirs; forbidden where an API key may not go
   */
  resolveScope(request: ScopeRequest): Promise<ResolvedScope>;
  roleIn(workspaceId: string, userId: string): Promise<Role | null>;
  /** Creates the next signing key and returns its id. Existing tokens stay valid. Keys also rotate on schedule. */
  rotateSigningKey(actor: Actor): Promise<string>;
  /**
   * Replaces all signing keys and returns the new key's id. Every access token and operator session is refused
   * within a second; logins survive and get new tokens. Idempotent.
   * @throws {ChorusError} store_unavailable
   */
  revokeSigningKeys(actor: Actor): Promise<string>;
  /** Records in the audit log that stored secrets are encrypted with a new key. */
  noteSecretKey(actor: Actor, id: string): Promise<void>;
  /** Null: off. */
  readonly singleSignOn: SingleSignOn | null;
  readonly devices: DeviceLogins;
  /** Whether users log in with passwords. */
  readonly passwordLogin: boolean;
  readonly totp: TotpFactors;
  readonly tickets: Tickets;
  readonly users: Users;
  readonly apiKeys: ApiKeys;
  readonly workspaces: Workspaces;
  readonly invitations: Invitations;
  readonly userInvitations: UserInvitations;
  readonly audit: AuditLog & { list(scopeKey: string, query: AuditQuery): Promise<Page<AuditEntry>> };
  close(): Promise<void>;
}

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
  const openLogin = async (user: UserRecord, from: Client): Promise<TokenAnswer> => {
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

  const planLeave: Accounts['planLeave'] = async ({ id, operator }) => {
    const [erased_workspaces, blocking_workspaces, hasOther, needs_code] = await Promise.all([
      database.erasure.findLeftEmpty(id),
      database.erasure.findSoleOwned(id),
      database.users.hasOtherOperator(id),
      totp.isEnabled(id),
    ]);
    const only_operator = operator && !hasOther;
    return { object: 'account_deletion', needs_code, erased_workspaces, blocking_workspaces, only_operator };
  };

  const workspaces = createWorkspaces({ database, versions, audit });
  const { oidc = null, passwordLogin = true } = config;
  const admit = async (identity: ProvedIdentity, settings: OidcSettings): Promise<UserRecord> => {
    const actor: Actor = { user_id: null, key_id: null, address: null, request_id: null };
    const user = await findUser({ database, audit, ...settings }, identity, actor);
    await applyGroups({ database, workspaces, users, log, ...settings }, user, identity.groups, actor);
    return user;
  };
  const singleSignOn =
    oidc &&
    createSingleSignOn({
      name: oidc.name,
      provider: createIdentityProvider(oidc, log),
      redis,
      admit: (identity) => admit(identity, oidc),
    });
  const requirePasswords = () => {
    if (!passwordLogin)
      throw new ChorusError('forbidden', 'Logins with a password are turned off. Use single sign-on.');
  };

  return {
    ensureFirstUser: createFirstUserMaker(database.users),
    login: async ({ totp_code: code, ...credentials }, from) => {
      requirePasswords();
      const user = await checkPassword(credentials, actorOf(from));
      if (await totp.isEnabled(user.id)) {
        if (code === undefined) throw totpRequired(await challenges.issue(user));
        await totp.check(user, code, actorOf(from));
      }
      return openLogin(user, from);
    },
    loginByCode: async ({ challenge, code }, from) => {
      requirePasswords();
      const { userId, passwordDigest } = await challenges.read(challenge);
      const user = await database.users.findById(userId);
      if (user === null || user.disabled_at !== null || digestOf(user) !== passwordDigest) throw unknownChallenge();
      await totp.check(user, code, actorOf(from));
      await challenges.end(challenge);
      return openLogin(user, from);
    },
    refresh: (token, from = { address: '' }, newest = false) =>
      logins.refresh(token, actorOf(from), deviceOf(from), newest),
    acceptInvitation: async (accepted, from) => {
      requirePasswords();
      return logins.open(await invitations.signUp(actorOf(from), accepted), deviceOf(from));
    },
    loginAs: async (userId, from) => {
      const user = await database.users.findById(userId);
      if (user === null || user.disabled_at !== null)
        throw new ChorusError('forbidden', 'This account is disabled, or does not exist any more.');
      return openLogin(user, from);
    },
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
    planLeave,
    leave: async (user, { password, code }, actor) => {
      const plan = await planLeave(user);
      checkMayLeave(plan);
      if (plan.needs_code && code === undefined) throw missingCode();
      await checkPassword({ email: user.email, password }, actor);
      if (code !== undefined && plan.needs_code) await totp.check(user, code, actor);
      await database.erasure.giveUpOwnerships(user.id);
      // Another owner or operator may have left meanwhile.
      checkMayLeave(await planLeave(user));
      await users.leave(actor, user.id);
    },
    resolveScope: scopes.resolve,
    roleIn: scopes.roleIn,
    rotateSigningKey: (actor) => noteKey(actor, 'signing_key.rotated', keys.rotate),
    revokeSigningKeys: (actor) => noteKey(actor, 'signing_key.revoked', () => keys.revoke()),
    noteSecretKey: async (actor, id) => {
      await noteKey(actor, 'secret_key.rotated', async () => id);
    },
    singleSignOn,
    devices: createDeviceLogins(redis),
    passwordLogin,
    totp,
    tickets: createTickets(redis, standing),
    users,
    apiKeys,
    workspaces,
    invitations,
    userInvitations: createUserInvitations({ database, audit }),
    audit,
    close: () => use.flush(),
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

function deviceOf({ address, user_agent = null }: Client): LoginDevice {
  return { address: address === '' ? null : address, user_agent };
}

function actorOf({ address, request_id = null }: Client): RemoteActor {
  return { user_id: null, key_id: null, address, request_id };
}
