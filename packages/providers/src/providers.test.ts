import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Config } from '@chorus/config';
import { type ChatMessage, ChorusError, PROVIDERS, type SamplingSettings } from '@chorus/contract';
import { createLogger } from '@chorus/log';
import { expectedText, type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from '@chorus/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { ChatPart } from './provider-port.ts';
import { createProviders, type Providers } from './providers.ts';

const KEY = 'sk-fake-secret-0123456789';
const log = createLogger({ name: 'test', level: 'silent' });
const closers: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

function settingsOf(on: Partial<Config['providers']>): Config['providers'] {
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  return { ...(off as Config['providers']), ...on };
}

async function start(options: FakeOpenAIOptions & { idleTimeoutMs?: number } = {}) {
  const fake = await startFakeOpenAI(options);
  const { idleTimeoutMs } = options;
  const settings = settingsOf({
    openai: { apiKey: KEY, baseUrl: fake.url },
    compatible: { apiKey: KEY, baseUrl: fake.url },
  });
  const providers = createProviders(settings, { log, ...(idleTimeoutMs !== undefined && { idleTimeoutMs }) });
  closers.push(() => providers.close(), fake.close);
  await providers.ready();
  return { fake, providers };
}

interface Answer {
  text: string;
  parts: ChatPart[];
  error: unknown;
}

async function ask(
  providers: Providers,
  model: string,
  more: { messages?: ChatMessage[]; settings?: SamplingSettings; signal?: AbortSignal } = {},
): Promise<Answer> {
  const parts: ChatPart[] = [];
  let error: unknown = null;
  try {
    const {
      messages = [{ role: 'user', content: 'one two' }],
      settings = {},
      signal = new AbortController().signal,
    } = more;
    for await (const part of providers.streamChat({ model, messages, settings }, { signal, executionId: 'job_test' }))
      parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  return { text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''), parts, error };
}

/** The chat calls that the fake saw; lists of models come in between at their own time. */
function calls(fake: FakeOpenAI) {
  return fake.requests.filter(({ path }) => path !== '/v1/models');
}

describe.each(['openai', 'compatible'])('%s', (provider) => {
  test('streams the words, then one finish with the usage', async () => {
    const { providers } = await start();
    const { text, parts, error } = await ask(providers, `${provider}/words-200`);
    expect(error).toBeNull();
    expect(text).toBe(expectedText('words-200'));
    expect(parts).toHaveLength(201);
    expect(parts.at(-1)).toEqual({
      type: 'finish',
      finish_reason: 'stop',
      usage: { input_tokens: 2, output_tokens: 200, total_tokens: 202, cost_usd: null },
    });
  });

  test('names the other reasons to finish', async () => {
    const { providers } = await start();
    const short = await ask(providers, `${provider}/words-9`, { settings: { max_tokens: 4 } });
    expect(short.text).toBe('w1 w2 w3 w4');
    expect(short.parts.at(-1)).toMatchObject({ finish_reason: 'length' });
    const filtered = await ask(providers, `${provider}/filter-after-2`);
    expect(filtered.parts.at(-1)).toMatchObject({ finish_reason: 'content_filter' });
    const refused = await ask(providers, `${provider}/filter-after-0`);
    expect(refused.error).toMatchObject({ code: 'content_refused' });
  });

  test.each([
    ['fail-401', 'provider_auth', undefined],
    ['fail-403', 'provider_auth', undefined],
    ['fail-429-retry-after-60', 'provider_rate_limited', 60],
    ['fail-429-retry-date-30', 'provider_rate_limited', 30],
    ['quota', 'provider_rate_limited', 5],
    ['context-too-long', 'context_too_long', undefined],
    ['refuse', 'content_refused', undefined],
    ['missing', 'model_not_found', undefined],
    ['fail-422', 'invalid_request', undefined],
  ])('%s is %s, and not tried again', async (model, code, retryAfterS) => {
    const { fake, providers } = await start();
    const { error, text } = await ask(providers, `${provider}/${model}`);
    expect(text).toBe('');
    expect(error).toBeInstanceOf(ChorusError);
    expect(error).toMatchObject({ code });
    const seconds = (error as ChorusError).retryAfterS;
    // A date has whole seconds, so a little less may be left of it.
    if (model.includes('date')) expect([29, 30, 31]).toContain(seconds);
    else expect(seconds).toBe(retryAfterS);
    expect(calls(fake)).toHaveLength(1);
  });

  test('never shows keys, addresses or causes', async () => {
    const { providers } = await start();
    for (const model of ['fail-401', 'fail-400', 'context-too-long', 'cut-after-2']) {
      const { error } = await ask(providers, `${provider}/${model}`);
      const shown = `${(error as Error).message} ${JSON.stringify(error)} ${(error as Error).cause ?? ''}`;
      expect(shown).not.toMatch(/sk-|secret|127\.0\.0\.1|user:pass|http:/);
    }
  });

  test.each([
    'fail-500-once',
    'fail-529-once',
    'fail-429-retry-after-0-once',
    'cut-after-0-once',
    'error-after-0-once',
  ])('%s is tried again before the first text', async (model) => {
    const { fake, providers } = await start();
    const { text, error } = await ask(providers, `${provider}/${model}`);
    expect(error).toBeNull();
    expect(text).toBe(expectedText(model));
    expect(calls(fake)).toHaveLength(2);
  });

  test('gives up after two retries', async () => {
    const { fake, providers } = await start();
    const { error } = await ask(providers, `${provider}/fail-503`);
    expect(error).toMatchObject({ code: 'provider_error' });
    expect(calls(fake)).toHaveLength(3);
    expect(providers.status().find(({ name }) => name === provider)?.status).toBe('failing');
    await ask(providers, `${provider}/words-1`);
    expect(providers.status().find(({ name }) => name === provider)?.status).toBe('ok');
  });

  test.each(['cut-after-10', 'error-after-10'])(
    '%s fails after the text that was shown, without a retry',
    async (model) => {
      const { fake, providers } = await start();
      const { text, error } = await ask(providers, `${provider}/${model}`);
      expect(text).toBe(expectedText(model));
      expect(error).toMatchObject({ code: 'provider_error' });
      expect(calls(fake)).toHaveLength(1);
    },
  );

  test.each(['hang', 'hang-after-5'])('%s ends in a timeout that closes the connection', async (model) => {
    const { fake, providers } = await start({ idleTimeoutMs: 150 });
    const { text, error } = await ask(providers, `${provider}/${model}`);
    expect(error).toMatchObject({ code: 'timeout' });
    expect(text).toBe(expectedText(model));
    expect(calls(fake)).toHaveLength(1);
    const { number } = calls(fake)[0]!;
    expect(await fake.closed(number)).toMatchObject({ finished: false });
  });

  test('a slow answer is no silence', async () => {
    const { providers } = await start({ idleTimeoutMs: 400 });
    const { text } = await ask(providers, `${provider}/words-12-delay-100`);
    expect(text).toBe(expectedText('words-12-delay-100'));
  });

  test('comments in the stream are no silence either', async () => {
    const { providers } = await start({ idleTimeoutMs: 400 });
    const { text } = await ask(providers, `${provider}/words-3-start-900-ping-100`);
    expect(text).toBe('w1 w2 w3');
  });

  test('nor is it silence when nobody reads', async () => {
    const { providers } = await start({ idleTimeoutMs: 150 });
    const call = {
      model: `${provider}/flood-20000`,
      messages: [{ role: 'user' as const, content: 'x' }],
      settings: {},
    };
    let text = '';
    for await (const part of providers.streamChat(call, {
      signal: new AbortController().signal,
      executionId: 'job_test',
    })) {
      // Longer than the timeout, with more on its way than the buffers hold.
      if (text === '') await new Promise((resolve) => setTimeout(resolve, 400));
      if (part.type === 'text') text += part.text;
    }
    expect(text).toBe(expectedText('flood-20000'));
  });

  test('an abort closes the connection and throws its reason', async () => {
    const { fake, providers } = await start();
    const controller = new AbortController();
    const reason = new Error('cancelled by the test');
    const call = {
      model: `${provider}/hang-after-3`,
      messages: [{ role: 'user' as const, content: 'x' }],
      settings: {},
    };
    const stream = providers
      .streamChat(call, { signal: controller.signal, executionId: 'job_test' })
      [Symbol.asyncIterator]();
    for (let words = 0; words < 3; words += 1) expect((await stream.next()).value).toMatchObject({ type: 'text' });
    const waiting = stream.next();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await fake.closed(calls(fake)[0]!.number)).toMatchObject({ finished: false });
  });

  test('an abort closes the connection even if nobody reads', async () => {
    const { fake, providers } = await start();
    const controller = new AbortController();
    const call = {
      model: `${provider}/words-100000-delay-1`,
      messages: [{ role: 'user' as const, content: 'x' }],
      settings: {},
    };
    const stream = providers
      .streamChat(call, { signal: controller.signal, executionId: 'job_test' })
      [Symbol.asyncIterator]();
    await stream.next();
    controller.abort();
    expect(await fake.closed(calls(fake)[0]!.number)).toMatchObject({ finished: false });
    await expect(stream.next()).rejects.toThrow();
  });

  test('leaving the iteration closes the connection', async () => {
    const { fake, providers } = await start();
    const call = {
      model: `${provider}/hang-after-3`,
      messages: [{ role: 'user' as const, content: 'x' }],
      settings: {},
    };
    for await (const part of providers.streamChat(call, {
      signal: new AbortController().signal,
      executionId: 'job_test',
    }))
      if (part.type === 'text') break;
    expect(await fake.closed(calls(fake)[0]!.number)).toMatchObject({ finished: false });
  });

  test('an abort before the answer, and in the pause before a retry, throws its reason', async () => {
    const { fake, providers } = await start();
    for (const model of ['hang', 'fail-500-retry-after-9']) {
      const controller = new AbortController();
      const reason = new Error(`reason of ${model}`);
      const seen = calls(fake).length;
      const answer = ask(providers, `${provider}/${model}`, { signal: controller.signal });
      await expect.poll(() => calls(fake).length).toBe(seen + 1);
      const { number } = calls(fake)[seen]!;
      if (model === 'hang') await fake.received(number);
      else await fake.closed(number);
      controller.abort(reason);
      expect((await answer).error).toBe(reason);
      await fake.closed(number);
      expect(calls(fake)).toHaveLength(seen + 1);
    }
    const aborted = AbortSignal.abort(new Error('before'));
    expect((await ask(providers, `${provider}/words-1`, { signal: aborted })).error).toBe(aborted.reason);
  });

  test('256 streams run at once, and connections are used again', async () => {
    const { fake, providers } = await start();
    // No stream ends before all have begun: if the pool held some back, this would never finish.
    const begun = new Set<number>();
    const all = Promise.withResolvers<void>();
    const one = async (index: number) => {
      const call = {
        model: `${provider}/words-3-delay-20-seed-${index}`,
        messages: [{ role: 'user' as const, content: 'x' }],
        settings: {},
      };
      let text = '';
      for await (const part of providers.streamChat(call, {
        signal: new AbortController().signal,
        executionId: 'job_test',
      })) {
        if (part.type !== 'text') continue;
        text += part.text;
        begun.add(index);
        if (begun.size === 256) all.resolve();
        await all.promise;
      }
      return text;
    };
    const texts = await Promise.all(Array.from({ length: 256 }, (_, index) => one(index)));
    expect(texts).toEqual(texts.map((_, index) => expectedText(`words-3-seed-${index}`)));
    const made = fake.connectionsMade();
    for (let index = 0; index < 20; index += 1) await ask(providers, `${provider}/words-2`);
    expect(fake.connectionsMade()).toBe(made);
  });

  test('hands images on: bytes as bytes, addresses as addresses that nobody here opens', async () => {
    const { fake, providers } = await start();
    const picture = 'iVBORw0KGgo=';
    const address = `${fake.url}/picture.png`;
    const { error } = await ask(providers, `${provider}/echo`, {
      messages: [
        { role: 'developer', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
            { type: 'image_url', image_url: { url: address, detail: 'low' } },
          ],
        },
      ],
    });
    expect(error).toBeNull();
    const sent = JSON.stringify(calls(fake)[0]!.body);
    expect(sent).toContain(`data:image/png;base64,${picture}`);
    expect(sent).toContain(address);
    expect(sent).toContain('be brief');
    expect(fake.requests.some(({ path }) => path.includes('picture'))).toBe(false);
  });

  test('passes the settings on', async () => {
    const { fake, providers } = await start();
    const settings = {
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 7,
      stop: ['w4'],
      seed: 3,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
    };
    const { text } = await ask(providers, `${provider}/words-9`, { settings });
    expect(text).toBe('w1 w2 w3');
    expect(calls(fake)[0]).toMatchObject({ path: '/v1/chat/completions', body: settings });
  });

  test('reads a model of any name, slashes too', async () => {
    const { fake, providers } = await start();
    expect(providers.supports(`${provider}/org/model:7b`)).toBe(true);
    await ask(providers, `${provider}/org/model:7b`);
    expect(calls(fake)[0]!.model).toBe('org/model:7b');
  });
});

describe('openai', () => {
  test('uses the Responses API and leaves nothing stored there', async () => {
    const { fake, providers } = await start();
    await ask(providers, 'openai/words-2', { settings: { temperature: 0.3, max_tokens: 9 } });
    expect(calls(fake)[0]).toMatchObject({
      path: '/v1/responses',
      body: { store: false, temperature: 0.3, max_output_tokens: 9 },
    });
  });

  test('falls back to chat completions where there is no Responses API, and remembers it', async () => {
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
  test('lists what the servers list, without what is not for chat', async () => {
    const { providers } = await start({ models: ['llama3', 'org/qwen2.5-vl:7b', 'nomic-embed-text'] });
    await expect.poll(() => providers.models().filter(({ owned_by }) => owned_by === 'compatible')).toHaveLength(2);
    expect(providers.models()).toContainEqual({
      id: 'compatible/org/qwen2.5-vl:7b',
      object: 'model',
      created: 1_750_000_000,
      owned_by: 'compatible',
      capabilities: ['chat', 'vision'],
    });
    await expect.poll(() => providers.defaultModel()).toBe('openai/llama3');
    expect(providers.models().at(-1)).toMatchObject({ id: 'embedded/assistant', capabilities: ['chat'] });
  });

  test('runs with the embedded assistant alone', async () => {
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
    for (const model of ['embedded/other', 'openai/gpt-5', 'nobody/x', 'gpt-5', 'embedded/', '/x', ''])
      expect(providers.supports(model)).toBe(false);
    expect((await ask(providers, 'openai/gpt-5')).error).toMatchObject({ code: 'model_not_found' });
    expect((await ask(providers, 'embedded/other')).error).toMatchObject({ code: 'model_not_found' });
  });

  test('an unreachable server fails a call, not the rest', async () => {
    const gone = await startFakeOpenAI();
    await gone.close();
    const providers = createProviders(settingsOf({ compatible: { apiKey: null, baseUrl: gone.url } }), { log });
    closers.push(() => providers.close());
    await providers.ready();
    expect((await ask(providers, 'compatible/any')).error).toMatchObject({
      code: 'provider_error',
      message: 'There is no connection to compatible (ECONNREFUSED)',
    });
    expect(providers.status()[0]).toEqual({ name: 'compatible', status: 'failing', any_model: true });
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
      const providers = createProviders({ openai: off, compatible: off, embedded: off }, { log: { child: () => ({}) } });
      await providers.ready();
      const call = { model: 'embedded/assistant', messages: [{ role: 'user', content: 'say hi' }], settings: {} };
      for await (const part of providers.streamChat(call, { signal: new AbortController().signal, executionId: 'x' }));
      console.log(JSON.stringify(loaded));`;
    const cwd = fileURLToPath(new URL('..', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd });
    const loaded = JSON.parse(stdout) as string[];
    expect(loaded.some((url) => url.endsWith('/adapters/embedded.ts'))).toBe(true);
    expect(loaded.filter((url) => /ai-sdk|adapters\/(openai|compatible)/.test(url))).toEqual([]);
  });
});
