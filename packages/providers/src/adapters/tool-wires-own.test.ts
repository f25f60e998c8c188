import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ChatSettings } from '@chorus/contract';
import { callTool, say, think } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import { createProviders } from '../providers.ts';
import { type Assistant, assistantOf, question as messages, resultsOf, tools } from '../test-answers.ts';
import { ask, callsTo, closers, log, settingsOf, startFake } from '../test-providers.ts';

describe('anthropic', () => {
  const settings: ChatSettings = { tools, reasoning_effort: 'low' };
  const model = 'anthropic/claude-sonnet-4-5-call-weather';

  test('thinks within the limit, and sends several blocks back unchanged', async () => {
    const redacted = { type: 'reasoning' as const, text: '' };
    const pieces = [...think('One.'), ...say('Well.'), redacted, ...callTool('weather', { city: 'Oslo' })];
    const { fake, providers } = await startFake('anthropic', {
      script: ({ body }) => ((body.messages as unknown[]).length === 1 ? { pieces } : undefined),
    });
    const first = await ask(providers, model, { messages, settings });
    expect(callsTo(fake)[0]?.body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: expect.any(Number) } });
    const assistant = assistantOf(first.parts);
    expect(assistant.reasoning_blocks).toHaveLength(2);
    const history = [...messages, assistant, ...resultsOf(assistant)];
    expect((await ask(providers, model, { messages: history, settings })).error).toBeNull();
    const [, sent] = callsTo(fake)[1]!.body.messages as { content: { type: string }[] }[];
    expect(sent?.content).toMatchObject([
      { type: 'thinking', thinking: 'One.', signature: expect.stringMatching(/^signed-/) },
      { type: 'text', text: 'Well.' },
      { type: 'redacted_thinking', data: expect.stringMatching(/^signed-/) },
      { type: 'tool_use', name: 'weather', input: { city: 'Oslo' } },
    ]);
  });

  test('does not think about the results of calls that came without thinking', async () => {
    const { fake, providers } = await startFake('anthropic');
    const assistant: Assistant = {
      role: 'assistant',
      content: null,
      reasoning_content: 'of another model',
      reasoning_signature: '{"model":"openai/gpt-5","meta":{"itemId":"rs_1"}}',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    };
    const history = [...messages, assistant, ...resultsOf(assistant)];
    expect(await ask(providers, model, { messages: history, settings })).toMatchObject({ error: null });
    expect(callsTo(fake)[0]?.body).not.toHaveProperty('thinking');
  });

  test('drops thinking with a rejected signature, and then does not think', async () => {
    const { fake, providers } = await startFake('anthropic');
    const assistant: Assistant = {
      role: 'assistant',
      content: null,
      reasoning_content: 'changed',
      reasoning_signature: JSON.stringify({
        model: model,
        meta: { signature: 'x' },
      }),
      tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    };
    const history = [...messages, assistant, ...resultsOf(assistant)];
    expect(await ask(providers, model, { messages: history, settings })).toMatchObject({
      error: null,
      text: 'The result is the weather',
    });
    expect(callsTo(fake).map(({ body }) => 'thinking' in body)).toEqual([true, false]);
  });

  test('explains a refusal before any text', async () => {
    const { providers } = await startFake('anthropic');
    expect((await ask(providers, 'anthropic/filter-after-0')).error).toMatchObject({
      code: 'content_refused',
      message: 'anthropic refused to answer: This request was blocked under the usage policy.',
    });
    const { parts } = await ask(providers, 'anthropic/refuse-politely');
    expect(parts.at(-1)).toMatchObject({ finish_reason: 'content_filter' });
  });

  test('reports the text at which an answer stopped', async () => {
    const { providers } = await startFake('anthropic');
    const { parts } = await ask(providers, 'anthropic/words-9', { settings: { stop: ['w2', 'w4'] } });
    expect(parts.at(-1)).toMatchObject({ finish_reason: 'stop', stop_sequence: 'w2' });
    const whole = await ask(providers, 'anthropic/words-9', { settings: { stop: ['END'] } });
    expect(whole.parts.at(-1)).not.toHaveProperty('stop_sequence');
  });

  test('passes on the user and the tier', async () => {
    const { fake, providers } = await startFake('anthropic');
    await ask(providers, 'anthropic/words-1', { settings: { user: 'ada', service_tier: 'default' } });
    expect(callsTo(fake)[0]?.body).toMatchObject({ metadata: { user_id: 'ada' }, service_tier: 'standard_only' });
    const { error } = await ask(providers, 'anthropic/words-1', { settings: { service_tier: 'flex' } });
    expect(error).toMatchObject({ message: '`service_tier` flex is not supported by anthropic' });
  });

  test.each([
    [
      { reasoning_effort: 'high' as const, max_tokens: 6_000 },
      { max_tokens: 6_000, budget: 3_000 },
    ],
    [
      { reasoning_effort: 'low' as const, max_tokens: 2_000 },
      { max_tokens: 2_000, budget: undefined },
    ],
    [
      { max_tokens: 5_000, provider_options: { anthropic: { thinking: { type: 'enabled', budget_tokens: 4_000 } } } },
      { max_tokens: 5_000, budget: 4_000 },
    ],
    [{ max_tokens: 100 }, { max_tokens: 100, budget: undefined }],
  ])('the limit %j includes thinking', async (settings, { max_tokens, budget }) => {
    const { fake, providers } = await startFake('anthropic');
    expect((await ask(providers, 'anthropic/claude-sonnet-4-5-words-1', { settings })).error).toBeNull();
    const [call] = callsTo(fake);
    expect(call?.body.max_tokens).toBe(max_tokens);
    expect((call?.body.thinking as { budget_tokens?: number } | undefined)?.budget_tokens).toBe(budget);
    expect(Object.keys(call?.headers ?? {}).filter((name) => name.includes('chorus'))).toEqual([]);
  });

  test.each(['claude-opus-4-8-words-1', 'claude-sonnet-4-5-words-1'])(
    'the limit stays the same where the package changes how %s thinks',
    async (name) => {
      const { fake, providers } = await startFake('anthropic');
      const thinking = { type: 'enabled', budget_tokens: 31_999 };
      const settings = { max_tokens: 32_000, provider_options: { anthropic: { thinking } } };
      expect((await ask(providers, `anthropic/${name}`, { settings })).error).toBeNull();
      expect(callsTo(fake)[0]?.body.max_tokens).toBe(32_000);
    },
  );

  test('accepts PDFs and its own options', async () => {
    const { fake, providers } = await startFake('anthropic');
    const content = [{ type: 'file' as const, file: { file_data: 'JVBERi0=', filename: 'a.pdf' } }];
    await ask(providers, 'anthropic/words-1', {
      messages: [{ role: 'user', content }],
      settings: { provider_options: { anthropic: { top_k: 5, thinking: { type: 'enabled', budget_tokens: 2_000 } } } },
    });
    expect(callsTo(fake)[0]?.body).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      messages: [{ content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf' } }] }],
    });
  });
});

describe('google', () => {
  test('accepts audio, PDFs, system messages anywhere, and its own options', async () => {
    const { fake, providers } = await startFake('google');
    const content = [
      { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'wav' as const } },
      { type: 'file' as const, file: { file_data: 'JVBERi0=' } },
    ];
    const { error } = await ask(providers, 'google/words-1', {
      messages: [
        { role: 'user', content },
        { role: 'system', content: 'Be brief.' },
      ],
      settings: { provider_options: { google: { top_k: 5 } } },
    });
    expect(error).toBeNull();
    expect(callsTo(fake)[0]?.body).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        {
          parts: [
            { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
            { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
          ],
        },
      ],
      generationConfig: { topK: 5 },
    });
  });

  test('Gemini 3 accepts calls from other models, and gets its own signatures back', async () => {
    const { fake, providers } = await startFake('google');
    const foreign: Assistant = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    };
    const model = 'google/gemini-3-pro-call-steps-2';
    const start = [...messages, foreign, ...resultsOf(foreign)];
    const { parts, error } = await ask(providers, model, { messages: start, settings: { tools } });
    expect(error).toBeNull();
    const own = assistantOf(parts);
    expect(own.tool_calls?.[0]?.signature).toContain('thoughtSignature');
    const history = [...start, own, ...resultsOf(own)];
    expect(await ask(providers, model, { messages: history, settings: { tools } })).toMatchObject({ error: null });
    const contents = callsTo(fake)[1]!.body.contents as { parts: { thoughtSignature?: string }[] }[];
    expect(contents.flatMap(({ parts }) => parts.map(({ thoughtSignature }) => thoughtSignature ?? null))).toEqual([
      null,
      'skip_thought_signature_validator',
      null,
      expect.not.stringContaining('skip'),
      null,
    ]);
  });

  test('names the reason for a blocked prompt', async () => {
    const { providers } = await startFake('google');
    expect((await ask(providers, 'google/filter-after-0')).error).toMatchObject({
      code: 'content_refused',
      message: 'google refused to answer (SAFETY)',
    });
  });

  test('requests the rest of an answer that continues', async () => {
    const bodies: { continuationToken?: string; generationConfig: object }[] = [];
    const server = createServer(async (request, response) => {
      if (request.method === 'GET') return void response.end('{"models":[]}');
      bodies.push((await json(request)) as (typeof bodies)[number]);
      const part = bodies.length === 1 ? { text: 'one ' } : { text: 'two' };
      const end =
        bodies.length === 1 ? { finishReason: 'CONTINUATION', continuationToken: 't' } : { finishReason: 'STOP' };
      const usageMetadata = { promptTokenCount: 2, candidatesTokenCount: 1 };
      const event = { candidates: [{ content: { parts: [part] }, ...end }], usageMetadata };
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(event)}\r\n\r\n`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`;
    const providers = createProviders(settingsOf({ google: { apiKey: 'k', baseUrl } }), { log });
    closers.push(() => providers.close());
    const { text, parts, error } = await ask(providers, 'google/gemini-4', {
      settings: { provider_options: { google: { top_k: 5, labels: { a: 'b' } } } },
    });
    expect({ text, error }).toEqual({ text: 'one two', error: null });
    expect(parts.at(-1)).toMatchObject({ finish_reason: 'stop', usage: { input_tokens: 4, output_tokens: 2 } });
    expect(bodies.map(({ continuationToken }) => continuationToken)).toEqual([undefined, 't']);
    expect({ ...bodies[1], continuationToken: undefined }).toEqual(bodies[0]);
  });
});

test.each([
  ['anthropic', 'provider_rate_limited'],
  ['google', 'provider_rate_limited'],
] as const)('%s: an error in the stream keeps its meaning', async (name, code) => {
  const error = { type: 'rate_limit_error', code: 'rate_limit', message: 'Too many tokens' };
  const { fake, providers } = await startFake(name, { script: () => ({ ending: 'error', after: 2, error }) });
  const answer = await ask(providers, `${name}/words-5`);
  expect(answer).toMatchObject({ text: 'w1 w2', error: { code } });
  expect(callsTo(fake)).toHaveLength(1);
});

test('Groq’s models that think aloud are asked to separate their reasoning', async () => {
  const { fake, providers } = await startFake('groq');
  await ask(providers, 'groq/qwen/qwen3-words-1');
  await ask(providers, 'groq/llama-words-1');
  expect(callsTo(fake).map(({ body }) => body.reasoning_format)).toEqual(['parsed', undefined]);
});
