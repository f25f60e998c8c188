import { expectedText, fakeVoice } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestSocket } from '../test-voice.ts';
import { startTestConversation, type TestConversation } from './test-conversation.ts';

let hears = true;
let transcript = 'one two';

let voice: TestConversation;
beforeAll(async () => {
  voice = await startTestConversation({
    transcript: () => transcript,
    script: ({ path, body }) =>
      body.voice === 'shimmer' || (path.endsWith('/transcriptions') && !hears)
        ? { kind: 'fail', status: 401 }
        : undefined,
  });
});
afterAll(() => voice.stop());

const append = (socket: TestSocket, pcm: Uint8Array) =>
  socket.send({ type: 'input_audio_buffer.append', audio: Buffer.from(pcm).toString('base64') });
const silence = Buffer.alloc(700 * 48);
const write = (socket: TestSocket, text = 'Go.') => {
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  socket.send({ type: 'conversation.item.create', item });
  socket.send({ type: 'response.create' });
};

test('reports failed transcription and keeps the socket open', async () => {
  const socket = await voice.talk('words-5');
  hears = false;
  socket.send({ type: 'session.update', session: { input_audio_transcription: { model: 'embedded/nobody' } } });
  expect((await socket.next('error')).error).toMatchObject({ code: 'model_not_found' });
  const transcription = { model: 'whisper-1' };
  socket.send({ type: 'session.update', session: { audio: { input: { transcription } } } });
  append(socket, Buffer.concat([fakeVoice(1), silence]));
  const { error, item_id } = await socket.next('conversation.item.input_audio_transcription.failed');
  expect(error).toMatchObject({ code: 'provider_auth' });
  expect((await socket.next('error')).error).toMatchObject({ type: 'server_error', code: 'provider_auth' });
  expect(socket.events.some(({ type }) => type === 'response.created')).toBe(false);
  hears = true;
  socket.send({ type: 'conversation.item.retrieve', item_id });
  await socket.next('conversation.item.retrieved');
  write(socket);
  expect((await socket.next('response.done')).response.status).toBe('completed');
  socket.client.close();
});

test('asks no model when nothing was said', async () => {
  transcript = ' ';
  const socket = await voice.talk('words-5@unsaid');
  socket.send({ type: 'session.update', session: { audio: { input: { transcription: { model: 'whisper-1' } } } } });
  append(socket, Buffer.concat([fakeVoice(1), silence]));
  const heard = await socket.next('conversation.item.input_audio_transcription.completed');
  expect(heard.transcript).toBe('');
  socket.send({ type: 'response.create' });
  expect((await socket.next('error')).error).toMatchObject({ code: 'nothing_to_answer' });
  expect(voice.fake.requests.some(({ model }) => model === 'words-5@unsaid')).toBe(false);
  transcript = 'one two';
  socket.client.close();
});

test('only pauses the answer for a cough', async () => {
  const socket = await voice.talk('words-150-delay-10@cough');
  write(socket);
  await socket.next('response.output_audio.delta');
  transcript = 'Uh-huh.';
  append(socket, Buffer.concat([fakeVoice(0.3), silence]));
  const { response } = await socket.next('response.done');
  expect(response.status).toBe('completed');
  expect(socket.events.some(({ type }) => type === 'input_audio_buffer.speech_started')).toBe(false);
  // Short speech with words interrupts.
  write(socket);
  await socket.next('response.output_audio.delta');
  transcript = 'Stop!';
  append(socket, Buffer.concat([fakeVoice(0.3), silence]));
  expect((await socket.next('response.done')).response).toMatchObject({
    status: 'cancelled',
    status_details: { reason: 'turn_detected' },
  });
  await socket.next('input_audio_buffer.committed');
  transcript = 'one two';
  socket.client.close();
});

test('writes an answer that cannot be spoken, and reports one that cannot be written', async () => {
  const socket = await voice.talk('words-5');
  socket.send({ type: 'session.update', session: { voice: 'shimmer' } });
  write(socket);
  const { response } = await socket.next('response.done');
  expect(response).toMatchObject({
    status: 'completed',
    output: [{ content: [{ transcript: expectedText('words-5') }] }],
  });
  expect(socket.events.find(({ type }) => type === 'error')).toMatchObject({ error: { code: 'provider_auth' } });
  const refused = await voice.talk('refuse');
  write(refused);
  expect((await refused.next('response.done')).response).toMatchObject({
    status: 'failed',
    status_details: { type: 'failed', error: { code: 'content_refused' } },
  });
  const unknown = await voice.talk('words-5');
  unknown.send({ type: 'response.cancel', event_id: 'mine' });
  expect((await unknown.next('error')).error).toMatchObject({ code: 'response_cancel_not_active', event_id: 'mine' });
  unknown.send({ type: 'conversation.item.truncate', item_id: 'no', content_index: 0, audio_end_ms: 1 });
  expect((await unknown.next('error')).error).toMatchObject({ code: 'item_not_found' });
  unknown.send({ type: 'input_audio_buffer.commit' });
  expect((await unknown.next('error')).error).toMatchObject({ code: 'input_audio_buffer_commit_empty' });
  for (const each of [socket, refused, unknown]) each.client.close();
});

test('lists the voices in the error for an unknown voice and keeps the socket open', async () => {
  const socket = await voice.talk('words-5', '&voice=nobody');
  const { error } = await socket.next('error');
  expect(error).toMatchObject({
    type: 'invalid_request_error',
    message: expect.stringMatching(/gpt-4o-mini-tts: alloy/),
  });
  socket.send({ type: 'session.update', session: { voice: 'nobody either' }, event_id: 'mine' });
  expect((await socket.next('error')).error).toMatchObject({
    code: 'invalid_request',
    event_id: 'mine',
    message: expect.stringMatching(/gpt-4o-mini-tts: alloy/),
  });
  socket.send({ type: 'session.update', session: { audio: { output: { voice: 'marin' } } } });
  await socket.next('session.updated');
  write(socket);
  expect((await socket.next('response.done')).response).toMatchObject({ status: 'completed' });
  socket.client.close();
});

test('lets the client end utterances and request answers without turn detection', async () => {
  const socket = await voice.talk('echo');
  socket.send({
    type: 'session.update',
    session: { output_modalities: ['text'], audio: { input: { turn_detection: null } } },
  });
  append(socket, fakeVoice(1));
  socket.send({ type: 'input_audio_buffer.commit' });
  await socket.next('input_audio_buffer.committed');
  socket.send({ type: 'response.create' });
  const { response } = await socket.next('response.done');
  expect(response.output).toMatchObject([{ content: [{ type: 'output_text', text: 'one two' }] }]);
  append(socket, fakeVoice(1));
  socket.send({ type: 'input_audio_buffer.clear' });
  await socket.next('input_audio_buffer.cleared');
  socket.send({ type: 'input_audio_buffer.commit' });
  await socket.next('error');
  socket.client.close();
});

test('prompts a user who stays silent after an answer', async () => {
  const socket = await voice.talk('words-2@idle');
  const turn_detection = { type: 'server_vad', idle_timeout_ms: 1_000 };
  socket.send({ type: 'session.update', session: { turn_detection } });
  await socket.next('session.updated');
  write(socket);
  const first = await socket.next('response.done');
  const { item_id } = await socket.next('input_audio_buffer.timeout_triggered');
  const second = await socket.next('response.done');
  expect(second.response.execution_id).not.toBe(first.response.execution_id);
  const asked = voice.fake.requests.filter(({ model }) => model === 'words-2@idle').at(-1)?.body;
  expect((asked as { messages: unknown[] }).messages.at(-1)).toEqual({
    role: 'user',
    content: '[The user says nothing.]',
  });
  expect(socket.events).toContainEqual(expect.objectContaining({ type: 'input_audio_buffer.committed', item_id }));
  socket.client.close();
});
