import { type FakeProvider, startFakeProvider } from '@chorus/testing';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSecondApi, startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';
import { freshPerson } from '../test-people.ts';

const KEY = 'mk-0123456789-SECRET-wxyz';

let fake: FakeProvider;
let api: TestApi;
beforeAll(async () => {
  fake = await startFakeProvider('mistral', { apiKey: KEY });
  api = await startTestApi({ MISTRAL_BASE_URL: fake.url, ANTHROPIC_API_KEY: 'sk-ant-of-the-environment' });
});
afterAll(async () => {
  await api?.stop();
  await fake?.close();
});

const entryOf = async (name: string) =>
  (await api.call('GET', '/providers')).body.data.find((one: { name: string }) => one.name === name);

/** Returns all stored data as text. */
async function everything(): Promise<string> {
  const client = await MongoClient.connect(api.store.uri);
  const documents: unknown[] = [];
  for (const { name } of await client.db().listCollections().toArray())
    documents.push(...(await client.db().collection(name).find().toArray()));
  await client.close();
  const { redis } = api.services;
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    if (type === 'string') documents.push(await redis.get(key));
    if (type === 'hash') documents.push(await redis.hgetall(key));
  }
  return JSON.stringify(documents);
}

test('stores a key encrypted, tests it, and shows its last characters alone', async () => {
  expect(await entryOf('mistral')).toMatchObject({ source: 'none', key_hint: null, status: 'off' });
  const tested = async (body: object) => (await api.call('POST', '/providers/mistral/test', { body })).body;
  expect(await tested({})).toMatchObject({ ok: false, message: 'No key is stored.' });
  expect(await tested({ api_key: KEY })).toMatchObject({ ok: true, model_count: expect.any(Number), message: null });
  expect(await tested({ api_key: 'mk-wrong-key' })).toMatchObject({
    ok: false,
    message: expect.stringContaining('refused this key'),
  });
  const set = await api.call('PATCH', '/providers/mistral', { body: { api_key: KEY } });
  expect(set.body).toMatchObject({ source: 'stored', key_hint: 'wxyz', updated_at: expect.any(String) });
  expect(await tested({})).toMatchObject({ ok: true });
  const audit = (await api.call('GET', '/audit')).body;
  expect(audit.data[0]).toMatchObject({ action: 'provider_key.set', target: { type: 'provider', id: 'mistral' } });
  const shown = JSON.stringify([set.body, await entryOf('mistral'), audit]);
  const stored = await everything();
  expect(stored).toContain('wxyz');
  for (const text of [shown, stored]) expect(text).not.toContain(KEY);

  expect((await api.call('DELETE', '/providers/mistral')).body).toMatchObject({ source: 'none', key_hint: null });
  expect((await api.call('DELETE', '/providers/mistral')).status).toBe(404);
});

test('refuses a key that the environment sets, and says so', async () => {
  expect(await entryOf('anthropic')).toMatchObject({ source: 'environment', key_hint: null });
  const { status, body } = await api.call('PATCH', '/providers/anthropic', { body: { api_key: 'sk-ant-another' } });
  expect([status, body.error.code]).toEqual([409, 'conflict']);
  expect(body.error.message).toContain('ANTHROPIC_API_KEY is set in the environment');
});

test('never sends a stored key to another address, and refuses fields that a provider does not have', async () => {
  const compatible = (body: object) => api.call('PATCH', '/providers/compatible', { body });
  expect((await compatible({ api_key: 'key-12345678' })).body.error.details[0].path).toBe('body.base_url');
  const stored = await compatible({ api_key: 'key-12345678', base_url: 'http://127.0.0.1:1/v1/' });
  expect(stored.body).toMatchObject({ source: 'stored', key_hint: '5678', base_url: 'http://127.0.0.1:1/v1' });
  expect((await compatible({ base_url: 'http://127.0.0.1:2/v1' })).body.key_hint).toBeNull();
  const unreachable = (await api.call('POST', '/providers/compatible/test', { body: {} })).body;
  expect(unreachable).toMatchObject({ ok: false, message: 'The server cannot be reached from here.' });
  const elsewhere = await api.call('PATCH', '/providers/groq', { body: { base_url: 'http://127.0.0.1:1' } });
  expect(elsewhere.body.error.details[0].path).toBe('body.base_url');
  expect((await api.call('PATCH', '/providers/nobody', { body: { api_key: 'key-12345678' } })).status).toBe(404);
});

test('another process knows the models of a new key as soon as workers report them', async () => {
  const elsewhere = await startSecondApi(api);
  await publishChatModels(api, ['embedded/assistant']);
  const ask = () =>
    elsewhere.call('POST', '/chat/completions', {
      body: { message: 'Hi', model: 'mistral/small' },
      headers: { prefer: 'respond-async' },
    });
  expect((await ask()).body.error.code).toBe('model_not_found');
  await api.call('PATCH', '/providers/mistral', { body: { api_key: KEY } });
  await publishChatModels(api, ['embedded/assistant', 'mistral/small']);
  await expect.poll(async () => (await ask()).status, { timeout: 1_000, interval: 50 }).toBe(200);
  await elsewhere.stop();
});

test('only operators see and change providers', async () => {
  const { token } = await freshPerson(api);
  const headers = { authorization: `Bearer ${token}` };
  for (const [method, path] of [
    ['GET', '/providers'],
    ['PATCH', '/providers/groq'],
    ['POST', '/providers/groq/test'],
  ] as const)
    expect((await api.call(method, path, { headers, ...(method !== 'GET' && { body: {} }) })).status).toBe(403);
});
