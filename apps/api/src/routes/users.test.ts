import { randomUUID } from 'node:crypto';
import { newId, type Owner } from '@chorus/contract';
import { newExecution } from '@chorus/executions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSecondApi, startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, freshWorkspace, type Person } from '../test-people.ts';

let api: TestApi;
let elsewhere: Awaited<ReturnType<typeof startSecondApi>>;
beforeAll(async () => {
  api = await startTestApi({ BATCHES_PER_USER: '7' });
  elsewhere = await startSecondApi(api);
});
afterAll(async () => {
  await elsewhere?.stop();
  await api?.stop();
});

const by = ({ token }: Person) => ({ headers: { authorization: `Bearer ${token}` } });
const change = (id: string, body: object) => api.call('PATCH', `/users/${id}`, { body });

test('a disabled user is refused everywhere within a second, and works again once enabled', async () => {
  const person = await freshPerson(api);
  const asKey = { headers: { authorization: null, 'x-api-key': person.fullKey } };
  const statuses = async () => [
    (await elsewhere.call('GET', '/me', by(person))).status,
    (await elsewhere.call('GET', '/me', asKey)).status,
  ];
  expect(await statuses()).toEqual([200, 200]);
  expect((await change(person.id, { disabled: true })).body.disabled_at).toEqual(expect.any(String));
  await expect.poll(statuses, { timeout: 1_000, interval: 50 }).toEqual([401, 401]);
  expect((await change(person.id, { disabled: false })).body.disabled_at).toBeNull();
  // The login has ended; the key works again.
  await expect.poll(statuses, { timeout: 1_000, interval: 50 }).toEqual([401, 200]);
  const { data } = (await api.call('GET', '/audit')).body;
  expect(data.slice(0, 2).map(({ action }: { action: string }) => action)).toEqual(['user.enabled', 'user.disabled']);
});

test('an operator can appoint another one, but cannot step down', async () => {
  const person = await freshPerson(api);
  const users = async () => (await elsewhere.call('GET', '/users', by(person))).status;
  expect(await users()).toBe(403);
  expect((await change(person.id, { operator: true })).body.operator).toBe(true);
  await expect.poll(users, { timeout: 1_000, interval: 50 }).toBe(200);
  await change(person.id, { operator: false });
  await expect.poll(users, { timeout: 1_000, interval: 50 }).toBe(403);
  const me = (await api.call('GET', '/me')).body.id;
  for (const body of [{ operator: false }, { disabled: true }]) {
    const refused = await change(me, body);
    expect(refused.body.error.details[0]).toEqual({
      path: `body.${Object.keys(body)[0]}`,
      message: 'cannot be changed for yourself. Ask another operator',
    });
  }
  expect((await change('usr_01h455vb4pex5vsknk084sn02q', { disabled: true })).status).toBe(404);
});

test('an invitation creates an account once, without a workspace', async () => {
  const email = `${randomUUID()}@example.com`;
  const { body: invitation } = await api.call('POST', '/users/invitations', { body: { email } });
  expect(invitation).toMatchObject({ object: 'user_invitation', email, token: expect.stringMatching(/^chi_/) });
  const listed = (await api.call('GET', '/users/invitations')).body.data;
  expect(listed).toMatchObject([{ id: invitation.id, email }]);
  expect(JSON.stringify(listed)).not.toContain(invitation.token);

  const accept = () =>
    api.call('POST', '/invitations/accept', {
      body: { token: invitation.token, password: 'correct horse battery' },
      headers: { authorization: null, 'x-scope-type': null },
    });
  const accepted = await accept();
  expect(accepted.body.user).toMatchObject({ email, operator: false });
  const as = { headers: { authorization: `Bearer ${accepted.body.access_token}` } };
  expect((await api.call('GET', '/workspaces', as)).body.data).toEqual([]);
  expect((await accept()).status).toBe(404);
  const again = await api.call('POST', '/users/invitations', { body: { email } });
  expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);

  const other = await api.call('POST', '/users/invitations', { body: { email: `x${email}` } });
  expect((await api.call('DELETE', `/users/invitations/${other.body.id}`)).status).toBe(200);
  expect((await api.call('GET', '/users/invitations')).body.data).toEqual([]);
});

test('sums the usage of all users in all scopes', async () => {
  const [one, other] = await Promise.all([freshPerson(api), freshPerson(api)]);
  const workspace = await freshWorkspace(api, one, [[other, 'editor']]);
  const { database } = api.services;
  const used = async (owner: Owner, cost_usd: number | null) => {
    const input = { model: 'embedded/assistant', settings: {}, source: { type: 'messages', messages: [] } };
    const record = newExecution({ id: newId('job'), kind: 'chat.completion', owner, model: input.model, input });
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3, cost_usd };
    await database.executions.insert({ ...record, status: 'succeeded', finished_at: new Date(), usage });
  };
  const personal = (user_id: string): Owner => ({ scope: 'personal', user_id, workspace_id: null });
  await used(personal(one.id), 0.5);
  await used(personal(other.id), null);
  await used({ scope: 'workspace', user_id: other.id, workspace_id: workspace }, 0.25);
  const counts = (unpriced_executions: number) => ({ unpriced_executions, estimated_executions: 0 });
  const { data, from, to } = (await api.call('GET', '/users/usage')).body;
  expect(data.filter(({ user_id }: { user_id: string }) => [one.id, other.id].includes(user_id))).toEqual(
    expect.arrayContaining([
      { day: to, user_id: one.id, executions: 1, total_tokens: 3, cost_usd: 0.5, ...counts(0) },
      { day: to, user_id: other.id, executions: 2, total_tokens: 6, cost_usd: 0.25, ...counts(1) },
    ]),
  );
  expect(from < to).toBe(true);
});

test('changes limits within a second, unless the environment sets them', async () => {
  const listed = async (name: string) =>
    (await api.call('GET', '/limits')).body.data.find((one: { name: string }) => one.name === name);
  expect(await listed('reads')).toMatchObject({ value: 6_000, source: 'standard', variable: 'RATE_LIMIT_READS' });
  const changed = await api.call('PATCH', '/limits', { body: { reads: 4_321, storage: 5_000_000 } });
  expect(changed.body.data).toContainEqual(expect.objectContaining({ name: 'storage', value: 5_000_000 }));
  const policy = async () => (await api.call('GET', '/me')).headers.get('ratelimit-policy');
  await expect.poll(policy).toContain('"reads";q=4321;');
  await expect.poll(() => api.services.assets.quota.limitBytes).toBe(5_000_000);
  await api.call('PATCH', '/limits', { body: { reads: null, storage: null } });
  await expect.poll(policy).toContain('"reads";q=6000;');
  expect(await listed('storage')).toMatchObject({ value: null, source: 'standard' });

  expect(await listed('batches')).toMatchObject({ value: 7, source: 'environment' });
  const refused = await api.call('PATCH', '/limits', { body: { batches: 8 } });
  expect(refused.body.error).toMatchObject({ code: 'conflict', message: expect.stringContaining('BATCHES_PER_USER') });
  const tooLow = await api.call('PATCH', '/limits', { body: { reads: 0 } });
  expect(tooLow.body.error.details).toMatchObject([{ path: 'body.reads' }]);
});
