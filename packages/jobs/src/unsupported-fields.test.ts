import { type ChatMessage, type ChatRequest, type ChatSettings, chatRequest } from '@chorus/contract';
import { expect, test } from 'vitest';
import { checkFields, checkSettings, checkToolOutputs } from './unsupported-fields.ts';

type UserContent = Extract<ChatMessage, { role: 'user' }>['content'];

const known = new Set(Object.keys(chatRequest.shape));
const messages = [{ role: 'user', content: 'How warm is it?' }];

const assistant = {
  id: 'embedded/assistant',
  object: 'model' as const,
  created: 0,
  owned_by: 'embedded',
  capabilities: [],
  context_window: null,
  ignored_settings: ['temperature', 'seed'],
};

const check = (fields: object, model = 'openai/gpt-4o') =>
  checkFields(chatRequest.parse({ messages, ...fields }), { known, model, workers: [{ models: [assistant] }] });

const refusedPaths = (fields: object) => {
  try {
    check(fields);
  } catch (error) {
    return (error as { details: { path: string }[] }).details.map(({ path }) => path);
  }
  return [];
};

test.each([
  ['n', 2],
  ['functions', [{ name: 'f' }]],
  ['function_call', { name: 'f' }],
  ['modalities', ['text', 'audio']],
  ['audio', { voice: 'alloy' }],
  ['web_search_options', {}],
  ['prediction', { type: 'content', content: 'x' }],
  ['top_k', 5],
])('%s changes the answer, so it is refused with the model', (name, value) => {
  expect(() => check({ [name]: value })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining('openai/gpt-4o'),
      details: [{ path: `body.${name}`, message: 'is not supported with openai/gpt-4o' }],
    }),
  );
});

test('accepts values that have no effect', () => {
  const nothing = { n: 1, logit_bias: {}, logprobs: false, top_logprobs: 0, tools: [], tool_choice: 'none' };
  expect(check({ ...nothing, response_format: { type: 'text' }, modalities: ['text'], seed: null })).toEqual([]);
});

test('ignores harmless fields and lists them', () => {
  expect(check({ user: 'me', store: false, 'odd name': 1 })).toEqual(['store']);
  expect(check({ temperature: 0.2, seed: 7 })).toEqual([]);
  expect(check({ temperature: 0.2, seed: 7 }, 'embedded/assistant')).toEqual(['temperature', 'seed']);
});

test('refuses deprecated function messages, with their path', () => {
  const result = { role: 'function', name: 'f', content: '20 °C' };
  expect(refusedPaths({ messages: [...messages, result] })).toEqual(['body.messages.1.role']);
});

test('accepts an assistant message as OpenAI’s clients send it back', () => {
  const answer = { role: 'assistant', content: 'Hi.', refusal: null, tool_calls: null, function_call: null };
  expect(check({ messages: [...messages, answer] as ChatRequest['messages'] })).toEqual([]);
});

test('refuses settings that the model does not support, with their path', () => {
  const gpt5 = {
    id: 'openai/gpt-5',
    object: 'model' as const,
    created: 0,
    owned_by: 'openai',
    capabilities: [],
    context_window: null,
    unsupported_settings: ['temperature', 'top_p'],
  };
  const workers = [{ models: [gpt5] }];
  checkSettings(workers, 'openai/gpt-5', { seed: 1 });
  checkSettings(workers, 'openai/gpt-5', { temperature: 1 });
  checkSettings(workers, 'openai/gpt-4o', { temperature: 0 });
  expect(() => checkSettings(workers, 'openai/gpt-5', { temperature: 0, top_p: 0.5 })).toThrow(
    expect.objectContaining({
      message: '`temperature` is not supported by openai/gpt-5.',
      details: [
        { path: 'body.temperature', message: 'is not supported by openai/gpt-5' },
        { path: 'body.top_p', message: 'is not supported by openai/gpt-5' },
      ],
    }),
  );
  expect(() => checkSettings(workers, 'openai/gpt-5', { temperature: 0 }, 'agent')).toThrow(/^`agent\.temperature`/);
});

test('refuses tools, values of settings, and parts of messages', () => {
  const plain = { ...assistant, unsupported_settings: ['tools', 'response_format.json_object', 'input_audio'] };
  const refused = (settings: ChatSettings, content: UserContent = 'hi') => {
    try {
      checkSettings([{ models: [plain] }], plain.id, settings, 'body', [{ role: 'user', content }]);
    } catch (error) {
      return (error as Error).message;
    }
    return null;
  };
  const tools = [{ type: 'function' as const, function: { name: 'weather' } }];
  expect(refused({ tools })).toBe('`tools` cannot be used: embedded/assistant cannot call tools.');
  expect(refused({ response_format: { type: 'json_object' } })).toBe(
    '`response_format` json_object is not supported by embedded/assistant.',
  );
  const audio = { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'wav' as const } };
  expect(refused({}, [audio])).toBe('`messages.0.content.0` cannot be used: embedded/assistant does not accept audio.');
  const sometimes = [{ models: [{ ...assistant, unsupported_settings: ['temperature.while_reasoning'] }] }];
  checkSettings(sometimes, plain.id, { temperature: 0, reasoning_effort: 'none' });
  expect(() => checkSettings(sometimes, plain.id, { temperature: 0 })).toThrow(
    '`temperature` is not supported by embedded/assistant unless `reasoning_effort` is none.',
  );
  const nothing = { tools: [], tool_choice: 'none', response_format: { type: 'text' }, parallel_tool_calls: false };
  expect(refused(nothing as ChatSettings)).toBeNull();
});

test('refuses tool results and images for models that cannot use them', () => {
  const plain = { ...assistant, unsupported_settings: ['tools'] };
  const seeing = { ...plain, id: 'embedded/eye', capabilities: ['vision' as const] };
  const refused = (model: string, messages: ChatRequest['messages']) => {
    try {
      checkSettings([{ models: [plain, seeing] }], model, {}, 'body', messages);
    } catch (error) {
      return (error as { details: { path: string }[] }).details.map(({ path }) => path);
    }
    return [];
  };
  const user = { role: 'user' as const, content: 'Hi' };
  const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
  const used = [
    user,
    { role: 'assistant' as const, tool_calls: [call] },
    { role: 'tool' as const, tool_call_id: 'c', content: '1' },
  ];
  expect(refused(plain.id, used)).toEqual(['body.messages.1', 'body.messages.2']);
  const image = { type: 'image_url' as const, image_url: { url: 'data:,' } };
  const shown = [user, { ...user, content: [{ type: 'text' as const, text: 'What is it?' }, image] }];
  expect(refused(plain.id, shown)).toEqual(['body.messages.1.content.1']);
  expect(refused(seeing.id, shown)).toEqual([]);
  expect(refused('compatible/unknown', [...used, ...shown])).toEqual([]);
  expect(() => checkToolOutputs([{ models: [plain] }], plain.id, 'body')).toThrow(
    '`tool_outputs` cannot be used: embedded/assistant cannot call tools.',
  );
  checkToolOutputs([{ models: [plain] }], 'compatible/unknown', 'body');
});
