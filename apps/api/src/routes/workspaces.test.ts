import { createHash, randomUUID } from 'node:crypto';
import { newId, type Role } from '@chorus/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallOptions, startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, freshWorkspace, PASSWORD, type Person } from '../test-people.ts';

let api: TestApi;
let founder: Person;
beforeAll(async () => {
  api = await startTestApi();
  founder = await freshPerson(api);
});
afterAll(() => api.stop());

const as = (person: Person, method: string, path: string, body?: unknown, headers: CallOptions['headers'] = {}) =>
  api.call(method, path, {
    headers: { authorization: `Bearer ${person.token}`, ...headers },
    ...(body ? { body } : {}),
  });
const outcomeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code ?? 'ok'}`;
const anonymous = { authorization: null, 'x-scope-type': null };

test('a workspace is created, listed, read, renamed and deleted, after which no one has access', async () => {
  const made = await as(founder, 'POST', '/workspaces', { name: ' Garden ' });
  expect(made.body).toMatchObject({ object: 'workspace', name: 'Garden', role: 'owner' });
  const { id } = made.body;
  const inside = { 'x-scope-type': 'workspace', 'x-workspace-id': id };
  expect((await as(founder, 'GET', '/workspaces')).body.data).toContainEqual(made.body);
  expect((await as(founder, 'GET', `/workspaces/${id.toUpperCase()}`)).body).toEqual(made.body);
  expect((await as(founder, 'PATCH', `/workspaces/${id}`, { name: 'Park' }, inside)).body.name).toBe('Park');
  const session = (await as(founder, 'POST', '/sessions', { title: 'x' }, inside)).body;
  expect((await as(founder, 'GET', `/sessions/${session.id}`, undefined, inside)).status).toBe(200);

  expect((await as(founder, 'DELETE', `/workspaces/${id}`)).body).toEqual({ id, object: 'workspace', deleted: true });
  const enter = async () => outcomeOf(await as(founder, 'GET', '/sessions', undefined, inside));
  expect(await enter()).toBe('403 workspace_forbidden');
  expect(outcomeOf(await as(founder, 'GET', `/workspaces/${id}`))).toBe('404 not_found');
  expect((await as(founder, 'GET', '/workspaces')).body.data).toEqual([]);
});

/** Invites as the platform's first user, who is an operator and a member. */
async function invitedByOperator(workspace: string, body: object) {
  const { accounts, database } = api.services;
  const operator = await accounts.users.findByEmail(api.login.email);
  await database.workspaces.addMember(workspace, operator.id, 'owner').catch(() => {});
  return (await api.call('POST', `/workspaces/${workspace}/invitations`, { body })).body;
}
const accept = (body: object) => api.call('POST', '/invitations/accept', { body, headers: anonymous });
const join = (person: Person, token: string) => as(person, 'POST', '/me/invitations/accept', { token });

test('an operator’s invitation signs up a new user, once', async () => {
  const workspace = await freshWorkspace(api, founder, []);
  const email = `${randomUUID()}@example.com`;
  const { token, ...shown } = await invitedByOperator(workspace, { email, role: 'editor' });
  expect(token).toMatch(/^chi_/);
  expect(shown).toMatchObject({ object: 'invitation', email, role: 'editor', new_account: true });
  const open = await as(founder, 'GET', `/workspaces/${workspace}/invitations`);
  expect(open.body.data).toEqual([shown]);

  for (const password of ['short', 'password123', email.toUpperCase(), '          ', 'zzzzzzzzz'])
    expect([password, outcomeOf(await accept({ token, password }))]).toEqual([password, '400 invalid_request']);
  const accepted = await accept({ token, password: PASSWORD });
  expect(accepted.body).toMatchObject({ token_type: 'Bearer', user: { email, operator: false } });
  const inside = { 'x-scope-type': 'workspace', 'x-workspace-id': workspace };
  const authorization = `Bearer ${accepted.body.access_token}`;
  const me = await api.call('GET', '/me', { headers: { authorization, ...inside } });
  expect(me.body.scope).toEqual({ type: 'workspace', workspace_id: workspace, role: 'editor' });
  expect(outcomeOf(await accept({ token, password: PASSWORD }))).toBe('404 not_found');
  expect((await as(founder, 'GET', `/workspaces/${workspace}/invitations`)).body.data).toEqual([]);
  const again = await as(founder, 'POST', `/workspaces/${workspace}/invitations`, { email });
  expect(outcomeOf(again)).toBe('409 conflict');
});

test('a user’s invitation creates no account, and does not reveal whether one exists', async () => {
  const workspace = await freshWorkspace(api, founder, []);
  const somebody = await freshPerson(api);
  const email = `${randomUUID()}@example.com`;
  const invite = async (whom: string) =>
    (await as(founder, 'POST', `/workspaces/${workspace}/invitations`, { email: whom })).body;
  const [unknown, known] = [await invite(email), await invite(somebody.email)];
  expect([unknown.new_account, known.new_account]).toEqual([false, false]);
  const answers = [];
  for (const { token } of [unknown, known, await invitedByOperator(workspace, { email: somebody.email })]) {
    for (const password of ['another password of mine', PASSWORD, '123456789']) {
      const { status, body } = await accept({ token, password });
      answers.push({ password, status, error: { ...body.error, request_id: null } });
    }
  }
  expect(answers.slice(3, 6)).toEqual(answers.slice(0, 3));
  expect(answers.slice(6)).toEqual(answers.slice(0, 3));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 400, 401, 401, 400, 401, 401, 400]);
  expect(await api.services.database.users.findByEmail(email)).toBeNull();
});

test('an operator’s key invites new users only with the permission `operator`', async () => {
  const { id } = (await api.call('POST', '/workspaces', { body: { name: 'x' } })).body;
  const inviteWith = async (permissions: string[]) => {
    const { secret } = (await api.call('POST', '/api-keys', { body: { name: 'x', permissions } })).body;
    const headers = { authorization: `Bearer ${secret}` };
    const body = { email: `${randomUUID()}@example.com` };
    return (await api.call('POST', `/workspaces/${id}/invitations`, { body, headers })).body.new_account;
  };
  expect([await inviteWith(['manage']), await inviteWith(['manage', 'operator'])]).toEqual([false, true]);
});

test('users with an account log in to accept, with the invited address only', async () => {
  const workspace = await freshWorkspace(api, founder, []);
  const [joiner, other] = [await freshPerson(api), await freshPerson(api)];
  const invite = async () =>
    (await as(founder, 'POST', `/workspaces/${workspace}/invitations`, { email: joiner.email })).body;
  const { token } = await invite();
  expect(outcomeOf(await join(other, token))).toBe('403 forbidden');
  const revoked = await invite();
  await as(founder, 'DELETE', `/workspaces/${workspace}/invitations/${revoked.id}`);
  expect(outcomeOf(await join(joiner, revoked.token))).toBe('404 not_found');
  expect(outcomeOf(await join({ ...joiner, token: joiner.fullKey }, token))).toBe('403 forbidden');
  expect((await join(joiner, token)).body).toMatchObject({ id: workspace, object: 'workspace', role: 'viewer' });
  expect((await as(joiner, 'GET', '/workspaces')).body.data).toMatchObject([{ id: workspace, role: 'viewer' }]);
  expect(outcomeOf(await join(joiner, token))).toBe('404 not_found');
});

test('anyone can invite new users if the setting allows it; older invitations depend on their creator', async () => {
  const open = await startTestApi({ INVITE_NEW_USERS: 'anyone' });
  try {
    const person = await freshPerson(open);
    const workspace = await freshWorkspace(open, person, []);
    const headers = { authorization: `Bearer ${person.token}` };
    const body = { email: `${randomUUID()}@example.com` };
    const invited = await open.call('POST', `/workspaces/${workspace}/invitations`, { body, headers });
    const accepted = { token: invited.body.token, password: PASSWORD };
    const { status } = await open.call('POST', '/invitations/accept', { body: accepted, headers: anonymous });
    expect([invited.body.new_account, status]).toEqual([true, 200]);
  } finally {
    await open.stop();
  }

  const workspace = await freshWorkspace(api, founder, []);
  const operator = await api.services.accounts.users.findByEmail(api.login.email);
  const store = async (invited_by: string) => {
    const token = `chi_${randomUUID()}`;
    const token_hash = createHash('sha256').update(token).digest('base64url');
    const now = new Date();
    const [expires_at, email] = [new Date(now.getTime() + 60_000), `${randomUUID()}@example.com`];
    const record = { id: newId('invitation'), workspace_id: workspace, email, role: 'viewer', token_hash } as const;
    await api.services.database.invitations.insert({ ...record, invited_by, created_at: now, expires_at });
    return token;
  };
  expect(outcomeOf(await accept({ token: await store(operator.id), password: PASSWORD }))).toBe('200 ok');
  expect(outcomeOf(await accept({ token: await store(founder.id), password: PASSWORD }))).toBe('401 unauthorized');
});

test('admins manage viewers and editors, owners everyone; one owner always remains', async () => {
  const [admin, editor, owner] = await Promise.all([freshPerson(api), freshPerson(api), freshPerson(api)]);
  const id = await freshWorkspace(api, founder, [
    [admin, 'admin'],
    [editor, 'editor'],
    [owner, 'viewer'],
  ]);
  const change = async (by: Person, whom: Person, role: Role) =>
    outcomeOf(await as(by, 'PATCH', `/workspaces/${id}/members/${whom.id}`, { role }));
  const remove = async (by: Person, whom: Person) =>
    outcomeOf(await as(by, 'DELETE', `/workspaces/${id}/members/${whom.id}`));
  const leave = async (who: Person) => outcomeOf(await as(who, 'POST', `/workspaces/${id}/leave`));

  expect(await change(admin, editor, 'viewer')).toBe('200 ok');
  expect(await change(admin, editor, 'admin')).toBe('403 role_forbidden');
  expect(await change(admin, founder, 'viewer')).toBe('403 role_forbidden');
  expect(await remove(admin, founder)).toBe('403 role_forbidden');
  const chief = { email: 'x@example.com', role: 'admin' };
  expect(outcomeOf(await as(admin, 'POST', `/workspaces/${id}/invitations`, chief))).toBe('403 role_forbidden');

  expect(await leave(founder)).toBe('409 last_owner');
  expect(await change(founder, founder, 'admin')).toBe('409 last_owner');
  expect(await remove(founder, founder)).toBe('409 last_owner');
  expect(await change(founder, owner, 'owner')).toBe('200 ok');
  // Both leave at the same moment, and one remains.
  const both = await Promise.all([leave(founder), leave(owner)]);
  expect(both.toSorted()).toEqual(['200 ok', '409 last_owner']);

  const stayed = both[0] === '200 ok' ? owner : founder;
  expect(await remove(stayed, editor)).toBe('200 ok');
  const gone = async () =>
    outcomeOf(await as(editor, 'GET', '/sessions', undefined, { 'x-scope-type': 'workspace', 'x-workspace-id': id }));
  expect(await gone()).toBe('403 workspace_forbidden');
  const members = (await as(stayed, 'GET', `/workspaces/${id}/members`)).body.data;
  for (const list of [`/workspaces/${id}/members`, '/workspaces'])
    expect(outcomeOf(await as(stayed, 'GET', `${list}?after=nonsense`))).toBe('400 invalid_request');
  expect(members.map(({ email, role }: { email: string; role: string }) => [email, role]).toSorted()).toEqual(
    [
      [admin.email, 'admin'],
      [stayed.email, 'owner'],
    ].toSorted(),
  );
});

test('shows admins the audit log of the workspace, and users their own, without secrets', async () => {
  const person = await freshPerson(api);
  const id = await freshWorkspace(api, founder, [[person, 'viewer']]);
  const inside = { 'x-scope-type': 'workspace', 'x-workspace-id': id };
  const key = (await as(person, 'POST', '/api-keys', { name: 'CI', workspace_id: id })).body;
  await as(founder, 'PATCH', `/workspaces/${id}/members/${person.id}`, { role: 'admin' });
  const session = (await as(person, 'POST', '/sessions', { title: 'secret title' }, inside)).body;
  await as(person, 'DELETE', `/sessions/${session.id}`, undefined, inside);
  const wrong = { email: person.email, password: 'wrong password' };
  await api.call('POST', '/auth/login', { body: wrong, headers: anonymous });

  const workspaceLog = await as(founder, 'GET', '/audit', undefined, inside);
  expect(workspaceLog.body.data.map(({ action }: { action: string }) => action)).toEqual([
    'session.deleted',
    'member.role_changed',
    'api_key.created',
  ]);
  expect(workspaceLog.body.data[1]).toMatchObject({
    object: 'audit_entry',
    actor: { type: 'user', user_id: founder.id, key_id: null, address: expect.stringContaining('127.0.0.1') },
    target: { type: 'user', id: person.id },
    details: { from: 'viewer', to: 'admin' },
    request_id: expect.any(String),
  });
  const failed = async () => (await as(person, 'GET', '/audit?action=login.failed')).body.data;
  await expect.poll(failed, { interval: 20 }).toHaveLength(1);
  expect((await failed())[0]).toMatchObject({ actor: { type: 'nobody', user_id: null } });
  const mine = await as(person, 'GET', `/audit?user_id=${person.id}&limit=2`);
  expect(mine.body).toMatchObject({
    has_more: false,
    data: [{ action: 'api_key.created' }, { action: 'login.succeeded' }],
  });
  const all = JSON.stringify([workspaceLog.body, (await as(person, 'GET', '/audit')).body]);
  for (const secret of [key.secret.slice(16), PASSWORD, 'wrong password', 'secret title', person.token])
    expect(all).not.toContain(secret);
});
