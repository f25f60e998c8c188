import { expect, test } from 'vitest';
import type { ConversationItem } from './input-items.ts';
import { convertItems, toChatMessages } from './to-messages.ts';

const user = (content: string): ConversationItem => ({ role: 'user', content });
const said = (text: string): ConversationItem => ({ role: 'assistant', content: [{ type: 'output_text', text }] });
const thought = (text: string, encrypted_content?: string): ConversationItem => ({
  type: 'reasoning',
  summary: [{ type: 'summary_text', text }],
  encrypted_content,
});
const called = (call_id: string, signature?: string): ConversationItem => ({
  type: 'function_call',
  call_id,
  name: 'f',
  arguments: '{}',
  ...(signature !== undefined && { signature }),
});
const result = (call_id: string, output: string): ConversationItem => ({
  type: 'function_call_output',
  call_id,
  output,
});
const toolCall = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });

test('the reasoning, text, and calls of an answer become one message', () => {
  const items = [
    user('Hi'),
    thought('Hm.', 'sealed'),
    said('Wait.'),
    called('a', 'sig'),
    called('b'),
    result('a', '1'),
    result('b', '2'),
  ];
  expect(toChatMessages(items)).toEqual([
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: 'Wait.',
      reasoning_content: 'Hm.',
      reasoning_signature: 'sealed',
      tool_calls: [{ ...toolCall('a'), signature: 'sig' }, toolCall('b')],
    },
    { role: 'tool', tool_call_id: 'a', content: '1' },
    { role: 'tool', tool_call_id: 'b', content: '2' },
  ]);
});

test('consecutive answers stay separate', () => {
  expect(toChatMessages([said('One'), said('Two'), thought('Hm.'), said('Three')])).toEqual([
    { role: 'assistant', content: 'One' },
    { role: 'assistant', content: 'Two' },
    { role: 'assistant', content: 'Three', reasoning_content: 'Hm.' },
  ]);
});

test('reports which item each message comes from', () => {
  const image = [{ type: 'input_image' as const, image_url: 'data:image/png,x' }];
  const items: ConversationItem[] = [
    user('Hi'),
    thought('Hm.'),
    called('a'),
    { type: 'function_call_output', call_id: 'a', output: image },
    user('Go on'),
    said('Yes.'),
  ];
  const { messages, origins } = convertItems(items);
  expect(messages.map(({ role }, index) => `${role} ${origins[index]}`)).toEqual([
    'user 0',
    'assistant 3',
    'tool 3',
    'user 4',
    'user 4',
    'assistant 5',
  ]);
});

test('reasoning without an answer is left out', () => {
  expect(toChatMessages([thought('Hm.'), user('Hi')])).toEqual([{ role: 'user', content: 'Hi' }]);
});

test('converts all parts of messages', () => {
  const items: ConversationItem[] = [
    { role: 'developer', content: [{ type: 'input_text', text: 'Look.' }] },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'See' },
        { type: 'input_image', image_url: 'https://a.test/b.png', detail: 'original' },
        { type: 'input_image', file_id: 'ast_1' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
        { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'A' },
        { type: 'refusal', refusal: 'No.' },
      ],
    },
    { role: 'user', content: [] },
  ];
  expect(toChatMessages(items)).toEqual([
    { role: 'developer', content: [{ type: 'text', text: 'Look.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: 'https://a.test/b.png', detail: 'original' } },
        { type: 'image_url', image_url: { url: 'ast_1' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } },
        { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'A' },
        { type: 'refusal', refusal: 'No.' },
      ],
    },
    { role: 'user', content: '' },
  ]);
});

test('images in results follow all results of the answer', () => {
  const items: ConversationItem[] = [
    called('a'),
    called('b'),
    { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_image', image_url: 'data:image/png,x' }] },
    result('b', '2'),
    said('Seen.'),
  ];
  expect(toChatMessages(items).map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user', 'assistant']);
});
