import { describe, expect, test } from 'vitest';
import { newId } from './ids.ts';
import { chatRequest } from './kinds/chat-completion.ts';

const tool = (name: string) => ({ type: 'function', function: { name } });
const tools = [tool('weather'), tool('time')];
const user = { role: 'user', content: 'Hi' };
const called = (...ids: string[]) => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } })),
});
const result = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: '20 °C' });

const pathsOf = (body: object) =>
  chatRequest
    .safeParse({ ...('message' in body || 'messages' in body ? {} : { messages: [user] }), ...body })
    .error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('tools', () => {
  test.each([
    { tools },
    { tools, tool_choice: 'auto', parallel_tool_calls: false },
    { tools, tool_choice: 'required' },
    { tools, tool_choice: tool('time') },
    { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('time')] } } },
    { tool_choice: 'none', parallel_tool_calls: true },
    { tools: [], tool_choice: 'auto' },
    { tools: null, tool_choice: null },
    { message: 'Hi', session_id: newId('session'), tools },
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' }, strict: true } } },
    { response_format: { type: 'json_object' }, reasoning_effort: 'low', verbosity: 'high', service_tier: 'flex' },
    { logprobs: true, top_logprobs: 3, logit_bias: { 50256: -100 } },
    { provider_options: { anthropic: { thinking: { type: 'enabled' } } } },
  ])('%j is accepted', (body) => {
    expect(pathsOf(body)).toEqual([]);
  });

  test.each<[object, string]>([
    [{ tools: [tool('time'), tool('time')] }, 'tools.1.function.name'],
    [{ tools: [tool('no spaces')] }, 'tools.0.function.name'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tool_choice: tool('time') }, 'tool_choice'],
    [{ tools, tool_choice: tool('news') }, 'tool_choice.function.name'],
    [
      { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('news')] } } },
      'tool_choice.allowed_tools.tools.0.function.name',
    ],
    [{ parallel_tool_calls: false }, 'parallel_tool_calls'],
    [{ top_logprobs: 2 }, 'top_logprobs'],
    [{ logprobs: true, top_logprobs: 21 }, 'top_logprobs'],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'x' } } }, 'response_format.json_schema.schema'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [{ reasoning_effort: 'enormous' }, 'reasoning_effort'],
    [{ provider_options: { unknown: {} } }, 'provider_options.unknown'],
  ])('%j is refused', (body, path) => {
    expect(pathsOf(body)).toEqual([path]);
  });
});

describe('results of tools', () => {
  test.each([
    [[user, called('a'), result('a')]],
    [[user, called('a', 'b'), result('b'), result('a'), user]],
    [[user, called('a'), result('a'), called('a'), result('a')]],
  ])('%j are accepted', (messages) => {
    expect(pathsOf({ messages })).toEqual([]);
  });

  test.each<[object[], string[]]>([
    [[user, result('a')], ['messages.1.tool_call_id']],
    [[user, called('a'), result('a'), user, result('a')], ['messages.4.tool_call_id']],
    [
      [user, called('a'), result('b')],
      ['messages.2.tool_call_id', 'messages.1.tool_calls.0.id'],
    ],
    [[user, called('a'), result('a'), result('a')], ['messages.3.tool_call_id']],
    [[user, called('a', 'b'), result('b')], ['messages.1.tool_calls.0.id']],
    [[user, called('a'), user], ['messages.1.tool_calls.0.id']],
    [[user, called('a', 'a'), result('a')], ['messages.1.tool_calls.1.id']],
  ])('%j are refused', (messages, paths) => {
    expect(pathsOf({ messages })).toEqual(paths);
  });
});
