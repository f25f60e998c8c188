import { expect, test } from 'vitest';
import { chatMessage, reasoningFields, reasoningOf } from './chat.ts';
import { toChoice } from './chat-answer.ts';

test.each([
  [[]],
  [[{ text: 'a' }]],
  [[{ text: 'a', signature: 's' }]],
  [[{ text: 'a', signature: 's' }, { text: '', signature: 'redacted' }, { text: 'b' }]],
])('reasoning %j comes back as it was sent', (blocks) => {
  const message = chatMessage.parse({ role: 'assistant', content: 'Hi', ...reasoningFields(blocks) });
  if (message.role !== 'assistant') throw new Error('not an answer');
  expect(reasoningOf(message)).toEqual(blocks);
});

test('joins reasoning blocks without signatures', () => {
  expect(reasoningFields([{ text: 'a' }, { text: 'b' }])).toEqual({ reasoning_content: 'ab' });
});

test('an empty answer has empty content', () => {
  expect(toChoice([{ type: 'text', text: '' }], 'stop').message).toEqual({
    role: 'assistant',
    content: '',
    refusal: null,
  });
  expect(toChoice([], null).message.content).toBe('');
});

test('an answer is a message that can be sent back', () => {
  const call = { type: 'tool_call', id: 'c', name: 'f', arguments: '{}', status: 'requested', signature: 's' } as const;
  const times = { result: null, started_at: null, finished_at: null };
  const { message } = toChoice(
    [
      { type: 'reasoning', text: 'Hm' },
      { ...call, ...times },
    ],
    'tool_calls',
  );
  expect(chatMessage.parse(message)).toEqual(message);
});
