import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { TEST_SECRET_ENV } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { connectServices } from '../connect-services.ts';
import { startTestApi, type TestApi } from '../test-api.ts';

let api: TestApi;
let second: { server: Server; url: string; close: () => Promise<void> };

/** Starts the equivalent of a second API process, with its own connections and caches. */
async function startSecond() {
  const env = { REDIS_URL: api.redis.url, MONGODB_URI: api.store.uri, LOG_LEVEL: 'silent', ...TEST_SECRET_ENV };
  const { services, close } = await connectServices(loadConfig(env), createLogger({ name: 'api', level: 'silent' }));
  const server = createServer(createApp(services)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

beforeAll(async () => {
  api = await startTestApi();
  second = await startSecond();
});
afterAll(async () => {
  second.server.close();
  second.server.closeAllConnections();
  await second.close();
  await api.stop();
});

const make = async (fields: object = {}) =>
  (await api.call('POST', '/api-keys', { body: { name: 'test', ...fields } })).body;
const asKey = (secret: string, more: Record<string, string> = {}) => ({
  headers: { authorization: null, 'x-api-key': secret, ...more },
});

/** Returns the status of a key at both APIs at the same moment. */
async function statusesOf(secret: string): Promise<number[]> {
  const headers = { 'x-api-key': secret, 'x-scope-type': 'personal' };
  const ask = async (url: string) => (await fetch(`${url}/api/v1/me`, { headers })).status;
  return Promise.all([ask(api.url), ask(second.url)]);
}

/** Uses a key at both APIs until both have cached it. */
async function warm(secret: string): Promise<void> {
  for (let n = 0; n < 5; n++) expect(await statusesOf(secret)).toEqual([200, 200]);
}

test('shows a key once, lists it without its secret, and stores a hash', async () => {
  const answer = await api.call('POST', '/api-keys', { body: { name: ' CI ', rate_limit: 100 } });
  expect(answer.status).toBe(200);
  const { secret, ...shown } = answer.body;
  expect(secret).toMatch(/^chk_[0-9a-z]{52}$/);
  expect(shown).toMatchObject({
    id: expect.stringMatching(/^key_/),
    object: 'api_key',
    name: 'CI',
    prefix: secret.slice(0, 16),
    status: 'active',
    permissions: ['read', 'write', 'run'],
    workspace_id: null,
    rate_limit: 100,
    expires_at: null,
    last_used_at: null,
  });
  const listed = await api.call('GET', '/api-keys');
  expect(listed.body.data).toContainEqual(shown);
  expect(JSON.stringify(listed.body)).not.toContain(secret.slice(16));
  const stored = JSON.stringify(await api.services.database.apiKeys.findByPrefix(shown.prefix));
  expect(stored).toContain(shown.id);
  expect(stored).not.toContain(secret.slice(16));
});

test('accepts a key as X-API-Key and as the bearer, and nothing similar', async () => {
  const { secret } = await make();
  expect((await api.call('GET', '/me', asKey(secret))).body.email).toBe(api.login.email);
  const bearer = await api.call('GET', '/me', { headers: { authorization: `Bearer ${secret}` } });
  expect(bearer.status).toBe(200);
  const last = secret.endsWith('0') ? '1' : '0';
  for (const wrong of [
    `${secret.slice(0, -1)}${last}`,
    `${secret}0`,
    secret.slice(0, -1),
    secret.slice(0, 16),
    'chk_',
    secret.toUpperCase(),
  ]) {
    const answer = await api.call('GET', '/me', asKey(wrong));
    expect([wrong, answer.status, answer.body.error.code]).toEqual([wrong, 401, 'unauthorized']);
  }
  expect((await api.call('GET', '/me', asKey(api.accessToken))).status).toBe(401);
});

test('refuses a revoked key at once, and soon in other processes that have cached it', async () => {
  const { id, secret } = await make();
  await warm(secret);
  const revoked = await api.call('POST', `/api-keys/${id}/revoke`);
  expect(revoked.body.status).toBe('revoked');
  expect((await statusesOf(secret))[0]).toBe(401);
  await expect.poll(() => statusesOf(secret), { interval: 20 }).toEqual([401, 401]);
  expect((await api.call('POST', `/api-keys/${id}/revoke`)).body.status).toBe('revoked');
  const enabled = await api.call('POST', `/api-keys/${id}/disable`, { body: { disabled: false } });
  expect([enabled.status, enabled.body.error.code]).toEqual([409, 'key_revoked']);
});

test('refuses a disabled key until it is enabled again', async () => {
  const { id, secret } = await make();
  await warm(secret);
  expect((await api.call('POST', `/api-keys/${id}/disable`)).body.status).toBe('disabled');
  await expect.poll(() => statusesOf(secret), { interval: 20 }).toEqual([401, 401]);
  expect((await api.call('POST', `/api-keys/${id}/disable`, { body: { disabled: false } })).body.status).toBe('active');
  await expect.poll(() => statusesOf(secret), { interval: 20 }).toEqual([200, 200]);
});

test('expires at its time', async () => {
  const ends = new Date(Date.now() + 3_000);
  const { secret, expires_at } = await make({ expires_at: ends.toISOString() });
  expect(expires_at).toBe(ends.toISOString());
  // Responses may be slow: one that arrived before the expiry was allowed.
  const early: number[] = [];
  const hear = async () => {
    const statuses = await statusesOf(secret);
    if (Date.now() < ends.getTime()) early.push(...statuses);
    return statuses;
  };
  await expect.poll(hear, { interval: 100 }).toEqual([401, 401]);
  expect(early.filter((status) => status !== 200)).toEqual([]);
  const past = await api.call('POST', '/api-keys', { body: { name: 'x', expires_at: new Date(0).toISOString() } });
  expect([past.status, past.body.error.details[0].path]).toEqual([400, 'body.expires_at']);
});

test('is limited to a workspace, and to its user’s rights there', async () => {
  const workspace = (await api.call('POST', '/workspaces', { body: { name: 'Team' } })).body;
  const other = (await api.call('POST', '/workspaces', { body: { name: 'Other' } })).body;
  const { secret } = await make({ workspace_id: workspace.id, permissions: ['read', 'manage'] });
  const inWorkspace = (id: string) => ({ 'x-scope-type': 'workspace', 'x-workspace-id': id });
  expect((await api.call('GET', '/sessions', asKey(secret, inWorkspace(workspace.id)))).status).toBe(200);
  const elsewhere = await api.call('GET', '/sessions', asKey(secret, inWorkspace(other.id)));
  expect([elsewhere.status, elsewhere.body.error.code]).toEqual([403, 'workspace_forbidden']);
  const personal = await api.call('GET', '/sessions', asKey(secret));
  expect([personal.status, personal.body.error.code]).toEqual([403, 'forbidden']);
  const write = await api.call('POST', '/sessions', { body: {}, ...asKey(secret, inWorkspace(workspace.id)) });
  expect([write.status, write.body.error.code]).toEqual([403, 'forbidden']);
  const path = await api.call('GET', `/workspaces/${other.id}`, asKey(secret, inWorkspace(workspace.id)));
  expect(path.status).toBe(404);
  const unknown = { name: 'x', workspace_id: crypto.randomUUID() };
  expect((await api.call('POST', '/api-keys', { body: unknown })).status).toBe(400);
});

test('records its use, at most once a minute', async () => {
  const { id, secret } = await make();
  await warm(secret);
  const usedAt = async () => {
    const { data } = (await api.call('GET', '/api-keys')).body;
    return data.find((key: { id: string }) => key.id === id).last_used_at;
  };
  const first = await usedAt();
  expect(first).not.toBeNull();
  await warm(secret);
  await api.services.accounts.close();
  expect(await usedAt()).toBe(first);
});

test('reads a cached key from the store while Redis is down', async () => {
  const { id, secret } = await make();
  await warm(secret);
  await api.redis.kill();
  try {
    // Acts like another process whose notification can't get through.
    const { id: userId } = (await api.services.accounts.verify(secret)).user;
    await api.services.database.apiKeys.setStatus(userId, id, 'revoked');
    const refused = () =>
      api.services.accounts.verify(secret).then(
        () => 'let in',
        (error) => error.code,
      );
    await expect.poll(refused, { interval: 20 }).toBe('unauthorized');
  } finally {
    await api.redis.restart();
  }
});
