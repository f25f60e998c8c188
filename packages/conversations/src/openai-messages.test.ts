import { expect, test } from 'vitest';
import { ignoredInMessages, toConversation } from './openai-messages.ts';

const asked = { role: 'user' as const, content: 'How warm is it?' };
const called = { role: 'assistant' as const, content: null, tool_calls: [{ id: 'c' }] };
const result = { role: 'tool' as const, content: '20 °C' };

test('a conversation goes on without the calls of tools and their results, which are named', () => {
  const messages = [
    asked,
    called,
    result,
    { role: 'function' as const },
    { role: 'assistant' as const, content: '20 °C.' },
  ];
  expect(toConversation(messages)).toEqual([asked, { role: 'assistant', content: '20 °C.' }]);
  expect(ignoredInMessages(messages)).toEqual(['messages.tool_calls', 'messages.tool', 'messages.function']);
});

test('what an answer said beside a call stays, and a refusal is what it said', () => {
  const said = (message: object) => toConversation([{ role: 'assistant', ...message }])[0]?.content;
  expect(said({ content: 'I look.', tool_calls: [{ id: 'c' }] })).toBe('I look.');
  expect(said({ content: null, refusal: 'No.' })).toBe('No.');
  expect(said({ content: [{ type: 'refusal', refusal: 'No.' }] })).toEqual([{ type: 'text', text: 'No.' }]);
});

test('what OpenAI’s clients send of an ordinary answer names nothing', () => {
  const answer = { role: 'assistant' as const, content: 'Hi.', refusal: null, tool_calls: null, function_call: null };
  expect(ignoredInMessages([asked, answer])).toEqual([]);
});

test('a conversation of which nothing is left is refused', () => {
  const details = [{ path: 'body.messages', message: 'must hold a message that says something' }];
  expect(() => toConversation([called, result])).toThrow(expect.objectContaining({ code: 'invalid_request', details }));
});
