import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSecondApi, startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';

let api: TestApi;
let elsewhere: Awaited<ReturnType<typeof startSecondApi>>;
beforeAll(async () => {
  api = await startTestApi({ DEFAULT_IMAGE_MODEL: 'embedded/canvas' });
  elsewhere = await startSecondApi(api);
  await publishChatModels(api, ['embedded/assistant', 'openai/one', 'groq/two']);
});
afterAll(async () => {
  await elsewhere?.stop();
  await api?.stop();
});

const change = (body: object) => api.call('PATCH', '/model-settings', { body });

/** Returns the model of a chat turn that names none, planned by another process. */
async function modelElsewhere(): Promise<string> {
  const asked = { body: { message: 'Hi' }, headers: { prefer: 'respond-async' } };
  return (await elsewhere.call('POST', '/chat/completions', asked)).body.model;
}

test('a default model is used by every process within a second, until it is removed', async () => {
  expect(await modelElsewhere()).toBe('embedded/assistant');
  const set = await change({ chat: 'groq/two', fallbacks: [['groq/two', 'openai/one']] });
  expect(set.body).toMatchObject({
    defaults: {
      chat: { model: 'groq/two', source: 'stored' },
      image: { model: 'embedded/canvas', source: 'environment' },
      video: { model: null, source: 'automatic' },
    },
    fallbacks: { chains: [['groq/two', 'openai/one']], source: 'stored' },
  });
  await expect.poll(modelElsewhere, { timeout: 1_000, interval: 50 }).toBe('groq/two');
  expect((await elsewhere.call('GET', '/model-settings')).body).toEqual(set.body);
  expect((await change({ chat: null })).body.defaults.chat).toEqual({ model: null, source: 'automatic' });
  await expect.poll(modelElsewhere, { timeout: 1_000, interval: 50 }).toBe('embedded/assistant');
});

test('refuses unknown models, broken chains, and settings of the environment', async () => {
  const refusal = async (body: object) => {
    const { error } = (await change(body)).body;
    return [error.code, error.details?.[0]?.path];
  };
  expect(await refusal({ chat: 'nobody/none' })).toEqual(['model_not_found', 'body.chat']);
  expect(await refusal({ fallbacks: [['groq/two', 'nobody/none']] })).toEqual([
    'model_not_found',
    'body.fallbacks.0.1',
  ]);
  expect(await refusal({ fallbacks: [['groq/two']] })).toEqual(['invalid_request', 'body.fallbacks.0']);
  expect(await refusal({ fallbacks: [['groq/two', 'groq/two']] })).toEqual(['invalid_request', 'body.fallbacks.0']);
  expect(await refusal({})).toEqual(['invalid_request', 'body']);
  const { body } = await change({ image: 'openai/one' });
  expect([body.error.code, body.error.message]).toEqual([
    'conflict',
    expect.stringContaining('DEFAULT_IMAGE_MODEL is set in the environment'),
  ]);
});
