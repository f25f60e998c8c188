import { type ChatMessage, type ChatRequest, type ChatSettings, chatRequest } from '@chorus/contract';
import { expect, test } from 'vitest';
import { checkFields, checkSettings } from './unsupported-fields.ts';

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
  ['logit_bias', { 1: 5 }],
  ['logprobs', true],
  ['top_logprobs', 3],
  ['tools', [{ type: 'function', function: { name: 'f' } }]],
  ['tool_choice', 'required'],
  ['response_format', { type: 'json_object' }],
  ['reasoning_effort', 'low'],
  ['modalities', ['text', 'audio']],
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
  expect(check({ user: 'me', store: false, 'odd name': 1 })).toEqual(['user', 'store']);
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
  const refused = (settings: ChatSettings, content: ChatMessage['content'] = 'hi') => {
    try {
      checkSettings([{ models: [plain] }], plain.id, settings, 'body', [{ content }]);
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
  const nothing = { tools: [], tool_choice: 'none', response_format: { type: 'text' }, parallel_tool_calls: false };
  expect(refused(nothing as ChatSettings)).toBeNull();
});
