import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { newId } from '@chorus/contract';
import { programOf } from '@chorus/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { listenTo, startTestVoice, type TestVoice } from './test-voice.ts';

const PATH = '/api/v1/voice/ws';
const PERSONAL = { 'x-scope-type': 'personal' };

let own: TestVoice;
let bearer: { authorization: string };
beforeAll(async () => {
  own = await startTestVoice({ RATE_LIMIT_EXECUTIONS: '60', VOICE_MAX_SOCKETS: '20' });
  bearer = { authorization: `Bearer ${own.token}` };
});
afterAll(() => own.stop());

const keyOf = async (wanted: Partial<Parameters<typeof own.services.accounts.apiKeys.create>[2]> = {}) =>
  own.services.accounts.apiKeys.create(own.actor, own.user, { name: 'voice', permissions: ['run'], ...wanted });

async function ticket(): Promise<string> {
  const { accounts } = own.services;
  const scope = { scope_type: 'personal', workspace_id: null, agent_id: null } as const;
  return (await accounts.tickets.issue(await accounts.verify(own.token), scope)).ticket;
}

/** Opens a socket with only the given credentials and returns its first event and protocol. */
async function enter(path: string, headers: Record<string, string> = {}, protocols: string[] = []) {
  const socket = listenTo(new WebSocket(own.url + path, protocols, { headers }));
  await socket.next('session.created');
  const { protocol } = socket.client;
  socket.client.close();
  await socket.closed;
  return protocol;
}

test('announces, updates, and echoes the session, and rejects malformed events', async () => {
  const socket = own.open('/api/v1/realtime?model=gpt-realtime');
  const { session } = await socket.next('session.created');
  expect(session).toMatchObject({ type: 'realtime', output_modalities: ['audio'], session_id: null });

  socket.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Short.', tracing: 'auto' } });
  const updated = await socket.next('session.updated');
  expect(updated.session).toMatchObject({ instructions: 'Short.', ignored: ['tracing'] });
  expect(updated.session.audio.input.turn_detection).toMatchObject({ type: 'server_vad', interrupt_response: true });

  socket.send('{"type":');
  expect((await socket.next('error')).error).toMatchObject({ code: 'invalid_json', type: 'invalid_request_error' });
  socket.send({ type: 'no.such.event', event_id: 'mine' });
  expect((await socket.next('error')).error).toMatchObject({ code: 'unknown_event', event_id: 'mine' });
  expect(new Set(socket.events.map(({ event_id }) => event_id)).size).toBe(socket.events.length);
  socket.client.close();
  expect(await socket.closed).toMatchObject({ code: 1005 });
});

test('authenticates by header, subprotocol, and ticket, with scope in headers or query', async () => {
  const { secret } = await keyOf();
  expect(await enter(PATH, { ...bearer, ...PERSONAL })).toBe('');
  expect(await enter(`${PATH}/?scope_type=personal`, { authorization: `Bearer ${secret}` })).toBe('');
  expect(await enter('/api/v1/voice/realtime?x_scope_type=personal', { 'x-api-key': secret })).toBe('');
  const token = `openai-insecure-api-key.${own.token}`;
  const path = '/api/v1/realtime?scope_type=personal&model=x';
  expect(await enter(path, {}, ['realtime', token, 'openai-agents-sdk.1'])).toBe('realtime');
  expect(await enter(path, {}, [token])).toBe(token);
  expect(await enter(`${PATH}?ticket=${await ticket()}`)).toBe('');
  expect(await enter(`${PATH}?ticket=${await ticket()}&scope_type=personal`)).toBe('');
  await expect.poll(() => own.voice.connections()).toBe(0);
});

test("OpenAI's path needs no scope: the credential decides it", async () => {
  const path = '/openai/v1/realtime';
  const { workspaces } = own.services.database;
  const { id } = await workspaces.create({ name: 'Team' }, own.user.id);
  const bound = { authorization: `Bearer ${(await keyOf({ workspace_id: id })).secret}` };
  const unbound = { authorization: `Bearer ${(await keyOf()).secret}` };
  for (const headers of [bearer, unbound, bound]) await enter(`${path}?model=x`, headers);
  await enter(path, { ...bound, 'x-scope-type': 'workspace', 'x-workspace-id': id });
  await enter(path, {}, ['realtime', `openai-insecure-api-key.${own.token}`]);
  await enter(`${path}?ticket=${await ticket()}`);
  for (const headers of [
    { ...bound, ...PERSONAL },
    { ...unbound, 'x-workspace-id': id },
  ])
    expect(await own.refused(path, headers)).toMatchObject({
      status: 422,
      error: { type: 'invalid_request_error', code: 'invalid_scope', param: expect.stringContaining('headers.x-') },
    });
  const { status, error } = await own.refused(path, {});
  expect([status, Object.keys(error), error.code]).toEqual([401, ['message', 'type', 'param', 'code'], 'unauthorized']);
});

test('refuses unauthorized requests before the upgrade, as any route does', async () => {
  const { secret } = await keyOf({ permissions: ['read'] });
  const used = await ticket();
  await enter(`${PATH}?ticket=${used}`);
  const nobodys = '018f5b7e-0000-7000-8000-000000000000';
  const cases: [string, Record<string, string>, number, string, string[]?][] = [
    [PATH, PERSONAL, 401, 'unauthorized'],
    [PATH, { ...PERSONAL, authorization: 'Bearer nonsense' }, 401, 'unauthorized'],
    [PATH, { ...PERSONAL, authorization: 'Basic abc' }, 401, 'unauthorized'],
    [PATH, PERSONAL, 401, 'unauthorized', ['openai-insecure-api-key.nonsense']],
    [PATH, { ...PERSONAL, ...bearer, 'x-api-key': secret }, 401, 'conflicting_credentials'],
    [`${PATH}?ticket=x`, { ...PERSONAL, ...bearer }, 401, 'conflicting_credentials'],
    [PATH, { ...PERSONAL, ...bearer }, 401, 'conflicting_credentials', ['openai-insecure-api-key.x']],
    [`${PATH}?ticket=${used}`, PERSONAL, 401, 'unauthorized'],
    [`${PATH}?ticket=${await ticket()}&scope_type=workspace`, {}, 422, 'invalid_scope'],
    [PATH, bearer, 422, 'invalid_scope'],
    [`${PATH}?scope_type=planet`, bearer, 422, 'invalid_scope'],
    [`${PATH}?scope_type=workspace`, { ...bearer, ...PERSONAL }, 422, 'invalid_scope'],
    [`${PATH}?scope_type=workspace&workspace_id=nonsense`, bearer, 422, 'invalid_scope'],
    [`${PATH}?scope_type=workspace&workspace_id=${nobodys}`, bearer, 403, 'workspace_forbidden'],
    [`${PATH}?scope_type=personal&agent_id=${newId('agent')}`, bearer, 422, 'invalid_header'],
    [PATH, { ...PERSONAL, 'x-api-key': secret }, 403, 'forbidden'],
    [`${PATH}?session_id=${newId('session')}`, { ...bearer, ...PERSONAL }, 404, 'not_found'],
    [`${PATH}?session_id=nonsense`, { ...bearer, ...PERSONAL }, 404, 'not_found'],
    [`${PATH}?intent=transcription`, { ...bearer, ...PERSONAL }, 400, 'invalid_request'],
    [`${PATH}?call_id=1`, { ...bearer, ...PERSONAL }, 400, 'invalid_request'],
    [`${PATH}?EIO=3&transport=websocket`, { ...bearer, ...PERSONAL }, 400, 'invalid_request'],
    [`${PATH}?EIO=4&transport=websocket&sid=x`, { ...bearer, ...PERSONAL }, 400, 'invalid_request'],
    ['/api/v1/voice/other', { ...bearer, ...PERSONAL }, 404, 'route_not_found'],
  ];
  for (const [path, headers, status, code, protocols] of cases) {
    const answer = await own.refused(path, { 'x-request-id': 'mine', ...headers }, protocols);
    expect([path, answer.status, answer.error.code]).toEqual([path, status, code]);
    expect(answer.error.request_id).toBe('mine');
    expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'content-type': 'application/json; charset=utf-8' });
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  }
  expect(own.voice.connections()).toBe(0);
});

test('lets editors of a workspace speak there, but not viewers', async () => {
  const { accounts } = own.services;
  const { id } = await accounts.workspaces.create(own.actor, own.user.id, 'Garden');
  const scope = `?scope_type=workspace&workspace_id=${id}`;
  const password = 'correct horse';
  for (const role of ['viewer', 'editor'] as const) {
    const email = `${role}-${id}@example.org`;
    const user = await accounts.users.create(own.actor, { email, password });
    await accounts.workspaces.addMember(own.actor, id, user.id, role);
    const { access_token } = await accounts.login({ email, password }, { address: '127.0.0.1' });
    const headers = { authorization: `Bearer ${access_token}` };
    if (role === 'editor') expect(await enter(PATH + scope, headers)).toBe('');
    else expect((await own.refused(PATH + scope, headers)).error.code).toBe('role_forbidden');
  }
});

test('limits a workspace key to its workspace, also through a ticket', async () => {
  const { accounts } = own.services;
  const { id } = await accounts.workspaces.create(own.actor, own.user.id, 'Garden');
  const other = await accounts.workspaces.create(own.actor, own.user.id, 'Park');
  const { secret } = await keyOf({ workspace_id: id });
  const headers = { authorization: `Bearer ${secret}` };
  const within = (workspace: string) => `${PATH}?scope_type=workspace&workspace_id=${workspace}`;
  expect(await enter(within(id), headers)).toBe('');
  expect((await own.refused(`${PATH}?scope_type=personal`, headers)).error.code).toBe('forbidden');
  expect((await own.refused(within(other.id), headers)).error.code).toBe('workspace_forbidden');
  const credential = await accounts.verify(secret);
  const ticketTo = async (workspace_id: string) => {
    const scope = { scope_type: 'workspace', workspace_id, agent_id: null } as const;
    return `${PATH}?ticket=${(await accounts.tickets.issue(credential, scope)).ticket}`;
  };
  expect(await enter(await ticketTo(id))).toBe('');
  expect((await own.refused(await ticketTo(other.id), {})).error.code).toBe('workspace_forbidden');
});

test('accepts a ticket only once under concurrent use', async () => {
  const path = `${own.url}${PATH}?ticket=${await ticket()}`;
  const ends = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const client = new WebSocket(path);
      client.on('error', () => undefined);
      const opened = once(client, 'open').then(() => 'in');
      const end = await Promise.race([
        opened,
        once(client, 'unexpected-response').then(([, answer]) => answer.statusCode),
      ]);
      client.terminate();
      return end;
    }),
  );
  expect(ends.filter((end) => end === 'in')).toHaveLength(1);
  expect(ends.filter((end) => end === 401)).toHaveLength(7);
});

test('closes the socket of a revoked key with the reason', async () => {
  const { id, secret } = await keyOf();
  const other = own.open();
  const socket = listenTo(new WebSocket(own.url + PATH, { headers: { 'x-api-key': secret, ...PERSONAL } }));
  await Promise.all([socket.next('session.created'), other.next('session.created')]);
  await own.services.accounts.apiKeys.revoke(own.actor, own.user.id, id);
  expect((await socket.next('error')).error.code).toBe('unauthorized');
  expect(await socket.closed).toMatchObject({ code: 4001, reason: expect.stringMatching(/API key/) });
  other.send({ type: 'session.update', session: {} });
  await other.next('session.updated');
  other.client.close();
});

test('limits a user to half of the sockets and counts each as one execution', async () => {
  await expect.poll(() => own.voice.connections()).toBe(0);
  const opened = Array.from({ length: 10 }, () => own.open());
  await Promise.all(opened.map((socket) => socket.next('session.created')));
  const full = await own.refused(PATH, { ...bearer, ...PERSONAL });
  expect(full).toMatchObject({ status: 503, error: { code: 'overloaded' }, headers: { 'retry-after': '5' } });
  for (const { client } of opened) client.close();
  await expect.poll(() => own.voice.connections()).toBe(0);

  const { secret } = await keyOf({ rate_limit: 1 });
  await enter(PATH, { 'x-api-key': secret, ...PERSONAL });
  const spent = await own.refused(PATH, { 'x-api-key': secret, ...PERSONAL });
  expect(spent).toMatchObject({ status: 429, error: { code: 'rate_limited' } });
  expect(spent.headers['ratelimit-policy']).toContain('"key";q=1');
});

test('runs as its own process and tells clients when it stops', async () => {
  const { NODE_COMPILE_CACHE, PATH: path } = process.env;
  const env = {
    ...own.env,
    NODE_COMPILE_CACHE,
    PATH: path,
    VOICE_PORT: '0',
    CHORUS_READY_FD: '3',
    CHORUS_TEST_KEEP_MEMORY: '1',
  };
  const main = programOf('apps/voice/src/main.ts');
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdio[3] as Readable }), 'line');
  const { port } = JSON.parse(line);
  expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()).toEqual({ status: 'ok' });
  expect((await fetch(`http://127.0.0.1:${port}${PATH}`)).status).toBe(404);
  const socket = listenTo(new WebSocket(`ws://127.0.0.1:${port}${PATH}`, { headers: { ...bearer, ...PERSONAL } }));
  await socket.next('session.created');
  const metricsOf = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${port}/metrics`, { headers });
  expect(await (await metricsOf({})).text()).toContain('\nchorus_open_voice_sockets 1\n');
  expect((await metricsOf({ 'x-forwarded-for': '203.0.113.7' })).status).toBe(401);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await socket.closed).toMatchObject({ code: 1001 });
  expect(await exited).toEqual([0, null]);
});

test('refuses tickets while Redis is down and keeps open sockets', async () => {
  const socket = own.open();
  await socket.next('session.created');
  const path = `${PATH}?ticket=${await ticket()}`;
  await own.redis.kill();
  const answer = await own.refused(path, {});
  expect(answer).toMatchObject({ status: 503, error: { code: 'store_unavailable' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  await own.redis.restart();
  socket.send({ type: 'session.update', session: {} });
  await socket.next('session.updated');
  socket.client.close();
});
