import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, PASSWORD, type Person } from '../test-people.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const anonymous = { authorization: null, 'x-scope-type': null };
const by = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const logIn = async ({ email }: Person, agent: string) => {
  const headers = { ...anonymous, 'user-agent': agent };
  return (await api.call('POST', '/auth/login', { body: { email, password: PASSWORD }, headers })).body;
};
const refresh = (refresh_token: string, agent: string) =>
  api.call('POST', '/auth/refresh', { body: { refresh_token }, headers: { ...anonymous, 'user-agent': agent } });
const agents = async (token: string) =>
  (await api.call('GET', '/me/logins', by(token))).body.data.map((one: { user_agent: string }) => one.user_agent);
const status = async (token: string) => (await api.call('GET', '/me', by(token))).status;

test('lists logins with device, address and last use, and marks the current one', async () => {
  const person = await freshPerson(api);
  const phone = await logIn(person, 'Phone/1');
  const laptop = await logIn(person, 'Laptop/1');
  const before = new Date().toISOString();
  await refresh(phone.refresh_token, `Phone/2 ${'x'.repeat(400)}`);
  const { body } = await api.call('GET', '/me/logins', by(laptop.access_token));
  expect(body.data).toHaveLength(3); // freshPerson logs in, too
  const [newest, older] = body.data;
  expect(newest).toMatchObject({
    id: expect.stringMatching(/^lgn_/),
    object: 'login',
    current: true,
    address: expect.stringContaining('127.0.0.1'),
    user_agent: 'Laptop/1',
  });
  expect(older).toMatchObject({ current: false, user_agent: expect.stringMatching(/^Phone\/2 x{292}$/) });
  expect(older.last_used_at >= before && older.created_at < before).toBe(true);
  const seen: string[] = [];
  for (let after = ''; ; ) {
    const page = (await api.call('GET', `/me/logins?limit=1${after}`, by(laptop.access_token))).body;
    seen.push(...page.data.map(({ id }: { id: string }) => id));
    if (!page.has_more) break;
    after = `&after=${encodeURIComponent(page.next_cursor)}`;
  }
  expect(seen).toEqual(body.data.map(({ id }: { id: string }) => id));
  expect((await api.call('GET', '/me/logins?after=x', by(laptop.access_token))).status).toBe(400);
  expect(JSON.stringify(body)).not.toContain(phone.refresh_token.slice(4, 26));
});

test('a user can end one login from another, with all its tokens', async () => {
  const [person, other] = [await freshPerson(api), await freshPerson(api)];
  const [phone, laptop] = [await logIn(person, 'Phone'), await logIn(person, 'Laptop')];
  const { data } = (await api.call('GET', '/me/logins', by(laptop.access_token))).body;
  const { id } = data.find(({ user_agent }: { user_agent: string }) => user_agent === 'Phone');
  expect((await api.call('DELETE', `/me/logins/${id}`, by(other.token))).status).toBe(404);
  expect(await status(phone.access_token)).toBe(200);
  const ended = await api.call('DELETE', `/me/logins/${id}`, by(laptop.access_token));
  expect(ended.body).toEqual({ id, object: 'login', deleted: true });
  expect(await status(phone.access_token)).toBe(401);
  expect((await refresh(phone.refresh_token, 'Phone')).status).toBe(401);
  expect(await agents(laptop.access_token)).not.toContain('Phone');
  expect((await api.call('DELETE', `/me/logins/${id}`, by(laptop.access_token))).status).toBe(404);
  const { data: entries } = (await api.call('GET', '/audit?action=login.ended', by(laptop.access_token))).body;
  expect(entries).toMatchObject([{ target: { type: 'login', id } }]);
});

test('ends all other logins at once', async () => {
  const person = await freshPerson(api);
  const [phone, laptop] = [await logIn(person, 'Phone'), await logIn(person, 'Laptop')];
  const ended = await api.call('DELETE', '/me/logins', by(laptop.access_token));
  expect(ended.body).toEqual({ object: 'logins', ended: 2 });
  expect([await status(phone.access_token), await status(person.token), await status(laptop.access_token)]).toEqual([
    401, 401, 200,
  ]);
  expect(await agents(laptop.access_token)).toEqual(['Laptop']);
});
