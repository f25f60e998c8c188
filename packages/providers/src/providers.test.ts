import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startFakeOpenAI } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import { createProviders } from './providers.ts';
import { ask, calls, closers, log, settingsOf, start } from './test-providers.ts';

describe('openai', () => {
  test('uses the Responses API and stores nothing there', async () => {
    const { fake, providers } = await start();
    await ask(providers, 'openai/words-2', { settings: { temperature: 0.3, max_tokens: 9 } });
    expect(calls(fake)[0]).toMatchObject({
      path: '/v1/responses',
      body: { store: false, temperature: 0.3, max_output_tokens: 9 },
    });
  });

  test('falls back to chat completions without a Responses API, and remembers that', async () => {
    const { fake, providers } = await start({ responses: false });
    expect((await ask(providers, 'openai/words-2')).text).toBe('w1 w2');
    expect((await ask(providers, 'openai/words-3')).text).toBe('w1 w2 w3');
    expect(calls(fake).map(({ path }) => path)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ]);
  });
});

describe('the registry', () => {
  test('lists the models of servers for which a port exists', async () => {
    const { providers } = await start({ models: ['llama3', 'org/qwen2.5-vl:7b', 'nomic-embed-text', 'whisper-1'] });
    await expect.poll(() => providers.models().filter(({ owned_by }) => owned_by === 'compatible')).toHaveLength(3);
    expect(providers.models()).toContainEqual({
      id: 'compatible/org/qwen2.5-vl:7b',
      object: 'model',
      created: 1_750_000_000,
      owned_by: 'compatible',
      capabilities: ['chat', 'vision'],
      context_window: null,
      price_known: false,
    });
    await expect.poll(() => providers.defaultModel()).toBe('openai/llama3');
    const embedded = providers.models().filter(({ owned_by }) => owned_by === 'embedded');
    expect(embedded.map(({ id, capabilities }) => [id, ...capabilities])).toEqual(
      expect.arrayContaining([
        ['embedded/assistant', 'chat'],
        ['embedded/canvas', 'image'],
        ['embedded/canvas-video', 'video'],
        ['embedded/use-lite', 'embedding'],
      ]),
    );
  });

  test('runs with the embedded assistant only', async () => {
    const providers = createProviders(settingsOf({ openai: { apiKey: null, baseUrl: 'http://127.0.0.1:9/v1' } }), {
      log,
    });
    closers.push(() => providers.close());
    expect((await ask(providers, 'embedded/assistant', { messages: [{ role: 'user', content: 'say hi' }] })).text).toBe(
      'hi',
    );
    expect(providers.status()).toEqual([{ name: 'embedded', status: 'ok', any_model: false }]);
    expect(providers.defaultModel()).toBe('embedded/assistant');
    expect(providers.supports('embedded/assistant')).toBe(true);
    for (const model of ['embedded/other', 'openai/gpt-5', 'unknown/x', 'gpt-5', 'embedded/', '/x', ''])
      expect(providers.supports(model)).toBe(false);
    expect((await ask(providers, 'openai/gpt-5')).error).toMatchObject({ code: 'model_not_found' });
    expect((await ask(providers, 'embedded/other')).error).toMatchObject({ code: 'model_not_found' });
  });

  test('URLs in messages may only reach providers at their own addresses, with all that answer in their place', () => {
    const local = 'http://127.0.0.1:9/v1';
    const providers = createProviders(
      settingsOf({
        openai: { apiKey: 'sk-x', baseUrl: null },
        mistral: { apiKey: 'x', baseUrl: local },
        compatible: { apiKey: null, baseUrl: local },
      }),
      { log, fallbacks: [['openai/with-fallback', 'compatible/x']] },
    );
    closers.push(() => providers.close());
    expect(providers.takesUrls('openai/gpt-5')).toBe(true);
    expect(providers.takesUrls('openai/gpt-5', ['embedded/assistant'])).toBe(true);
    for (const model of ['compatible/x', 'mistral/x', 'google/x', 'openai/with-fallback'])
      expect(providers.takesUrls(model), model).toBe(false);
    expect(providers.takesUrls('openai/gpt-5', ['compatible/x'])).toBe(false);
  });

  test('an unreachable server fails only its own calls', async () => {
    const gone = await startFakeOpenAI();
    await gone.close();
    const providers = createProviders(settingsOf({ compatible: { apiKey: null, baseUrl: gone.url } }), { log });
    closers.push(() => providers.close());
    await providers.ready();
    expect((await ask(providers, 'compatible/any')).error).toMatchObject({
      code: 'provider_unavailable',
      message: 'There is no connection to compatible (ECONNREFUSED)',
    });
    expect(providers.status()[0]).toEqual({
      name: 'compatible',
      status: 'failing',
      any_model: true,
      source: 'environment',
    });
    await expect.poll(() => providers.defaultModel()).toBe('embedded/assistant');
  });

  test('credentials in a base URL become a header', async () => {
    const fake = await startFakeOpenAI();
    const url = fake.url.replace('http://', 'http://me:p%40ss@');
    const providers = createProviders(settingsOf({ compatible: { apiKey: null, baseUrl: url } }), { log });
    closers.push(() => providers.close(), fake.close);
    expect((await ask(providers, 'compatible/words-2')).text).toBe('w1 w2');
    expect(calls(fake)[0]!.headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });

  test('imports no adapter that is not configured', async () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { createProviders } = await import('@chorus/providers');
      const off = { apiKey: null, baseUrl: null };
      const providers = createProviders(new Proxy({}, { get: () => off }), { log: { child: () => ({}) } });
      await providers.ready();
      const call = { model: 'embedded/assistant', messages: [{ role: 'user', content: 'say hi' }], settings: {} };
      for await (const part of providers.streamChat(call, { signal: new AbortController().signal, executionId: 'x', mayReset: true }));
      console.log(JSON.stringify(loaded));`;
    const cwd = fileURLToPath(new URL('..', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd });
    const loaded = JSON.parse(stdout) as string[];
    expect(loaded.some((url) => url.endsWith('/adapters/embedded.ts'))).toBe(true);
    expect(loaded.filter((url) => /ai-sdk|adapters\/(openai|compatible)/.test(url))).toEqual([]);
  });
});
