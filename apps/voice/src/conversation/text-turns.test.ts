import { expectedText } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestConversation, type TestConversation } from './test-conversation.ts';

let voice: TestConversation;
beforeAll(async () => {
  voice = await startTestConversation();
});
afterAll(() => voice.stop());

const said = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

test('answers written input and includes it in the next turn', async () => {
  const socket = await voice.talk('words-12');
  socket.send({ type: 'session.update', session: { output_modalities: ['text'], instructions: 'Be brief.' } });
  await socket.next('session.updated');
  socket.send(said('First.'));
  const { item } = await socket.next('conversation.item.done');
  expect(item).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: 'First.' }] });
  socket.send({ type: 'response.create', response: { metadata: { a: 'b' } } });
  const { response } = await socket.next('response.done');
  expect(response).toMatchObject({ status: 'completed', metadata: { a: 'b' }, usage: { output_tokens: 12 } });
  const deltas = socket.events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));
  expect(deltas.join('')).toBe(expectedText('words-12'));
  expect(response.output).toMatchObject([
    { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: expectedText('words-12') }] },
  ]);
  const types = socket.events.map(({ type }) => type).filter((type) => !type.endsWith('.delta'));
  expect(types).toEqual([
    'session.created',
    'session.updated',
    'conversation.item.added',
    'conversation.item.done',
    'response.created',
    'response.output_item.added',
    'conversation.item.added',
    'response.content_part.added',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'conversation.item.done',
    'response.done',
  ]);

  socket.send(said('Second.'));
  socket.send({ type: 'response.create' });
  await socket.next('response.done');
  const asked = voice.fake.requests.at(-1)?.body as { messages: { role: string; content: string }[] };
  expect(asked.messages.map(({ role, content }) => [role, content])).toEqual([
    ['system', 'Be brief.'],
    ['user', 'First.'],
    ['assistant', expectedText('words-12')],
    ['user', 'Second.'],
  ]);
  socket.client.close();
});
