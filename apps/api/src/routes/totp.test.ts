import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, PASSWORD, type Person } from '../test-people.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const anonymous = { authorization: null, 'x-scope-type': null };
const as = (token: string, method: string, path: string, body?: object) =>
  api.call(method, path, { headers: { authorization: `Bearer ${token}` }, ...(body && { body }) });
const open = (path: string, body: object) => api.call('POST', path, { body, headers: anonymous });
const logIn = ({ email }: Person, more: object = {}) => open('/auth/login', { email, password: PASSWORD, ...more });
const codeOf = ({ body }: { body: { error?: { code: string } } }) => body.error?.code ?? 'ok';
/** Returns the current code, or the next one, which is already valid. */
const code = (secret: string, steps: 0 | 1) => generateSync({ secret, epoch: Date.now() / 1_000 + 30 * steps });
const current_password = PASSWORD;

/** Creates a user with two-factor authentication. The current code is used up. */
async function enrolled() {
  const person = await freshPerson(api);
  const begun = (await as(person.token, 'POST', '/me/totp', { current_password })).body;
  const confirmed = await as(person.token, 'POST', '/me/totp/confirm', { code: code(begun.secret, 0) });
  return { person, secret: begun.secret as string, recovery: confirmed.body.recovery_codes as string[], begun };
}

test('is set up with the password and a code, and returns recovery codes once', async () => {
  const person = await freshPerson(api);
  expect(codeOf(await as(person.token, 'POST', '/me/totp', { current_password: 'wrong' }))).toBe('invalid_credentials');
  const { body } = await as(person.token, 'POST', '/me/totp', { current_password });
  expect(body).toMatchObject({ object: 'totp.enrolment', secret: expect.stringMatching(/^[A-Z2-7]{32}$/) });
  const uri = new URL(body.uri);
  expect([uri.protocol, uri.searchParams.get('secret'), uri.searchParams.get('issuer')]).toEqual([
    'otpauth:',
    body.secret,
    'Chorus',
  ]);
  // Login does not ask for it yet.
  expect(codeOf(await logIn(person))).toBe('ok');
  expect(codeOf(await as(person.token, 'POST', '/me/totp/confirm', { code: '000 000' }))).toBe('invalid_totp_code');
  const confirmed = await as(person.token, 'POST', '/me/totp/confirm', { code: code(body.secret, 0) });
  expect(confirmed.body.recovery_codes).toHaveLength(10);
  expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
  expect((await as(person.token, 'GET', '/me/totp')).body).toMatchObject({ enabled: true, recovery_codes_left: 10 });
  expect(codeOf(await as(person.token, 'POST', '/me/totp', { current_password }))).toBe('conflict');
  const stored = JSON.stringify(await api.services.database.totp.get(person.id));
  for (const one of confirmed.body.recovery_codes) expect(stored).not.toContain(one);
});

test('login asks for a code in a second step, or accepts it with the password', async () => {
  const { person, secret, recovery } = await enrolled();
  const first = await logIn(person);
  expect([first.status, codeOf(first)]).toEqual([401, 'totp_required']);
  const { challenge, expires_in } = first.body.error;
  expect(expires_in).toBe(300);
  const second = (given: string, of = challenge) => open('/auth/totp', { challenge: of, code: given });
  expect(codeOf(await second('000000'))).toBe('invalid_totp_code');
  expect(codeOf(await second(code(secret, 1), 'chl_x'))).toBe('unauthorized');
  const now = code(secret, 1);
  const done = await second(` ${now.slice(0, 3)} ${now.slice(3)} `);
  expect(done.body).toMatchObject({ token_type: 'Bearer', user: { id: person.id } });
  expect((await as(done.body.access_token, 'GET', '/me')).status).toBe(200);
  // The challenge and the code are used up.
  expect(codeOf(await second(code(secret, 1)))).toBe('unauthorized');
  expect(codeOf(await logIn(person, { totp_code: now }))).toBe('invalid_totp_code');
  expect(codeOf(await logIn(person, { totp_code: recovery[0] }))).toBe('ok');
  expect(codeOf(await logIn(person, { password: 'wrong', totp_code: code(secret, 1) }))).toBe('invalid_credentials');
});

test('a challenge ends with the password that it was created for', async () => {
  const { person, secret } = await enrolled();
  const { challenge } = (await logIn(person)).body.error;
  const wish = { current_password, new_password: 'quite another password' };
  expect((await as(person.token, 'POST', '/me/password', wish)).status).toBe(200);
  expect(codeOf(await open('/auth/totp', { challenge, code: code(secret, 1) }))).toBe('unauthorized');
});

test('accepts only one of two simultaneous uses of a code', async () => {
  const { person, secret, recovery } = await enrolled();
  for (const totp_code of [code(secret, 1), recovery[0]]) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => logIn(person, { totp_code })));
    expect(answers.map(codeOf).filter((one) => one === 'ok')).toHaveLength(1);
    await logIn(person, { totp_code: recovery.pop() });
  }
});

test('a recovery code works once, in any notation, and is audited', async () => {
  const { person, recovery } = await enrolled();
  const typed = String(recovery[3]).replaceAll('-', ' ').toUpperCase();
  const entered = await logIn(person, { totp_code: typed });
  expect(codeOf(entered)).toBe('ok');
  expect(codeOf(await logIn(person, { totp_code: recovery[3] }))).toBe('invalid_totp_code');
  const { body } = await as(entered.body.access_token, 'GET', '/me/totp');
  expect(body.recovery_codes_left).toBe(9);
  const audit = (await as(entered.body.access_token, 'GET', '/audit?limit=100')).body.data;
  expect(audit.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['totp.enabled', 'totp.recovery_code_used', 'login.failed']),
  );
  expect(JSON.stringify(audit)).not.toContain(recovery[3]);
});

test('slows down guesses of codes across challenges', async () => {
  const { person, secret } = await enrolled();
  const { challenge } = (await logIn(person)).body.error;
  const guess = (n: number) => open('/auth/totp', { challenge, code: String(100_000 + n) });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => guess(n)));
  expect(answers.map(codeOf).filter((one) => one === 'rate_limited').length).toBeGreaterThanOrEqual(6);
  const limited = answers.find(({ status }) => status === 429);
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
  await expect
    .poll(async () => codeOf(await logIn(person, { totp_code: code(secret, 1) })), { interval: 200, timeout: 20_000 })
    .toBe('ok');
});

test('is turned off with password and code, and nothing less', async () => {
  const { person, secret, recovery } = await enrolled();
  const disable = (body: object) => as(person.token, 'POST', '/me/totp/disable', body);
  expect((await disable({ current_password })).status).toBe(400);
  expect(codeOf(await disable({ current_password: 'wrong', code: code(secret, 1) }))).toBe('invalid_credentials');
  expect(codeOf(await disable({ current_password, code: '000000' }))).toBe('invalid_totp_code');
  const renewed = await as(person.token, 'POST', '/me/totp/recovery-codes', { current_password, code: recovery[0] });
  expect(renewed.body.recovery_codes).toHaveLength(10);
  expect(codeOf(await disable({ current_password, code: recovery[1] }))).toBe('invalid_totp_code');
  expect((await disable({ current_password, code: code(secret, 1) })).body).toMatchObject({ enabled: false });
  expect(codeOf(await logIn(person))).toBe('ok');
});

test('an operator can turn it off for a user who has lost everything', async () => {
  const { person } = await enrolled();
  expect(codeOf(await logIn(person))).toBe('totp_required');
  expect((await as(person.token, 'DELETE', `/users/${person.id}/totp`)).status).toBe(403);
  const reset = await api.call('DELETE', `/users/${person.id}/totp`);
  expect(reset.body).toEqual({ id: person.id, object: 'totp', deleted: true });
  expect((await api.call('DELETE', `/users/${person.id}/totp`)).status).toBe(404);
  expect(codeOf(await logIn(person))).toBe('ok');
  const { data } = (await as(person.token, 'GET', '/audit?action=totp.reset')).body;
  expect(data).toMatchObject([{ actor: { type: 'user' }, target: { id: person.id } }]);
});
