import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, PASSWORD, type Person } from '../test-people.ts';

let api: TestApi;
let origin: string;
let port: string;
beforeAll(async () => {
  api = await startTestApi();
  ({ origin, port } = new URL(api.url));
});
afterAll(() => api.stop());

const cookieMode = () => ({ authorization: null, 'x-scope-type': null, 'x-token-storage': 'cookie', origin });
const post = (path: string, body: object | undefined, headers: Record<string, string | null>) =>
  api.call('POST', path, { ...(body && { body }), headers });
const logIn = ({ email }: Person, headers: Record<string, string | null> = {}) =>
  post('/auth/login', { email, password: PASSWORD }, { ...cookieMode(), ...headers });
/** Returns the cookie as a browser sends it back. */
const cookieOf = ({ headers }: { headers: Headers }) => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
const refresh = (cookie: string, headers: Record<string, string | null> = {}) =>
  post('/auth/refresh', {}, { ...cookieMode(), cookie, ...headers });
const openLogins = async ({ id }: Person) =>
  (await api.services.database.refreshTokens.listOfUser(id, { limit: 100 }, new Date())).data.length;

test('stores the refresh token in a cookie that is HttpOnly and SameSite', async () => {
  const answer = await logIn(await freshPerson(api));
  expect(answer.status).toBe(200);
  expect(answer.body).not.toHaveProperty('refresh_token');
  expect(answer.headers.get('set-cookie')).toMatch(
    new RegExp(`^chorus_login_${port}=chr_[\\w-]{64}; Max-Age=2592000; HttpOnly; SameSite=Strict$`),
  );
  const tls = await logIn(await freshPerson(api), { origin: 'https://chorus.test', 'sec-fetch-site': 'same-origin' });
  expect(tls.headers.get('set-cookie')).toMatch(
    /^__Secure-chorus_login=chr_[\w-]{64}; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
  );
});

test('refreshes with the cookie alone, and replaces it each time', async () => {
  const cookie = cookieOf(await logIn(await freshPerson(api)));
  const next = await refresh(cookie);
  expect(next.body).toMatchObject({ token_type: 'Bearer', access_token: expect.stringMatching(/^ey/) });
  expect(next.body).not.toHaveProperty('refresh_token');
  expect(cookieOf(next)).not.toBe(cookie);
  expect((await refresh(cookieOf(next))).status).toBe(200);
});

test('gives all tabs the newest token, even when they refresh simultaneously or late', async () => {
  const cookie = cookieOf(await logIn(await freshPerson(api)));
  const together = await Promise.all(Array.from({ length: 6 }, () => refresh(cookie)));
  expect(new Set(together.map(({ status }) => status))).toEqual(new Set([200]));
  let newest = cookieOf(together[0]!);
  for (let n = 0; n < 12; n++) newest = cookieOf(await refresh(newest));
  // A tab that still had the first cookie.
  expect(cookieOf(await refresh(cookie))).toBe(newest);
  expect((await refresh(newest)).status).toBe(200);
});

test('refuses the cookie for pages of other origins and programs without one', async () => {
  const person = await freshPerson(api);
  const cookie = cookieOf(await logIn(person));
  const others: Record<string, string | null>[] = [
    { origin: 'https://evil.test' },
    { origin: `http://127.0.0.1:${Number(port) + 1}` },
    { origin: 'null' },
    { origin: null },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of others)
    for (const call of [
      logIn(person, headers),
      refresh(cookie, headers),
      post('/auth/forget', undefined, { ...cookieMode(), cookie, ...headers }),
    ]) {
      const { status, headers: answered } = await call;
      expect([headers, status, answered.get('set-cookie')]).toEqual([headers, 403, null]);
    }
  // Without our header, the cookie is ignored.
  expect((await refresh(cookie, { 'x-token-storage': null })).status).toBe(400);
  expect((await refresh(cookie, { 'x-token-storage': 'file' })).status).toBe(422);
  expect((await refresh(cookie)).status).toBe(200);
});

test('keeps the JSON form for other clients', async () => {
  const { email } = await freshPerson(api);
  const answer = await post('/auth/login', { email, password: PASSWORD }, { authorization: null });
  expect([answer.body.refresh_token.slice(0, 4), answer.headers.get('set-cookie')]).toEqual(['chr_', null]);
  const next = await post('/auth/refresh', { refresh_token: answer.body.refresh_token }, { authorization: null });
  expect([next.body.refresh_token.slice(0, 4), next.headers.get('set-cookie')]).toEqual(['chr_', null]);
});

test('moves a token from a script into the cookie, once', async () => {
  const { email } = await freshPerson(api);
  const old = (await post('/auth/login', { email, password: PASSWORD }, { authorization: null })).body.refresh_token;
  const moved = await post('/auth/refresh', { refresh_token: old }, cookieMode());
  expect(moved.body).not.toHaveProperty('refresh_token');
  expect((await refresh(cookieOf(moved))).status).toBe(200);
});

test('logs out with the cookie, even with a used token', async () => {
  const person = await freshPerson(api);
  const before = await openLogins(person);
  const login = await logIn(person);
  const cookie = cookieOf(login);
  const used = await refresh(cookie);
  const out = await post('/auth/forget', undefined, { ...cookieMode(), cookie });
  expect(out.body).toEqual({ object: 'logout', logged_out: true });
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
  expect(await openLogins(person)).toBe(before);
  const gone = await refresh(cookieOf(used));
  expect([gone.status, gone.headers.get('set-cookie')]).toEqual([401, expect.stringContaining('Max-Age=0')]);
  const headers = { authorization: `Bearer ${login.body.access_token}` };
  expect((await api.call('GET', '/me', { headers })).status).toBe(401);
  expect((await post('/auth/forget', undefined, cookieMode())).status).toBe(200);
});

test('a new login in the same browser ends the previous one', async () => {
  const person = await freshPerson(api);
  const before = await openLogins(person);
  const cookie = cookieOf(await logIn(person));
  await logIn(person, { cookie });
  expect(await openLogins(person)).toBe(before + 1);
  expect((await refresh(cookie)).status).toBe(401);
});
