import { expect, test } from 'vitest';
import { toConversation } from './openai-messages.ts';

const call = { id: 'c', type: 'function' as const, function: { name: 'look', arguments: '{}' } };

test('keeps texts, refusals and tool calls of answers', () => {
  const answers = [
    { role: 'assistant' as const, content: 'I look.', tool_calls: [call] },
    { role: 'assistant' as const, content: null, tool_calls: [call] },
    { role: 'assistant' as const, content: null, refusal: 'No.' },
  ];
  expect(toConversation(answers)).toEqual(answers);
});

test('refuses a conversation of empty answers', () => {
  const details = [{ path: 'body.messages', message: 'must contain a message with content' }];
  expect(() => toConversation([{ role: 'assistant', content: null, tool_calls: [] }])).toThrow(
    expect.objectContaining({ code: 'invalid_request', details }),
  );
});
