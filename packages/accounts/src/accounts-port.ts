import type {
  Actor,
  AuditEntry,
  AuditLog,
  AuditQuery,
  ListQuery,
  LoginSession,
  Page,
  Role,
  TokenAnswer,
  User,
} from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import type { ApiKeys } from './api-keys.ts';
import type { Credential } from './credential.ts';
import type { DeviceLogins } from './device-logins.ts';
import type { FirstUser } from './first-user.ts';
import type { Invitations, InviteNewUsers } from './invitations.ts';
import type { KeySetOptions } from './key-set.ts';
import type { createLeaving } from './leave-account.ts';
import type { OidcSettings } from './oidc/open-single-sign-on.ts';
import type { SingleSignOn } from './oidc/single-sign-on.ts';
import type { RemoteActor } from './password-check.ts';
import type { ResolvedScope, ScopeRequest } from './scopes.ts';
import type { Tickets } from './tickets.ts';
import type { TotpFactors } from './totp/totp-factors.ts';
import type { UserInvitations } from './user-invitations.ts';
import type { Users } from './users.ts';
import type { Workspaces } from './workspaces.ts';

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
   * Creates the first user, an operator, if there are no users. Only one of several processes does. Defaults: email
   * `admin@localhost`, a generated password. Returns the password only to the call that created the user.
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
   * Logs in a user whose identity was proved elsewhere: at the identity provider, or in another browser.
   * @throws {ChorusError} forbidden for a disabled user
   */
  loginAs(userId: string, from: Client): Promise<TokenAnswer>;
  /**
   * Rotates a refresh token. A retry within 10 s gets the same answer; a later reuse ends the whole login.
   * @param newest a retry gets the newest tokens of its login instead: for a cookie shared by several tabs
   * @throws {ChorusError} refresh_token_reused; unauthorized for an unknown or expired token
   */
  refresh(token: string, from?: Client, newest?: boolean): Promise<TokenAnswer>;
  /** Returns the id of the open login that a refresh token belongs to, even a used one. Null: none. */
  loginOf(refreshToken: string): Promise<string | null>;
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
  readonly planLeave: ReturnType<typeof createLeaving>['plan'];
  readonly leave: ReturnType<typeof createLeaving>['leave'];
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
