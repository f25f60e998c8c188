import type { ChatMessage, ChatSettings } from '@chorus/contract';
import { callTool, sampleOf, say, think } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import type { ChatPart } from '../provider-port.ts';
import { ask, calls, start } from '../test-providers.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, description: `The ${name}`, parameters },
});
const tools = [tool('weather'), tool('news')];
const messages: ChatMessage[] = [{ role: 'user', content: 'Zürich?' }];
const args = JSON.stringify(sampleOf(parameters));

type Part<T extends ChatPart['type']> = Extract<ChatPart, { type: T }>;
const only = <T extends ChatPart['type']>(parts: { type: string }[], type: T) =>
  parts.filter((part) => part.type === type) as Part<T>[];
const joined = (parts: Part<'tool_call'>[], index = 0) =>
  parts.map((part) => (part.index === index ? part.arguments : '')).join('');

/** The two wire formats that a server with OpenAI's API may have. */
const WIRES = [
  { wire: 'responses', provider: 'openai', settings: {} },
  { wire: 'chat completions', provider: 'openai', settings: { seed: 1 } },
  { wire: 'chat completions', provider: 'compatible', settings: {} },
] as const;

describe.each(WIRES)('$provider by $wire', ({ wire, provider, settings }) => {
  const path = wire === 'responses' ? '/v1/responses' : '/v1/chat/completions';

  test('offers tools and streams a call in deltas', async () => {
    const { fake, providers } = await start();
    const { parts, error } = await ask(providers, `${provider}/call-weather`, {
      messages,
      settings: { ...settings, tools, tool_choice: 'auto', parallel_tool_calls: false },
    });
    expect(error).toBeNull();
    const deltas = only(parts, 'tool_call');
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas[0]).toMatchObject({ index: 0, name: 'weather', arguments: '' });
    expect(new Set(deltas.map(({ id }) => id))).toEqual(new Set([deltas[0]?.id]));
    expect(joined(deltas)).toBe(args);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finish_reason: 'tool_calls' });
    const [request] = calls(fake);
    expect(request?.path).toBe(path);
    expect(request?.body).toMatchObject({
      tools: tools.map(({ type, function: named }) =>
        wire === 'responses' ? { type, ...named, strict: false } : { type, function: named },
      ),
      tool_choice: 'auto',
      parallel_tool_calls: false,
    });
  });

  test('numbers parallel calls, and continues with their results', async () => {
    const { fake, providers } = await start();
    const model = `${provider}/call-two`;
    const first = await ask(providers, model, { messages, settings: { ...settings, tools } });
    const deltas = only(first.parts, 'tool_call');
    expect([joined(deltas, 0), joined(deltas, 1)]).toEqual([args, args]);
    const tool_calls = [0, 1].map((index) => {
      const { id, name } = deltas.find((part) => part.index === index)!;
      return { id, type: 'function' as const, function: { name, arguments: joined(deltas, index) } };
    });
    const results = tool_calls.map(({ id, function: { name } }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: `the ${name}`,
    }));
    const second = await ask(providers, model, {
      messages: [...messages, { role: 'assistant', content: null, tool_calls }, ...results],
      settings: { ...settings, tools },
    });
    expect(second.error).toBeNull();
    expect(second.text).toBe('The result is the weather and the news');
    expect(second.parts.at(-1)).toMatchObject({ finish_reason: 'stop' });
    const body = calls(fake)[1]!.body;
    expect(wire === 'responses' ? (body.input as unknown[]).slice(1) : (body.messages as unknown[]).slice(1)).toEqual(
      wire === 'responses'
        ? [
            ...tool_calls.map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called })),
            ...results.map(({ tool_call_id, content }) => ({
              type: 'function_call_output',
              call_id: tool_call_id,
              output: content,
            })),
          ]
        : [{ role: 'assistant', content: null, tool_calls }, ...results],
    );
  });

  test('a call without arguments has an empty object', async () => {
    const { providers } = await start();
    const { parts } = await ask(providers, `${provider}/call-empty`, { settings: { ...settings, tools } });
    expect(joined(only(parts, 'tool_call'))).toBe('{}');
  });

  test.each<[string, ChatSettings, unknown, string[]]>([
    ['none', { tool_choice: 'none' }, 'none', ['weather', 'news']],
    ['required', { tool_choice: 'required' }, 'required', ['weather', 'news']],
    [
      'one function',
      { tool_choice: { type: 'function', function: { name: 'news' } } },
      wire === 'responses' ? { type: 'function', name: 'news' } : { type: 'function', function: { name: 'news' } },
      ['weather', 'news'],
    ],
    [
      'allowed tools',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'news' } }] },
        },
      },
      'required',
      ['news'],
    ],
  ])('tool choice: %s', async (_what, choice, sent, offered) => {
    const { fake, providers } = await start();
    await ask(providers, `${provider}/words-2`, { settings: { ...settings, tools, ...choice } });
    const { body } = calls(fake)[0]!;
    expect(body.tool_choice).toEqual(sent);
    const names = (body.tools as { name?: string; function?: { name: string } }[]).map(
      ({ name, function: named }) => name ?? named?.name,
    );
    expect(names).toEqual(offered);
  });

  test('shows a refusal as such, and finishes as OpenAI does', async () => {
    const { providers } = await start();
    const { parts, error } = await ask(providers, `${provider}/refuse-politely`, { settings });
    expect(error).toBeNull();
    expect(only(parts, 'text')).toEqual([]);
    expect(
      only(parts, 'refusal')
        .map(({ text }) => text)
        .join(''),
    ).toBe("I'm sorry, I cannot help with that.");
    expect(parts.at(-1)).toMatchObject({ finish_reason: 'stop' });
  });

  test.each([
    ['json_object', { type: 'json_object' }, {}],
    [
      'json_schema',
      { type: 'json_schema', json_schema: { name: 'a', description: 'b', schema: parameters } },
      { city: 'Zürich' },
    ],
    [
      'strict',
      { type: 'json_schema', json_schema: { name: 'a', schema: parameters, strict: true } },
      { city: 'Zürich' },
    ],
  ] as const)('answers in the form of %s', async (_what, response_format, answer) => {
    const { fake, providers } = await start();
    const asked: ChatMessage[] = [{ role: 'user', content: 'as json' }];
    const { text, error } = await ask(providers, `${provider}/json`, {
      messages: asked,
      settings: { ...settings, response_format },
    });
    expect(error).toBeNull();
    expect(JSON.parse(text)).toEqual(answer);
    const { body } = calls(fake)[0]!;
    const sent = wire === 'responses' ? (body.text as { format: object }).format : body.response_format;
    const schema = 'json_schema' in response_format ? { strict: false, ...response_format.json_schema } : null;
    expect(sent).toEqual(
      schema === null
        ? { type: 'json_object' }
        : wire === 'responses'
          ? { type: 'json_schema', ...schema }
          : { type: 'json_schema', json_schema: schema },
    );
  });

  test('attaches log probabilities to the text they belong to', async () => {
    const { providers } = await start();
    const { parts } = await ask(providers, `${provider}/words-2`, {
      settings: { ...settings, logprobs: true, top_logprobs: 2 },
    });
    const entry = (token: string, logprob = -0.25) => ({ token, logprob, bytes: [...Buffer.from(token)] });
    expect(only(parts, 'text')).toEqual(
      ['w1', ' w2'].map((text) => ({
        type: 'text',
        text,
        logprobs: [{ ...entry(text), top_logprobs: [entry(text), entry(`${text}1`, -1.25)] }],
      })),
    );
    const without = await ask(providers, `${provider}/words-2`, { settings: { ...settings, logprobs: false } });
    expect(only(without.parts, 'text')[0]).toEqual({ type: 'text', text: 'w1' });
  });

  test('counts cached and reasoning tokens', async () => {
    const pieces = [...think('hm hm'), ...say('one')];
    const { providers } = await start({ script: () => ({ pieces, cached: 2 }) });
    const { parts } = await ask(providers, `${provider}/any`, {
      messages: [{ role: 'user', content: 'a b c' }],
      settings,
    });
    expect(parts.at(-1)).toMatchObject({
      usage: { input_tokens: 3, cached_input_tokens: 2, output_tokens: 3, reasoning_tokens: 2, total_tokens: 6 },
    });
  });

  test.each([
    ['rate_limit_exceeded', 'provider_rate_limited'],
    ['context_length_exceeded', 'context_too_long'],
    ['content_policy_violation', 'content_refused'],
    ['insufficient_quota', 'provider_rate_limited'],
    ['server_error', 'provider_error'],
  ])('%s in the middle of the stream is %s', async (code, ours) => {
    const error = { message: 'It says so.', type: 'error', code };
    const { fake, providers } = await start({ script: () => ({ ending: 'error', after: 2, error }) });
    const answer = await ask(providers, `${provider}/words-5`, { settings });
    expect(answer).toMatchObject({ text: 'w1 w2', error: { code: ours } });
    expect(calls(fake)).toHaveLength(1);
  });

  test.each(['call-cut-after-2', 'call-error-after-2'])('%s is not retried after it was shown', async (model) => {
    const { fake, providers } = await start();
    const { parts, error } = await ask(providers, `${provider}/${model}`, { settings: { ...settings, tools } });
    expect(only(parts, 'tool_call').length).toBeGreaterThan(0);
    expect(error).toMatchObject({ code: 'provider_error' });
    expect(calls(fake)).toHaveLength(1);
  });

  test.each([
    [{ tool_choice: 'required' as const }, '`tool_choice` needs `tools`'],
    [{ top_logprobs: 3 }, '`top_logprobs` needs `logprobs: true`'],
    [
      { tools, tool_choice: { type: 'function' as const, function: { name: 'x' } } },
      '`tool_choice.function.name`: x is none of the `tools`',
    ],
  ])('refuses %j', async (more, message) => {
    const { fake, providers } = await start();
    const { error } = await ask(providers, `${provider}/words-1`, { settings: { ...settings, ...more } });
    expect(error).toMatchObject({ code: 'invalid_request', message });
    expect(calls(fake)).toEqual([]);
  });
});

test('OpenAI’s reasoning comes back to it with its encrypted content', async () => {
  const { fake, providers } = await start();
  const model = 'openai/gpt-5-think-call-weather';
  const settings: ChatSettings = { tools, reasoning_effort: 'low' };
  const { parts } = await ask(providers, model, { messages, settings });
  const reasoning = only(parts, 'reasoning');
  expect(reasoning.map(({ text }) => text).join('')).toBe('Let me think about it.');
  const signature = reasoning.at(-1)?.signature ?? '';
  expect(JSON.parse(signature)).toMatchObject({ model, meta: { itemId: expect.stringMatching(/^rs_/) } });
  expect(calls(fake)[0]?.body).toMatchObject({
    store: false,
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  });
  const { id, name } = only(parts, 'tool_call')[0]!;
  const assistant: ChatMessage = {
    role: 'assistant',
    content: null,
    reasoning_content: reasoning.map(({ text }) => text).join(''),
    reasoning_signature: signature,
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  };
  const history: ChatMessage[] = [...messages, assistant, { role: 'tool', tool_call_id: id, content: 'sunny' }];
  const second = await ask(providers, model, { messages: history, settings });
  expect(second.error).toBeNull();
  expect(second.text).toBe('The result is sunny');
  expect((calls(fake)[1]!.body.input as unknown[])[1]).toMatchObject({
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Let me think about it.' }],
    encrypted_content: expect.stringContaining('encrypted-whole'),
  });
});

test('encrypted reasoning that OpenAI does not accept is left out of a second attempt', async () => {
  const { fake, providers } = await start();
  const signature = JSON.stringify({
    model: 'openai/gpt-5-words-2',
    meta: { itemId: 'rs_1', reasoningEncryptedContent: 'of another account' },
  });
  const assistant: ChatMessage = { role: 'assistant', content: 'a', reasoning_signature: signature };
  const history: ChatMessage[] = [...messages, assistant, ...messages];
  const { text, error } = await ask(providers, 'openai/gpt-5-words-2', { messages: history });
  expect(error).toBeNull();
  expect(text).toBe('w1 w2');
  const [first, second] = calls(fake).map(({ body }) => (body.input as { type?: string }[]).map(({ type }) => type));
  expect(first).toContain('reasoning');
  expect(second).not.toContain('reasoning');
});

test('reasoning of a compatible server is shown, and sent back during a chain of calls', async () => {
  const { fake, providers } = await start();
  const { parts } = await ask(providers, 'compatible/think-call-weather', { messages, settings: { tools } });
  expect(
    only(parts, 'reasoning')
      .map(({ text }) => text)
      .join(''),
  ).toBe('Let me think about it.');
  const { id, name } = only(parts, 'tool_call')[0]!;
  const assistant: ChatMessage = {
    role: 'assistant',
    content: null,
    reasoning_content: 'Let me think about it.',
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  };
  const history: ChatMessage[] = [...messages, assistant, { role: 'tool', tool_call_id: id, content: 'sunny' }];
  expect((await ask(providers, 'compatible/think-call-weather', { messages: history, settings: { tools } })).text).toBe(
    'The result is sunny',
  );
  expect((calls(fake)[1]!.body.messages as unknown[])[1]).toMatchObject({
    reasoning_content: 'Let me think about it.',
  });
});

test('extra options reach only their provider, and cannot be dangerous', async () => {
  const { fake, providers } = await start();
  const provider_options = { compatible: { top_k: 5, guided_json: {} }, openai: { prompt_cache_key: 'a' } };
  for (const provider of ['openai', 'compatible'])
    await ask(providers, `${provider}/words-1`, { settings: { provider_options } });
  const [openai, compatible] = calls(fake).map(({ body }) => body);
  expect(openai).toMatchObject({ prompt_cache_key: 'a', store: false });
  expect(openai).not.toHaveProperty('top_k');
  expect(compatible).toMatchObject({ top_k: 5, guided_json: {} });
  expect(compatible).not.toHaveProperty('prompt_cache_key');
});

test('passes on who asks, how much to say, and the tier', async () => {
  const { fake, providers } = await start();
  const settings: ChatSettings = { user: 'ada', verbosity: 'low', service_tier: 'priority' };
  await ask(providers, 'openai/gpt-5-words-1', { settings });
  await ask(providers, 'compatible/words-1', { settings: { ...settings, logit_bias: { 5: 1 } } });
  await ask(providers, 'openai/words-1', { settings: { logit_bias: { 5: 1 } } });
  const [responses, compatible, chat] = calls(fake).map(({ path, body }) => ({ path, ...body }));
  expect(responses).toMatchObject({ user: 'ada', text: { verbosity: 'low' }, service_tier: 'priority' });
  expect(compatible).toMatchObject({ ...settings, logit_bias: { 5: 1 } });
  expect(chat).toMatchObject({ path: '/v1/chat/completions', logit_bias: { 5: 1 } });
});

test('sends sound by chat completions, and PDFs', async () => {
  const { fake, providers } = await start();
  const input_audio = { data: 'AAAA', format: 'wav' as const };
  const file = { file_data: 'JVBERi0=', filename: 'a.pdf' };
  const content: ChatMessage['content'] = [
    { type: 'input_audio', input_audio },
    { type: 'file', file },
  ];
  for (const provider of ['openai', 'compatible'])
    await ask(providers, `${provider}/words-1`, { messages: [{ role: 'user', content: content as never }] });
  for (const { path, body } of calls(fake)) {
    expect(path).toBe('/v1/chat/completions');
    expect(body.messages).toMatchObject([
      {
        content: [
          { type: 'input_audio', input_audio },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
        ],
      },
    ]);
  }
});

test('asks again without summaries if the key may not have them', async () => {
  const { fake, providers } = await start({
    script: ({ body }) =>
      (body.reasoning as { summary?: string } | undefined)?.summary === undefined
        ? undefined
        : {
            kind: 'fail',
            status: 400,
            error: {
              message: 'Your organization must be verified to generate reasoning summaries.',
              type: 'invalid_request_error',
              code: 'unsupported_value',
              param: 'reasoning.summary',
            },
          },
  });
  expect((await ask(providers, 'openai/gpt-5-words-2', { settings: { reasoning_effort: 'high' } })).text).toBe('w1 w2');
  await ask(providers, 'openai/gpt-5-words-2');
  const summaries = calls(fake).map(({ body }) => (body.reasoning as { summary?: string } | undefined)?.summary);
  expect(summaries).toEqual(['auto', undefined, undefined]);
});

test('reports text, refusals and calls that arrive in one chunk in their order', async () => {
  const pieces = [...say('as follows'), ...callTool('weather', { city: 'Oslo' }, 0)];
  const { providers } = await start({ script: () => ({ pieces }) });
  const { parts } = await ask(providers, 'compatible/any', { settings: { tools } });
  expect(parts.map(({ type }) => type).slice(0, 3)).toEqual(['text', 'text', 'tool_call']);
});
