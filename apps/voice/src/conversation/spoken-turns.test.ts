import { expectedText, fakeSpeech, fakeVoice } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestSocket } from '../test-voice.ts';
import { startTestConversation, type TestConversation } from './test-conversation.ts';

let voice: TestConversation;
beforeAll(async () => {
  voice = await startTestConversation();
});
afterAll(() => voice.stop());

const silence = (ms: number) => Buffer.alloc(ms * 48);
const append = (socket: TestSocket, pcm: Uint8Array) =>
  socket.send({ type: 'input_audio_buffer.append', audio: Buffer.from(pcm).toString('base64') });
const soundOf = ({ events }: TestSocket) =>
  Buffer.concat(
    events.flatMap((event) =>
      event.type === 'response.output_audio.delta' ? [Buffer.from(event.delta, 'base64')] : [],
    ),
  );
const stored = async (socket: TestSocket, messageId: string) => {
  const created = socket.events.find(({ type }) => type === 'session.created');
  if (created?.type !== 'session.created') throw new Error('no session');
  const { user } = await voice.services.accounts.login(voice.login, { address: '127.0.0.1' });
  const owner = { scope: 'personal', user_id: user.id, workspace_id: null } as const;
  return voice.services.database.messages.get(owner, messageId);
};

test('transcribes, answers, and speaks in real time', async () => {
  const socket = await voice.talk('words-40');
  socket.send({ type: 'session.update', session: { audio: { input: { transcription: { model: 'whisper-1' } } } } });
  append(socket, Buffer.concat([silence(400), fakeVoice(1), silence(700)]));
  const { item_id, audio_start_ms } = await socket.next('input_audio_buffer.speech_started');
  expect(audio_start_ms).toBeLessThan(500);
  expect((await socket.next('input_audio_buffer.speech_stopped')).item_id).toBe(item_id);
  expect(await socket.next('input_audio_buffer.committed')).toMatchObject({ item_id, previous_item_id: null });
  const heard = await socket.next('conversation.item.input_audio_transcription.completed');
  expect(heard).toMatchObject({ item_id, transcript: 'one two' });
  const { response } = await socket.next('response.done');
  const text = expectedText('words-40');
  expect(response).toMatchObject({ status: 'completed', output: [{ content: [{ transcript: text }] }] });
  expect(soundOf(socket).length).toBe(fakeSpeech(text).length);
  const answer = await expect
    .poll(() => stored(socket, response.output[0]!.message_id as string))
    .toMatchObject({ voice: { interrupted: false, transcription_model: 'openai/whisper-1' } })
    .then(() => stored(socket, response.output[0]!.message_id as string));
  expect(answer).toMatchObject({ content: text, status: 'succeeded', execution_id: response.execution_id });
  const { heard_ms, spoken_ms, stages } = answer!.voice!;
  expect([heard_ms, spoken_ms]).toEqual([text.length * 10, text.length * 10]);
  for (const stage of Object.values(stages)) expect(stage).toBeGreaterThanOrEqual(0);
  expect(await stored(socket, item_id)).toMatchObject({ role: 'user', content: 'one two' });
  socket.client.close();
});

test('truncates an interrupted answer to what was heard, for the store and the next turn', async () => {
  const socket = await voice.talk('words-400-delay-20@barge');
  append(socket, Buffer.concat([fakeVoice(1), silence(700)]));
  for (let deltas = 0; deltas < 8; deltas++) await socket.next('response.output_audio.delta');
  const [before] = socket.events.filter(({ type }) => type === 'response.created');
  append(socket, fakeVoice(1));
  await socket.next('input_audio_buffer.speech_started');
  const { response } = await socket.next('response.done');
  expect(response).toMatchObject({
    status: 'cancelled',
    status_details: { type: 'cancelled', reason: 'turn_detected' },
    output: [{ status: 'incomplete' }],
  });
  const id = response.output[0]!.id;
  socket.send({ type: 'conversation.item.truncate', item_id: id, content_index: 0, audio_end_ms: 300 });
  // After a second of waiting, the server's clock decides.
  for (let cut = null; cut?.audio_end_ms !== 300; expect(cut.item_id).toBe(id))
    cut = await socket.next('conversation.item.truncated');
  const heard = expectedText('words-400').slice(0, 'w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11'.length).split(' ');
  const message = await stored(socket, id);
  // The fake speaks ten milliseconds per letter, but digits count as longer.
  expect(heard.join(' ').startsWith(message!.content)).toBe(true);
  expect(message!.content.length).toBeGreaterThan(15);
  expect(message).toMatchObject({ status: 'cancelled', voice: { interrupted: true, heard_ms: 300 } });
  socket.send({ type: 'conversation.item.retrieve', item_id: id });
  const { item } = await socket.next('conversation.item.retrieved');
  expect(item.content).toEqual([{ type: 'output_audio', audio: null, transcript: message!.content }]);

  append(socket, silence(700));
  const next = await socket.next('response.created');
  expect(next.response.id).not.toBe(before?.type === 'response.created' && before.response.id);
  await socket.next('response.output_audio.delta');
  const asked = voice.fake.requests.filter(({ model }) => model === 'words-400-delay-20@barge').at(-1)?.body;
  expect((asked as { messages: unknown[] }).messages).toEqual([
    { role: 'system', content: expect.stringContaining('Be brief') },
    { role: 'user', content: 'one two' },
    { role: 'assistant', content: message!.content },
    { role: 'user', content: 'one two' },
  ]);
  const cancelled = await voice.services.database.executions.get(message!.owner, message!.execution_id!);
  expect(cancelled?.status).toBe('cancelled');
  socket.client.close();
});
