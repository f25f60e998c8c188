import type { Usage } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { expectedText } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import { joinText } from '../test-answers.ts';
import { ask, callsTo, PLANTED_KEY, startFake } from '../test-providers.ts';

const known = (id: string, capabilities: string[], context_window: number | null) =>
  expect.objectContaining({ id, capabilities, context_window });

/** Providers with their own wire format: what they list, and how the fake refuses in it. */
const WIRES = [
  {
    name: 'anthropic',
    listed: [known('anthropic/claude-test-1', ['chat', 'vision'], 200_000)],
    refused: 'filter-after-0',
    overloaded: 'fail-529',
  },
  {
    name: 'google',
    listed: [
      known('google/gemini-test', ['chat', 'vision'], 1_048_576),
      known('google/gemini-test-embedding', ['embedding'], 2_048),
      known('google/gemini-test-image', ['image'], 32_768),
      known('google/veo-test', ['video'], null),
    ],
    refused: 'filter-after-0',
    overloaded: 'fail-503',
  },
  {
    name: 'mistral',
    listed: [
      known('mistral/mistral-test', ['chat', 'vision'], 131_072),
      known('mistral/mistral-embed', ['embedding'], null),
    ],
    refused: 'refuse',
    overloaded: 'fail-503',
  },
  {
    name: 'groq',
    listed: [known('groq/llama-test', ['chat'], 131_072), known('groq/whisper-test', ['transcription'], 448)],
    refused: 'refuse',
    overloaded: 'fail-503',
  },
] as const;

describe.each(WIRES)('$name', ({ name, listed, refused, overloaded }) => {
  test('lists its models and their capabilities', async () => {
    const { providers } = await startFake(name);
    const own = () => providers.models().filter(({ owned_by }) => owned_by === name);
    await expect.poll(own).toEqual(listed);
    expect(providers.defaultModel()).toBe(providers.models()[0]?.id);
  });

  test('streams the words, then one finish with the usage', async () => {
    const { fake, providers } = await startFake(name);
    const messages = [
      { role: 'system' as const, content: 'be brief' },
      { role: 'user' as const, content: 'one two' },
    ];
    const { text, parts, error } = await ask(providers, `${name}/words-50`, {
      messages,
      settings: { max_tokens: 900 },
    });
    expect(error).toBeNull();
    expect(text).toBe(expectedText('words-50'));
    expect(joinText(parts)).toHaveLength(2);
    const { usage, ...last } = parts.at(-1) as { usage: Usage };
    expect(last).toEqual({ type: 'finish', finish_reason: 'stop' });
    expect(usage.output_tokens).toBe(50);
    expect(usage.input_tokens).toBeGreaterThanOrEqual(2);
    expect(usage.total_tokens).toBe(usage.input_tokens + 50);
    expect(usage.cost_usd).toBeNull();
    expect(JSON.stringify(callsTo(fake)[0]?.body)).toContain('be brief');
  });

  test('reports a reached token limit', async () => {
    const { providers } = await startFake(name);
    const { parts, text } = await ask(providers, `${name}/words-9`, { settings: { max_tokens: 4 } });
    expect(text).toBe('w1 w2 w3 w4');
    expect(parts.at(-1)).toMatchObject({ finish_reason: 'length' });
  });

  test('a bad key is provider_auth, and is shown neither to the caller nor in the log', async () => {
    const lines: unknown[] = [];
    const log = createLogger({ name: 'test', level: 'silent' });
    log.child = (() => log) as unknown as typeof log.child;
    log.warn = (...args: unknown[]) => void lines.push(args);
    const { providers, fake } = await startFake(name, { apiKey: 'another', log });
    const { error } = await ask(providers, `${name}/words-2`);
    expect(error).toMatchObject({ code: 'provider_auth' });
    expect(callsTo(fake)).toHaveLength(1);
    expect(lines).not.toHaveLength(0);
    const shown = JSON.stringify([error, (error as Error).message, lines]);
    expect(shown).not.toMatch(new RegExp(`${PLANTED_KEY}|sk-fake|127\\.0\\.0\\.1`));
  });

  test('refused content is content_refused, and is not retried', async () => {
    const { providers, fake } = await startFake(name);
    const { error, text } = await ask(providers, `${name}/${refused}`);
    expect(text).toBe('');
    expect(error).toMatchObject({ code: 'content_refused' });
    expect(callsTo(fake)).toHaveLength(1);
  });

  test('a rate limit comes with its retry time', async () => {
    const { providers, fake } = await startFake(name);
    const { error } = await ask(providers, `${name}/fail-429-retry-after-60`);
    expect(error).toMatchObject({ code: 'provider_rate_limited', retryAfterS: 60 });
    expect(callsTo(fake)).toHaveLength(1);
  });

  test('overload is retried, then provider_unavailable', async () => {
    const { providers, fake } = await startFake(name);
    expect(await ask(providers, `${name}/words-3-${overloaded}-once`)).toMatchObject({ error: null, text: 'w1 w2 w3' });
    expect(callsTo(fake)).toHaveLength(2);
    const { error } = await ask(providers, `${name}/${overloaded}`);
    expect(error).toMatchObject({
      code: 'provider_unavailable',
      status: 503,
      message: expect.stringContaining('overloaded'),
    });
    expect(callsTo(fake)).toHaveLength(5);
  });

  test.each(['words-9-cut-after-3', 'words-9-error-after-3'])(
    '%s: a broken stream fails after its text',
    async (model) => {
      const { providers, fake } = await startFake(name);
      const { error, text } = await ask(providers, `${name}/${model}`);
      expect(text).toBe('w1 w2 w3');
      // Anthropic and Google say in the stream that they are overloaded.
      const says = model.includes('error') && (name === 'anthropic' || name === 'google');
      expect(error).toMatchObject({ code: says ? 'provider_unavailable' : 'provider_error' });
      expect(callsTo(fake)).toHaveLength(1);
    },
  );

  test('silence is a timeout', async () => {
    const { providers } = await startFake(name, { idleTimeoutMs: 200 });
    expect(await ask(providers, `${name}/words-9-hang-after-3`)).toMatchObject({
      text: 'w1 w2 w3',
      error: { code: 'timeout' },
    });
  });
});

test('reports a filter after some text as OpenAI does', async () => {
  for (const name of ['anthropic', 'google'] as const) {
    const { providers } = await startFake(name);
    const { parts, error } = await ask(providers, `${name}/filter-after-2`);
    expect(error).toBeNull();
    expect(parts.at(-1)).toMatchObject({ finish_reason: 'content_filter' });
  }
});
