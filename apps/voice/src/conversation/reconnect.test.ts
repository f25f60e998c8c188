import { once } from 'node:events';
import { createVoiceLines } from '@chorus/conversations';
import { expectedText, fakeSpeech } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestSocket } from '../test-voice.ts';
import { startTestConversation, type TestConversation } from './test-conversation.ts';

let voice: TestConversation;
beforeAll(async () => {
  voice = await startTestConversation();
});
afterAll(() => voice.stop());

async function asked(model: string, deltas = 3) {
  const socket = await voice.talk(model);
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] };
  socket.send({ type: 'conversation.item.create', item });
  socket.send({ type: 'response.create' });
  const { response } = await socket.next('response.created');
  for (let heard = 0; heard < deltas; heard++) await socket.next('response.output_audio.delta');
  return { socket, response, session: response.session_id as string };
}

const wordsOf = ({ events }: TestSocket) =>
  events.map((event) => (event.type === 'response.output_audio_transcript.delta' ? event.delta : '')).join('');
const soundOf = ({ events }: TestSocket) =>
  Buffer.concat(
    events.flatMap((event) =>
      event.type === 'response.output_audio.delta' ? [Buffer.from(event.delta, 'base64')] : [],
    ),
  );

test('continues an answer when a socket reconnects to its session', async () => {
  const { socket, response, session } = await asked('words-60-delay-15@drop', 6);
  socket.client.terminate();
  await socket.closed;
  const again = await voice.talk('words-60-delay-15@drop', `&session_id=${session}`);
  const { session: shown } = await again.next('session.created');
  expect(shown.session_id).toBe(session);
  expect((await again.next('conversation.item.done')).item).toMatchObject({ role: 'user' });
  const resumed = await again.next('response.created');
  expect(resumed.response.execution_id).toBe(response.execution_id);
  const { response: done } = await again.next('response.done');
  const text = expectedText('words-60');
  expect(done).toMatchObject({ status: 'completed', output: [{ content: [{ transcript: text }] }] });
  // The answer resumes at a word, without repeating any.
  const rest = wordsOf(again);
  expect(text.endsWith(rest)).toBe(true);
  expect(rest.length).toBeLessThan(text.length);
  expect(soundOf(again).length).toBe(fakeSpeech(rest.trim()).length);
  expect(voice.fake.requests.filter(({ model }) => model === 'words-60-delay-15@drop')).toHaveLength(1);
  again.client.close();
});

test('lets a newer socket take over the session', async () => {
  const { socket, session } = await asked('words-200-delay-15@taken');
  const again = await voice.talk('words-200-delay-15@taken', `&session_id=${session}`);
  expect(await socket.closed).toMatchObject({ code: 4002 });
  await again.next('response.output_audio.delta');
  again.send({ type: 'response.cancel' });
  expect((await again.next('response.done')).response.status).toBe('cancelled');
  again.client.close();
  await once(again.client, 'close');
});

test('lets any process interrupt an answer and learn what was heard', async () => {
  const { socket, response, session } = await asked('words-300-delay-15@asked', 8);
  const { redis, hub, log } = voice.services;
  const lines = createVoiceLines(redis, hub, log);
  const stopped = await lines.interrupt(session);
  expect(stopped).toMatchObject({ interrupted: true, execution_id: response.execution_id, session_id: session });
  expect(stopped?.heard_ms).toBeGreaterThan(0);
  expect(expectedText('words-300').startsWith(stopped?.heard ?? '-')).toBe(true);
  expect((await socket.next('response.done')).response.status).toBe('cancelled');
  const { audio_end_ms } = await socket.next('conversation.item.truncated');
  expect(audio_end_ms).toBe(stopped?.heard_ms);
  expect(await lines.interrupt(session)).toMatchObject({ interrupted: false, execution_id: null });
  socket.client.close();
  await socket.closed;
  await expect.poll(() => lines.interrupt(session)).toBeNull();
});
