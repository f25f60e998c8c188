import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestConversation, type TestConversation } from './test-conversation.ts';

let voice: TestConversation;
beforeAll(async () => {
  const models = {
    DEFAULT_SPEECH_MODEL: 'embedded/flite',
    DEFAULT_TRANSCRIPTION_MODEL: 'embedded/moonshine-tiny',
  };
  voice = await startTestConversation({}, undefined, models);
});
afterAll(() => voice.stop());

const SAID = 'Ask not what your country can do for you.';
const wordsOf = (text: string) => text.toLowerCase().replace(/[^a-z ]/g, '');

test('recognizes the words that an embedded model speaks', {
  timeout: 120_000,
}, async () => {
  const socket = await voice.talk('echo');
  const update = { audio: { input: { transcription: {} } } };
  socket.send({ type: 'session.update', session: update });
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: SAID }] };
  socket.send({ type: 'conversation.item.create', item });
  socket.send({ type: 'response.create' });
  await socket.next('response.done');
  const sounds = socket.events.flatMap((event) => (event.type === 'response.output_audio.delta' ? [event.delta] : []));
  const sound = Buffer.concat(sounds.map((delta) => Buffer.from(delta, 'base64')));
  expect(sound.length / 48_000).toBeGreaterThan(1.5);
  const spoken = Buffer.concat([sound, Buffer.alloc(48_000)]);
  socket.send({ type: 'input_audio_buffer.append', audio: spoken.toString('base64') });
  const { transcript } = await socket.next('conversation.item.input_audio_transcription.completed');
  expect(wordsOf(transcript)).toBe(wordsOf(SAID));
  // The answer repeats the transcript.
  const { response } = await socket.next('response.done');
  expect(response.output).toMatchObject([{ content: [{ transcript }] }]);
  socket.client.close();
});

test('warns of an answer and of speech in other languages', { timeout: 120_000 }, async () => {
  const socket = await voice.talk('echo');
  const said = 'Ich habe gestern einen Brief bekommen, und es ist gut.';
  const hear = (language: string | null) => {
    const update = { audio: { input: { transcription: { language }, turn_detection: null } } };
    socket.send({ type: 'session.update', session: update });
    socket.send({ type: 'input_audio_buffer.append', audio: sound.toString('base64') });
    socket.send({ type: 'input_audio_buffer.commit' });
  };
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: said }] };
  socket.send({ type: 'conversation.item.create', item });
  socket.send({ type: 'response.create' });
  const { response } = await socket.next('response.done');
  expect(response.warnings).toEqual([expect.stringContaining('embedded/flite speaks English only')]);
  const sounds = socket.events.flatMap((event) => (event.type === 'response.output_audio.delta' ? [event.delta] : []));
  const sound = Buffer.concat(sounds.map((delta) => Buffer.from(delta, 'base64')));
  hear(null);
  const doubted = await socket.next('conversation.item.input_audio_transcription.completed');
  expect(doubted.warnings).toEqual([expect.stringContaining('not in English')]);
  hear('en');
  const { transcript, warnings } = await socket.next('conversation.item.input_audio_transcription.completed');
  expect(transcript.length).toBeGreaterThan(10);
  expect(warnings).toBeUndefined();
  socket.client.close();
});
