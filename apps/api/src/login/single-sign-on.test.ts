import { randomUUID } from 'node:crypto';
import { NO_ACTOR } from '@chorus/contract';
import { freePort, OIDC_CLIENT, startIdentityProvider, type TestIdentityProvider } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, freshWorkspace } from '../test-people.ts';

let api: TestApi;
let idp: TestIdentityProvider;
let team: string;

const person = () => ({ sub: randomUUID(), email: `${randomUUID()}@example.org`, email_verified: true });

beforeAll(async () => {
  const port = await freePort();
  team = randomUUID(); // named before it exists
  api = await startTestApi({
    OIDC_ISSUER: `http://127.0.0.1:${port}`,
    OIDC_CLIENT_ID: OIDC_CLIENT.id,
    OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
    OIDC_SCOPES: 'openid email groups',
    OIDC_GROUP_ROLES: `staff=${team}:viewer, leads=${team}:editor, ops=operator`,
    OIDC_NAME: 'Example',
    OIDC_LINK_BY_EMAIL: 'true',
    OIDC_CREATE_USERS: 'true',
    OIDC_EMAIL_DOMAINS: 'example.org, example.com',
    PASSWORD_LOGIN: 'true',
  });
  idp = await startIdentityProvider({ port, platforms: [api.url], person: person() });
});
afterAll(async () => {
  await idp?.stop();
  await api?.stop();
});

type Jar = Map<string, string>;

/** A browser: follows redirects, and keeps the cookies of each site. */
async function visit(url: string, jars: Map<string, Jar>): Promise<URL> {
  for (let at = new URL(url), steps = 0; steps < 10; steps += 1) {
    const response = await send(at, jars);
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${at.pathname}: ${response.status} ${await response.text()}`);
    at = new URL(location, at);
    if (at.hash !== '') return at;
  }
  throw new Error('too many redirects');
}

async function send(url: URL, jars: Map<string, Jar>, init: RequestInit = {}): Promise<Response> {
  const jar = jars.get(url.host) ?? new Map();
  jars.set(url.host, jar);
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { ...(init.headers as Record<string, string>), cookie, origin: url.origin };
  const response = await fetch(url, { redirect: 'manual', ...init, headers });
  for (const line of response.headers.getSetCookie()) {
    const [name = '', value = ''] = line.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
    jar.set(name, value);
  }
  return response;
}

const post = (path: string, body: unknown, jars: Map<string, Jar>, more: Record<string, string> = {}) =>
  send(new URL(`/api/v1${path}`, api.url), jars, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  });

/** Logs in at the provider and returns the final address: the console with a ticket or an error. */
async function begin(
  jars: Map<string, Jar> = new Map(),
  more: { purpose?: 'confirm' } = {},
): Promise<{ jars: Map<string, Jar>; end: URL }> {
  const started = await post('/auth/oidc-start', { return_to: '/settings', ...more }, jars);
  const { url } = (await started.json()) as { url: string };
  return { jars, end: await visit(url, jars) };
}

async function logIn(): Promise<{ user: { id: string; email: string; operator: boolean }; access_token: string }> {
  const { jars, end } = await begin();
  expect([end.pathname, end.hash.slice(0, 9)]).toEqual(['/settings', '#sso=sso_']);
  const answer = await post('/auth/oidc', { ticket: end.hash.slice('#sso='.length) }, jars);
  expect(answer.status).toBe(200);
  return (await answer.json()) as never;
}

/** Returns the error that the console shows. */
async function errorOf({ jars, end }: { jars: Map<string, Jar>; end: URL }): Promise<string> {
  const answer = await post('/auth/oidc', { ticket: end.hash.slice('#sso='.length) }, jars);
  return ((await answer.json()) as { error: { message: string } }).error.message;
}

test('a login at the provider creates an account, and finds it again when its email address has changed', async () => {
  const methods = await api.call('GET', '/auth/methods', { headers: { authorization: null } });
  expect(methods.body).toEqual({ object: 'auth.methods', password: true, oidc: { name: 'Example' } });
  idp.person = person();
  const first = await logIn();
  expect(first.user).toMatchObject({ email: idp.person.email, operator: false });
  idp.person = { ...idp.person, email: 'renamed@example.org' };
  const again = await logIn();
  expect(again.user).toEqual(first.user);
  const headers = { authorization: `Bearer ${again.access_token}` };
  const audit = await api.call('GET', '/audit', { headers });
  expect(audit.body.data.map(({ action }: { action: string }) => action).sort()).toEqual([
    'identity.linked',
    'login.succeeded',
    'login.succeeded',
    'user.created',
  ]);
});

test('groups give roles in workspaces, and take them away', async () => {
  const founder = await freshPerson(api);
  const { database } = api.services;
  const made = await freshWorkspace(api, founder, []);
  // The mapping names a fixed id, as an operator would write it.
  const raw = database.workspaces;
  const roles = async (userId: string) => raw.membership(team, userId);
  await renameWorkspaceId(made, team);

  idp.person = { ...person(), groups: ['staff', 'leads', 'others'] };
  const { user } = await logIn();
  expect(await roles(user.id)).toBe('editor');
  idp.person.groups = ['staff'];
  await logIn();
  expect(await roles(user.id)).toBe('viewer');
  idp.person.groups = ['ops'];
  expect((await logIn()).user.operator).toBe(true);
  expect(await roles(user.id)).toBeNull();
  delete idp.person.groups; // as some providers do when there are none
  expect((await logIn()).user.operator).toBe(false);
});

test('an account is linked by email address only if the provider has verified it', async () => {
  const known = await freshPerson(api);
  idp.person = { ...person(), email: known.email, email_verified: false };
  expect(await errorOf(await begin())).toMatch('There is an account with your email address that is not linked');
  idp.person.email_verified = true;
  expect((await logIn()).user.id).toBe(known.id);
  // Someone else now has the email address.
  idp.person = { ...idp.person, sub: randomUUID() };
  expect(await errorOf(await begin())).toMatch('is linked to another account of the identity provider');
});

test('an account is created only for a verified email address', async () => {
  for (const email_verified of [undefined, false, 'false', 'yes']) {
    idp.person = { ...person(), email_verified };
    if (email_verified === undefined) delete idp.person.email_verified;
    expect(await errorOf(await begin())).toMatch('has not verified your email address');
  }
  idp.person = { ...person(), email_verified: 'true' };
  expect((await logIn()).user.email).toBe(idp.person.email);
});

test('an email address with letters that become others in lower case is not the account of those', async () => {
  const name = `kevin-${randomUUID()}@example.org`;
  idp.person = { ...person(), email: name };
  await logIn();
  idp.person = { ...person(), email: name.replace('k', '\u212A') };
  expect(await errorOf(await begin())).toMatch('must not have letters that become others');
});

test('addresses of other domains get no account', async () => {
  idp.person = { ...person(), email: `${randomUUID()}@example.net` };
  expect(await errorOf(await begin())).toMatch('only for email addresses of certain domains');
});

test('answers of others are refused: another browser, a second use, a forged state', async () => {
  idp.person = person();
  const { jars, end } = await begin();
  const ticket = end.hash.slice('#sso='.length);
  expect((await post('/auth/oidc', { ticket }, new Map())).status).toBe(401); // and the ticket is gone
  expect((await post('/auth/oidc', { ticket }, jars)).status).toBe(401);

  const forged = new URL(`/api/v1/auth/oidc-callback?code=x&state=${'x'.repeat(43)}`, api.url);
  expect(await errorOf({ jars: new Map(), end: await visit(forged.href, new Map()) })).toMatch(
    'This login has expired',
  );
  const elsewhere = (await (await post('/auth/oidc-start', {}, new Map())).json()) as { url: string };
  expect(await errorOf({ jars: new Map(), end: await visit(elsewhere.url, new Map()) })).toMatch(
    'was started in another browser',
  );
  for (const return_to of ['//evil.example', 'https://evil.example', '/\\evil.example'])
    expect((await post('/auth/oidc-start', { return_to }, new Map())).status).toBe(400);
});

test('someone without a password deletes their account by logging in at the provider again', async () => {
  idp.person = person();
  const { jars, end } = await begin();
  const login = (await (await post('/auth/oidc', { ticket: end.hash.slice('#sso='.length) }, jars)).json()) as {
    user: { id: string };
    access_token: string;
  };
  const authorization = { authorization: `Bearer ${login.access_token}` };
  const plan = await api.call('GET', '/me/deletion', { headers: authorization });
  expect(plan.body).toMatchObject({ password: true, identity_provider: 'Example' });
  const leave = async (body: object, by = jars) => {
    const answer = await post('/me/deletion', body, by, { ...authorization, 'x-scope-type': 'personal' });
    return (await answer.json()) as { deleted?: boolean; error?: { code: string; message: string } };
  };
  const confirm = async () => {
    const { end } = await begin(jars, { purpose: 'confirm' });
    expect([end.pathname, end.hash.slice(0, 13)]).toEqual(['/settings', '#confirm=sso_']);
    return end.hash.slice('#confirm='.length);
  };
  const logins = idp.logins;
  const ofLogin = (await begin(jars)).end.hash.slice('#sso='.length);
  expect(idp.logins).toBe(logins); // the provider knows the browser, which is not enough
  expect((await leave({ ticket: ofLogin })).error?.code).toBe('sso_failed');
  expect((await leave({ ticket: await confirm() }, new Map())).error?.message).toMatch('in another browser');
  expect(idp.logins).toBe(logins + 1);
  const forLogin = await post('/auth/oidc', { ticket: await confirm() }, jars);
  expect(forLogin.status).toBe(401);

  const own = idp.person;
  for (const someone of [person(), own]) {
    jars.delete(new URL(idp.issuer).host);
    idp.person = someone;
    if (someone !== own) expect((await leave({ ticket: await confirm() })).error?.message).toMatch('as someone else');
  }
  const ticket = await confirm();
  expect((await leave({ ticket, current_password: 'x' })).error?.code).toBe('invalid_request');
  expect(await leave({ ticket })).toEqual({ id: login.user.id, object: 'user', deleted: true });
});

test('a disabled user cannot log in', async () => {
  idp.person = person();
  const { user } = await logIn();
  await api.services.accounts.users.setDisabled(NO_ACTOR, user.id, true);
  expect(await errorOf(await begin())).toBe('Your account is disabled. Ask an operator.');
});

test('a device logs in as the user who approves its code', async () => {
  const ask = async (deviceCode: string) => {
    const answer = await post('/auth/device/token', { device_code: deviceCode }, new Map());
    return {
      status: answer.status,
      body: (await answer.json()) as { error?: { code: string }; user?: { id: string } },
    };
  };
  const start = async () =>
    (await (await post('/auth/device', {}, new Map(), { 'user-agent': 'a television' })).json()) as Record<
      string,
      string
    >;
  const { device_code = '', user_code = '', verification_uri_complete } = await start();
  expect(verification_uri_complete).toBe(`${api.url}/device?code=${user_code}`);
  expect(await ask(device_code)).toMatchObject({ status: 400, body: { error: { code: 'authorization_pending' } } });
  expect(await ask(device_code)).toMatchObject({ status: 400, body: { error: { code: 'slow_down' } } });

  const { token, id } = await freshPerson(api);
  const headers = { authorization: `Bearer ${token}` };
  const typed = user_code.toLowerCase().replace('-', ' ');
  const shown = await api.call('GET', `/auth/device?user_code=${encodeURIComponent(typed)}`, { headers });
  expect(shown.body).toMatchObject({ user_code, user_agent: 'a television', address: '127.0.0.1' });
  const decide = (code: string, approve: boolean) =>
    api.call('POST', '/auth/device/decision', { headers, body: { user_code: code, approve } });
  expect((await decide(typed, true)).body).toEqual({ object: 'device.decision', approved: true });
  expect((await decide(typed, true)).status).toBe(404);
  expect(await ask(device_code)).toMatchObject({ status: 200, body: { user: { id } } });
  expect(await ask(device_code)).toMatchObject({ body: { error: { code: 'expired_token' } } });

  const other = await start();
  await decide(other.user_code ?? '', false);
  expect(await ask(other.device_code ?? '')).toMatchObject({ body: { error: { code: 'access_denied' } } });
  expect(await ask('dev_unknown')).toMatchObject({ body: { error: { code: 'expired_token' } } });
});

/** Gives a workspace the id that the configuration names. */
async function renameWorkspaceId(from: string, to: string): Promise<void> {
  const { MongoClient } = await import('mongodb');
  const client = await new MongoClient(api.store.uri).connect();
  const workspaces = client.db().collection<{ _id: string }>('workspaces');
  const found = await workspaces.findOne({ _id: from });
  await workspaces.insertOne({ ...found, _id: to });
  await client.close();
}
