import { ChorusError } from '@chorus/contract';
import { expectedText } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import { joinText } from '../test-answers.ts';
import { ask, calls, start } from '../test-providers.ts';

describe.each(['openai', 'compatible'])('%s', (provider) => {
  test('streams the words, then one finish with the usage', async () => {
    const { providers } = await start();
    const { text, parts, error } = await ask(providers, `${provider}/words-200`);
    expect(error).toBeNull();
    expect(text).toBe(expectedText('words-200'));
    expect(joinText(parts)).toHaveLength(2);
    expect(parts.at(-1)).toEqual({
      type: 'finish',
      finish_reason: 'stop',
      usage: { input_tokens: 2, output_tokens: 200, total_tokens: 202, cost_usd: null },
    });
  });

  test('names the other finish reasons', async () => {
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
  ])('%s is %s, and is not retried', async (model, code, retryAfterS) => {
    const { fake, providers } = await start();
    const { error, text } = await ask(providers, `${provider}/${model}`);
    expect(text).toBe('');
    expect(error).toBeInstanceOf(ChorusError);
    expect(error).toMatchObject({ code });
    const seconds = (error as ChorusError).retryAfterS;
    // An HTTP date has whole seconds, so slightly less time may be left.
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
  ])('%s is retried before the first text', async (model) => {
    const { fake, providers } = await start();
    const { text, error } = await ask(providers, `${provider}/${model}`);
    expect(error).toBeNull();
    expect(text).toBe(expectedText(model));
    expect(calls(fake)).toHaveLength(2);
  });

  test('gives up after two retries', async () => {
    const { fake, providers } = await start();
    const { error } = await ask(providers, `${provider}/fail-503`);
    expect(error).toMatchObject({ code: 'provider_unavailable' });
    expect(calls(fake)).toHaveLength(3);
    expect(providers.status().find(({ name }) => name === provider)?.status).toBe('failing');
    await ask(providers, `${provider}/words-1`);
    expect(providers.status().find(({ name }) => name === provider)?.status).toBe('ok');
  });

  test.each(['cut-after-10', 'error-after-10'])('%s fails after text was shown, without a retry', async (model) => {
    const { fake, providers } = await start();
    const { text, error } = await ask(providers, `${provider}/${model}`);
    expect(text).toBe(expectedText(model));
    expect(error).toMatchObject({ code: 'provider_error' });
    expect(calls(fake)).toHaveLength(1);
  });

  test('passes images on: bytes as bytes, and URLs as URLs, without fetching them', async () => {
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
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}`, detail: 'original' } },
            { type: 'image_url', image_url: { url: address, detail: 'low' } },
          ],
        },
      ],
    });
    expect(error).toBeNull();
    const sent = JSON.stringify(calls(fake)[0]!.body);
    expect(sent).toContain(`data:image/png;base64,${picture}`);
    expect(sent).toContain(address);
    expect(sent.match(/"detail":"\w+"/g)).toEqual(['"detail":"high"', '"detail":"low"']);
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

  test('accepts any model name, with slashes too', async () => {
    const { fake, providers } = await start();
    expect(providers.supports(`${provider}/org/model:7b`)).toBe(true);
    await ask(providers, `${provider}/org/model:7b`);
    expect(calls(fake)[0]!.model).toBe('org/model:7b');
  });
});
