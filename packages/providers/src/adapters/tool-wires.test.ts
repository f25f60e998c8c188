import type { ChatSettings } from '@chorus/contract';
import { callTool, sampleOf, say } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import {
  type Assistant,
  assistantOf,
  question as messages,
  only,
  parameters,
  resultsOf,
  textOf,
  tools,
} from '../test-answers.ts';
import { ask, callsTo, startFake } from '../test-providers.ts';

const args = JSON.stringify(sampleOf(parameters));
const THOUGHT = 'Let me think about it.';

const WIRES = [
  {
    name: 'anthropic',
    offered: {
      tools: tools.map(({ function: { name, description } }) => ({
        name,
        description,
        input_schema: parameters,
        eager_input_streaming: true,
      })),
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    forced: { tool_choice: { type: 'tool', name: 'news' } },
    schema: { output_config: { format: { type: 'json_schema', schema: parameters } } },
    jsonModel: 'claude-sonnet-4-5-json',
    streamed: true,
  },
  {
    name: 'google',
    offered: {
      tools: [
        {
          functionDeclarations: tools.map(({ function: { name, description } }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    },
    forced: { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['news'] } } },
    schema: { generationConfig: { responseMimeType: 'application/json' } },
    jsonModel: 'json',
    streamed: false,
  },
  {
    name: 'mistral',
    offered: { tools: tools, tool_choice: 'auto', parallel_tool_calls: false },
    forced: { tool_choice: { type: 'function', function: { name: 'news' } } },
    schema: {
      response_format: { type: 'json_schema', json_schema: { name: 'trip', schema: parameters, strict: true } },
    },
    jsonModel: 'json',
    streamed: false,
  },
  {
    name: 'groq',
    offered: { tools: tools, tool_choice: 'auto', parallel_tool_calls: false },
    forced: { tool_choice: { type: 'function', function: { name: 'news' } } },
    schema: {
      response_format: { type: 'json_schema', json_schema: { name: 'trip', schema: parameters, strict: true } },
    },
    jsonModel: 'json',
    streamed: false,
  },
] as const;

describe.each(WIRES)('$name', ({ name, offered, forced, schema, jsonModel, streamed }) => {
  // Google has no setting for parallel calls.
  const oneAtATime: ChatSettings = name === 'google' ? {} : { parallel_tool_calls: false };

  test('offers tools in its form, and streams a call', async () => {
    const { fake, providers } = await startFake(name);
    const { parts, error } = await ask(providers, `${name}/call-weather`, {
      messages,
      settings: { tools, tool_choice: 'auto', ...oneAtATime },
    });
    expect(error).toBeNull();
    const deltas = only(parts, 'tool_call');
    expect(deltas[0]).toMatchObject({ index: 0, name: 'weather' });
    expect(deltas.map((part) => part.arguments).join('')).toBe(args);
    if (streamed) expect(deltas.length).toBeGreaterThan(3);
    expect(parts.at(-1)).toMatchObject({ finish_reason: 'tool_calls' });
    expect(callsTo(fake)[0]?.body).toMatchObject(offered);
  });

  test('continues parallel calls with their results', async () => {
    const { providers } = await startFake(name);
    const first = await ask(providers, `${name}/call-two`, { messages, settings: { tools } });
    const assistant = assistantOf(first.parts);
    expect(assistant.tool_calls?.map(({ function: called }) => called)).toEqual([
      { name: 'weather', arguments: args },
      { name: 'news', arguments: args },
    ]);
    const history = [...messages, assistant, ...resultsOf(assistant)];
    const second = await ask(providers, `${name}/call-two`, { messages: history, settings: { tools } });
    expect(second).toMatchObject({ error: null, text: 'The result is the weather and the news' });
  });

  test('accepts calls from another provider, and a conversation about them without tools', async () => {
    const { providers } = await startFake(name);
    const ids = ['call_abcdefghijklmnopqrstuvwx.1', 'x y'];
    const assistant: Assistant = {
      role: 'assistant',
      content: null,
      tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'weather', arguments: '{' } })),
    };
    const history = [...messages, assistant, ...resultsOf(assistant)];
    for (const settings of [{ tools }, {}])
      expect(await ask(providers, `${name}/call-weather`, { messages: history, settings })).toMatchObject({
        error: null,
        text: 'The result is the weather and the weather',
      });
  });

  test('a call without arguments has an empty object', async () => {
    const { providers } = await startFake(name);
    const { parts } = await ask(providers, `${name}/call-empty`, { messages, settings: { tools } });
    expect(assistantOf(parts).tool_calls).toMatchObject([{ function: { arguments: '{}' } }]);
  });

  test('calls the required function', async () => {
    const { fake, providers } = await startFake(name);
    const tool_choice = { type: 'function' as const, function: { name: 'news' } };
    const { parts } = await ask(providers, `${name}/words-2`, { messages, settings: { tools, tool_choice } });
    expect(assistantOf(parts).tool_calls).toMatchObject([{ function: { name: 'news' } }]);
    expect(callsTo(fake)[0]?.body).toMatchObject(forced);
  });

  test('follows a schema', async () => {
    const { fake, providers } = await startFake(name);
    const json_schema = { name: 'trip', schema: parameters, strict: true };
    const { text, error, parts } = await ask(providers, `${name}/${jsonModel}`, {
      settings: { response_format: { type: 'json_schema', json_schema } },
    });
    expect(error).toBeNull();
    expect(JSON.parse(text)).toEqual({ city: 'Zürich' });
    expect(parts.at(-1)).toMatchObject({ finish_reason: 'stop' });
    expect(callsTo(fake)[0]?.body).toMatchObject(schema);
  });

  test('answers with any JSON object', async () => {
    const { providers } = await startFake(name);
    const { text, error, parts } = await ask(providers, `${name}/json`, {
      messages: [{ role: 'user', content: 'as json' }],
      settings: { response_format: { type: 'json_object' } },
    });
    expect(error).toBeNull();
    expect(JSON.parse(text)).toEqual({});
    expect(parts.at(-1)).toMatchObject({ finish_reason: 'stop' });
  });

  test('reasons before it calls, and accepts its reasoning back with the result', async () => {
    const { fake, providers } = await startFake(name);
    const model = { anthropic: 'claude-sonnet-4-5', google: 'gemini-3-pro', mistral: 'magistral', groq: 'qwen/qwen3' }[
      name
    ];
    const settings: ChatSettings = { tools, ...(name !== 'mistral' && { reasoning_effort: 'low' }) };
    const path = `${name}/${model}-think-call-weather`;
    const first = await ask(providers, path, { messages, settings });
    expect(first.error).toBeNull();
    expect(textOf(only(first.parts, 'reasoning'))).toBe(THOUGHT);
    // Mistral does not count them separately.
    if (name !== 'mistral') expect(first.parts.at(-1)).toMatchObject({ usage: { reasoning_tokens: 5 } });
    const assistant = assistantOf(first.parts);
    const history = [...messages, assistant, ...resultsOf(assistant)];
    const second = await ask(providers, path, { messages: history, settings });
    expect(second).toMatchObject({ error: null, text: 'The result is the weather' });
    expect(JSON.stringify(callsTo(fake)[1]?.body)).toContain(name === 'google' ? 'thoughtSignature' : THOUGHT);
  });

  test('counts cached tokens as part of the input', async () => {
    const { providers } = await startFake(name);
    const { parts } = await ask(providers, `${name}/cached-2-words-2`, {
      messages: [{ role: 'user', content: 'a b c' }],
    });
    expect(parts.at(-1)).toMatchObject({ usage: { input_tokens: 3, cached_input_tokens: 2, total_tokens: 5 } });
  });

  test('a stream that breaks in a call is not retried once it was shown', async () => {
    const pieces = [...say('Let me look.'), ...callTool('weather', { city: 'Oslo' })];
    const { fake, providers } = await startFake(name, { script: () => ({ pieces, ending: 'cut', after: 6 }) });
    const { parts, error } = await ask(providers, `${name}/any`, { messages, settings: { tools } });
    expect(textOf(only(parts, 'text'))).toBe('Let me look.');
    expect(error).toMatchObject({ code: 'provider_error' });
    expect(callsTo(fake)).toHaveLength(1);
  });
});
