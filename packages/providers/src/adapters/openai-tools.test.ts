import type { ChatMessage, ChatSettings } from '@chorus/contract';
import { sampleOf, say, think } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import { joinText, question as messages, only, type Part, parameters, tools } from '../test-answers.ts';
import { ask, calls, start } from '../test-providers.ts';

const args = JSON.stringify(sampleOf(parameters));

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

  test('shows refusals as such, and finishes as OpenAI does', async () => {
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
    expect(joinText(only(without.parts, 'text'))).toEqual([{ type: 'text', text: 'w1 w2' }]);
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
      '`tool_choice.function.name`: x is not one of the `tools`',
    ],
  ])('refuses %j', async (more, message) => {
    const { fake, providers } = await start();
    const { error } = await ask(providers, `${provider}/words-1`, { settings: { ...settings, ...more } });
    expect(error).toMatchObject({ code: 'invalid_request', message });
    expect(calls(fake)).toEqual([]);
  });
});
