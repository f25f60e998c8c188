import { newId, type Owner } from '@chorus/contract';
import { newExecution } from '@chorus/executions';
import { eraseLeaving } from '@chorus/queue';
import { TINY_PNG } from '@chorus/testing';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readZip } from '../account/test-zip.ts';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, freshWorkspace, PASSWORD, recordMakers } from '../test-people.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const current_password = PASSWORD;
const as = (token: string, method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
  api.call(method, path, {
    headers: { authorization: `Bearer ${token}`, ...more },
    ...(body !== undefined && { body }),
  });
const eraseAll = () => eraseLeaving({ ...api.services, removeEntry: async () => undefined });

test('downloads what a user made in all scopes, and nothing of others', async () => {
  const [person, other] = await Promise.all([freshPerson(api), freshPerson(api)]);
  const workspace = await freshWorkspace(api, other, [[person, 'editor']]);
  const make = recordMakers(api);
  const scopeOf = (user_id: string) => ({ scope: 'workspace', user_id, workspace_id: workspace }) as const;
  const session = await make.answeredSession({ scope: 'personal', user_id: person.id, workspace_id: null });
  const [mine, theirs] = [await make.agent(scopeOf(person.id)), await make.agent(scopeOf(other.id))];
  await as(person.token, 'PATCH', '/me/instructions', { about_me: 'I sail.' });
  const temporary = (await as(person.token, 'POST', '/sessions', { temporary: true })).body.id;
  const input = { model: 'test/x', settings: {}, source: { type: 'messages', messages: [] } };
  const owner: Owner = { scope: 'personal', user_id: person.id, workspace_id: null };
  const work = { kind: 'chat.completion' as const, owner, model: 'test/x', input };
  const [kept, hidden] = [newId('job'), newId('job')];
  await api.services.database.executions.insert(newExecution({ ...work, id: kept }));
  await api.services.database.executions.insert(newExecution({ ...work, id: hidden, session_id: temporary }));
  const form = new FormData();
  form.set('file', new Blob([TINY_PNG]), 'boat.png');
  const asset = (await as(person.token, 'POST', '/assets', form)).body.id;

  const download = async (query: string) => {
    const headers = { authorization: `Bearer ${person.token}`, 'x-scope-type': 'personal' };
    const answer = await fetch(`${api.url}/api/v1/me/export${query}`, { headers });
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="chorus-[\d-]+\.zip"$/);
    return readZip(Buffer.from(await answer.arrayBuffer()));
  };
  const files = await download('');
  const lines = (name: string) =>
    String(files.get(name))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const account = JSON.parse(String(files.get('account.json')));
  expect(account).toMatchObject({
    email: person.email,
    custom_instructions: { about_me: 'I sail.' },
    workspaces: [{ id: workspace, name: 'Team', role: 'editor' }],
  });
  expect(lines('personal/conversations.ndjson')).toMatchObject([
    { id: session, messages: [{ content: 'One' }, { content: 'Two' }] },
  ]);
  expect(lines('api-keys.ndjson')).toHaveLength(2);
  expect(files.get(`personal/files/${asset}-boat.png`)?.equals(TINY_PNG)).toBe(true);
  expect(lines(`workspaces/${workspace}/agents.ndjson`).map(({ id }) => id)).toEqual([mine]);
  const all = Buffer.concat([...files.values()]).toString();
  expect(all).toContain(kept);
  for (const absent of [theirs, temporary, hidden, person.fullKey, 'password_hash']) expect(all).not.toContain(absent);
  const { redis } = api.services;
  await redis.set(`chorus:{export:${person.id}}`, 'another request');
  expect((await as(person.token, 'GET', '/me/export')).body.error).toMatchObject({
    code: 'limit_reached',
    status: 429,
  });
  await redis.del(`chorus:{export:${person.id}}`);
  expect((await download('?files=false')).has(`personal/files/${asset}-boat.png`)).toBe(false);
});

test('deletes an account with the password and a code, and erases it', async () => {
  const [person, member] = await Promise.all([freshPerson(api), freshPerson(api)]);
  const shared = await freshWorkspace(api, person, [[member, 'admin']]);
  const own = await freshWorkspace(api, person, []);
  const { secret } = (await as(person.token, 'POST', '/me/totp', { current_password })).body;
  await as(person.token, 'POST', '/me/totp/confirm', { code: generateSync({ secret }) });
  const leave = (body: object) => as(person.token, 'POST', '/me/deletion', body);
  const codeOf = async (answer: ReturnType<typeof leave>) => (await answer).body.error?.code;

  expect((await as(person.token, 'GET', '/me/deletion')).body).toEqual({
    object: 'account_deletion',
    password: true,
    identity_provider: null,
    needs_code: true,
    erased_workspaces: [{ id: own, name: 'Team' }],
    blocking_workspaces: [{ id: shared, name: 'Team' }],
    only_operator: false,
  });
  const code = generateSync({ secret, epoch: Date.now() / 1_000 + 30 });
  expect(await codeOf(leave({ current_password, code }))).toBe('conflict');
  const heir = (await freshPerson(api)).id;
  await api.services.database.workspaces.addMember(shared, heir, 'owner');
  expect(await codeOf(leave({ current_password }))).toBe('invalid_request');
  expect(await codeOf(leave({ current_password: 'wrong', code }))).toBe('invalid_credentials');
  expect(await codeOf(leave({ current_password, code: '000000' }))).toBe('invalid_totp_code');
  const left = await leave({ current_password, code });
  expect(left.body).toEqual({ id: person.id, object: 'user', deleted: true });
  await expect.poll(async () => (await as(person.token, 'GET', '/me')).status).toBe(401);
  const enabled = await api.call('PATCH', `/users/${person.id}`, { body: { disabled: false } });
  expect(enabled.body.error.code).toBe('conflict');

  expect(await eraseAll()).toBe(1);
  const { users, workspaces } = api.services.database;
  expect(await users.findById(person.id)).toBeNull();
  expect([await workspaces.get(own), (await workspaces.get(shared))?.name]).toEqual([null, 'Team']);
  expect(await workspaces.giveUpOwnership(shared, heir)).toBe(false); // the last owner
  expect(await eraseAll()).toBe(0);
  const last = await api.call('POST', '/me/deletion', { body: { current_password: api.login.password } });
  expect(last.body.error).toMatchObject({ code: 'conflict', message: expect.stringContaining('only operator') });
});
