import { expect, test } from 'vitest';
import { toConversation } from './openai-messages.ts';

const called = { role: 'assistant' as const, content: null, tool_calls: [{ id: 'c' }] };
test('keeps the text of an answer beside a tool call, and a refusal', () => {
  const said = (message: object) => toConversation([{ role: 'assistant', ...message }])[0]?.content;
  expect(said({ content: 'I look.', tool_calls: [{ id: 'c' }] })).toBe('I look.');
  expect(said({ content: null, refusal: 'No.' })).toBe('No.');
  expect(said({ content: [{ type: 'refusal', refusal: 'No.' }] })).toEqual([{ type: 'text', text: 'No.' }]);
});

test('refuses a conversation with no text left', () => {
  const details = [{ path: 'body.messages', message: 'must contain a message with content' }];
  expect(() => toConversation([called])).toThrow(expect.objectContaining({ code: 'invalid_request', details }));
});
