import { randomUUID } from 'node:crypto';
import { NO_ACTOR } from '@chorus/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, PASSWORD, type Person } from '../test-people.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const anonymous = { authorization: null, 'x-scope-type': null };
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const login = async ({ email }: Pick<Person, 'email'>, password = PASSWORD) =>
  (await api.call('POST', '/auth/login', { body: { email, password }, headers: anonymous })).body;
const refresh = async (token: string) =>
  (await api.call('POST', '/auth/refresh', { body: { refresh_token: token }, headers: anonymous })).status;
const answers = async (token: string) => (await api.call('GET', '/me', bearer(token))).status;

test('a logout ends this login, its access tokens at once, and no other', async () => {
  const person = await freshPerson(api);
  const [one, other] = [await login(person), await login(person)];
  expect([await answers(one.access_token), await answers(one.access_token)]).toEqual([200, 200]);
  const out = await api.call('POST', '/auth/logout', bearer(one.access_token));
  expect(out.body).toEqual({ object: 'logout', logged_out: true });
  expect(await answers(one.access_token)).toBe(401);
  expect(await refresh(one.refresh_token)).toBe(401);
  expect([await answers(other.access_token), await refresh(other.refresh_token)]).toEqual([200, 200]);
});

test('a new password ends all other logins; the old one stops working, API keys stay', async () => {
  const person = await freshPerson(api);
  const [here, elsewhere] = [await login(person), await login(person)];
  expect(await answers(elsewhere.access_token)).toBe(200);
  const change = (current_password: string, new_password: string) =>
    api.call('POST', '/me/password', { body: { current_password, new_password }, ...bearer(here.access_token) });
  expect((await change('wrong password', 'another password')).body.error.code).toBe('invalid_credentials');
  expect((await change(PASSWORD, 'short')).status).toBe(400);
  expect((await change(PASSWORD, 'another password')).body).toMatchObject({ object: 'user', email: person.email });
  expect(await answers(elsewhere.access_token)).toBe(401);
  expect(await refresh(elsewhere.refresh_token)).toBe(401);
  expect([await answers(here.access_token), await refresh(here.refresh_token)]).toEqual([200, 200]);
  expect((await login(person)).error.code).toBe('invalid_credentials');
  expect((await login(person, 'another password')).token_type).toBe('Bearer');
  expect(await answers(person.readKey)).toBe(200);
});

test('a new password can keep logins and revoke keys; a common one is refused', async () => {
  const person = await freshPerson(api);
  const [here, elsewhere] = [await login(person), await login(person)];
  const change = (fields: object) =>
    api.call('POST', '/me/password', { body: { current_password: PASSWORD, ...fields }, ...bearer(here.access_token) });
  for (const new_password of [
    'Password123',
    '1234567890',
    person.email,
    `${person.email.split('@')[0]}`,
    ' \t      ',
  ]) {
    const { status, body } = await change({ new_password });
    expect([status, body.error?.details[0]?.path]).toEqual([400, 'body.new_password']);
  }
  const wish = { new_password: 'another password', end_logins: false, revoke_keys: true };
  expect((await change(wish)).status).toBe(200);
  expect(await answers(elsewhere.access_token)).toBe(200);
  expect([await answers(person.readKey), await answers(person.fullKey)]).toEqual([401, 401]);
  const keys = (await api.call('GET', '/api-keys', bearer(here.access_token))).body.data;
  expect(keys.map(({ status }: { status: string }) => status)).toEqual(['revoked', 'revoked']);
});

test('reuse of a copied refresh token ends the access tokens of its family', async () => {
  const person = await freshPerson(api);
  const first = await login(person);
  await api.services.database.refreshTokens.revoke(familyOf(first.refresh_token), new Date());
  // Acts like a process that detects the reuse.
  await api.services.accounts.refresh(first.refresh_token).catch(() => {});
  await expect.poll(() => answers(first.access_token), { interval: 100 }).toBe(401);
});

test('refuses the token and key of a disabled user', async () => {
  const person = await freshPerson(api);
  expect([await answers(person.token), await answers(person.fullKey)]).toEqual([200, 200]);
  const command = NO_ACTOR;
  await api.services.accounts.users.setDisabled(command, person.id, true);
  const both = async () => [await answers(person.token), await answers(person.fullKey)];
  expect(await both()).toEqual([401, 401]);
  await api.services.accounts.users.setDisabled(command, person.id, false);
  expect(await answers(person.fullKey)).toBe(200);
  expect(await answers(person.token)).toBe(401);
});

test('an unknown user and a wrong password take the same time', async () => {
  // With the hashes of real users, unlike `freshPerson`.
  const add = () =>
    api.services.accounts.users.create(NO_ACTOR, { email: `${randomUUID()}@example.com`, password: PASSWORD });
  const people = await Promise.all(Array.from({ length: 8 }, add));
  // Measures this process's CPU time, which other load does not affect.
  const time = async (email: string) => {
    const before = process.cpuUsage();
    const { error } = await login({ email }, 'wrong password');
    expect(error.code).toBe('invalid_credentials');
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const [wrong, unknown]: [number[], number[]] = [[], []];
  await time(people[0]!.email);
  for (const [n, { email }] of people.entries()) {
    wrong.push(await time(email));
    unknown.push(await time(`nobody-${n}@example.com`));
  }
  // Noise only adds time, so the minimum is the real cost. Without hashing, it would be a tenth.
  const ratio = Math.min(...unknown) / Math.min(...wrong);
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

const familyOf = (token: string) => Buffer.from(token.slice(4), 'base64url').subarray(0, 16).toString('base64url');
