import { randomBytes } from 'node:crypto';
import { type Actor, ChorusError, personalScope, type TokenAnswer, type User } from '@chorus/contract';
import type { LoginDevice, UserRecord } from '@chorus/database';
import { createAccessTokens } from './access-tokens.ts';
import type { Accounts, AccountsParts, Client } from './accounts-port.ts';
import { API_KEY_PREFIX } from './api-key-secrets.ts';
import { createApiKeys } from './api-keys.ts';
import { createAuditLog } from './audit-log.ts';
import type { Credential } from './credential.ts';
import { createDeviceLogins } from './device-logins.ts';
import { createFirstUserMaker } from './first-user.ts';
import { createInvitations } from './invitations.ts';
import { loadKeySet } from './key-set.ts';
import { KeyUse } from './key-use.ts';
import { createLeaving } from './leave-account.ts';
import { createLoginChallenges, digestOf, totpRequired, unknownChallenge } from './login-challenges.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { createLogins, familyIdOf, loginIdOf } from './logins.ts';
import { openSingleSignOn } from './oidc/open-single-sign-on.ts';
import { auditForOperators } from './operators-audit.ts';
import { createPasswordCheck, type RemoteActor } from './password-check.ts';
import { checkNewPassword } from './passwords/check-new-password.ts';
import { createScopes } from './scopes.ts';
import { type CredentialIds, createTickets } from './tickets.ts';
import { createTotpFactors } from './totp/totp-factors.ts';
import { createUserInvitations } from './user-invitations.ts';
import { createUsers } from './users.ts';
import { createVersions } from './versions.ts';
import { createWorkspaces } from './workspaces.ts';

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

  const workspaces = createWorkspaces({ database, versions, audit });
  const { oidc = null, passwordLogin = true } = config;
  const singleSignOn = oidc && openSingleSignOn(oidc, { database, redis, log, audit, users, workspaces });
  const leaving = createLeaving({ database, users, totp, checkPassword, singleSignOn, passwordLogin });
  const requirePasswords = () => {
    if (!passwordLogin) throw new ChorusError('forbidden', 'Password login is turned off. Use single sign-on.');
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
    loginOf: async (token) => (await logins.find(token))?.loginId ?? null,
    acceptInvitation: async (accepted, from) => {
      requirePasswords();
      return logins.open(await invitations.signUp(actorOf(from), accepted), deviceOf(from));
    },
    loginAs: async (userId, from) => {
      const user = await database.users.findById(userId);
      if (user === null || user.disabled_at !== null)
        throw new ChorusError('forbidden', 'This account is disabled or no longer exists.');
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
      if (!(await logins.end(user.id, id))) throw new ChorusError('not_found', 'Login not found.');
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
    planLeave: leaving.plan,
    leave: leaving.leave,
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

function deviceOf({ address, user_agent = null }: Client): LoginDevice {
  return { address: address === '' ? null : address, user_agent };
}

function actorOf({ address, request_id = null }: Client): RemoteActor {
  return { user_id: null, key_id: null, address, request_id };
}
