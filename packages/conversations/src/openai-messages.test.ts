import { expect, test } from 'vitest';
import { toConversation } from './openai-messages.ts';

const called = { role: 'assistant' as const, content: null, tool_calls: [{ id: 'c' }] };
test('what an answer said beside a call stays, and a refusal is what it said', () => {
  const said = (message: object) => toConversation([{ role: 'assistant', ...message }])[0]?.content;
  expect(said({ content: 'I look.', tool_calls: [{ id: 'c' }] })).toBe('I look.');
  expect(said({ content: null, refusal: 'No.' })).toBe('No.');
  expect(said({ content: [{ type: 'refusal', refusal: 'No.' }] })).toEqual([{ type: 'text', text: 'No.' }]);
});

test('a conversation of which nothing is left is refused', () => {
  const details = [{ path: 'body.messages', message: 'must hold a message that says something' }];
  expect(() => toConversation([called])).toThrow(expect.objectContaining({ code: 'invalid_request', details }));
});
