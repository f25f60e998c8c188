import type { RealtimeResponse } from '@chorus/contract';
import { expectedText, fakeSpeech, fakeVoice } from '@chorus/testing';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestConversation, type TestConversation } from './conversation/test-conversation.ts';

/** Twenty-five for each transport. */
const SOCKETS = 50;
const MODEL = 'words-30';

let voice: TestConversation;
beforeAll(async () => {
  voice = await startTestConversation({}, undefined, { VOICE_SOCKETS_PER_USER: String(SOCKETS) });
});
afterAll(() => voice.stop());

const QUESTION = Buffer.concat([fakeVoice(1), Buffer.alloc(48 * 800)]);

interface Heard {
  bytes: number;
  text: string | null;
  session: string | null;
}

interface Asker {
  ask(): Promise<Heard>;
}

async function openRaw(): Promise<Asker> {
  const socket = await voice.talk(MODEL);
  await socket.next('session.created');
  const ask = async () => {
    for (const sound of pieces()) socket.client.send(sound);
    const { response } = await socket.next('response.done');
    socket.client.close();
    await socket.closed;
    const sounds = socket.events.filter(({ type }) => type === 'response.output_audio.delta') as { delta: string }[];
    const bytes = sounds.reduce((sum, { delta }) => sum + Buffer.byteLength(delta, 'base64'), 0);
    return { bytes, ...saidIn(response) };
  };
  return { ask };
}

async function openSocketIo(): Promise<Asker> {
  const socket = io(voice.url, {
    path: '/api/v1/voice/ws',
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    query: { scope_type: 'personal', model: `compatible/${MODEL}` },
    extraHeaders: { authorization: `Bearer ${voice.token}` },
  });
  const next = (name: string) =>
    new Promise<{ response: RealtimeResponse }>((resolve, reject) => {
      socket.once(name, resolve);
      socket.once('disconnect', (reason) => reject(new Error(reason)));
      socket.once('connect_error', reject);
    });
  let bytes = 0;
  socket.on('response.output_audio.delta', ({ delta }) => {
    bytes += Buffer.byteLength(delta, 'base64');
  });
  await next('session.created');
  const ask = async () => {
    const done = next('response.done');
    for (const audio of pieces()) socket.emit('input_audio_buffer.append', { audio });
    const { response } = await done;
    socket.off('disconnect').disconnect();
    return { bytes, ...saidIn(response) };
  };
  return { ask };
}

/** Splits audio as a microphone would, but without delays. */
const pieces = () =>
  Array.from({ length: QUESTION.length / 9_600 }, (_, at) => QUESTION.subarray(at * 9_600).subarray(0, 9_600));

function saidIn({ output, session_id }: RealtimeResponse) {
  const part = output[0]?.content[0];
  return { text: part?.type === 'output_audio' ? part.transcript : null, session: session_id };
}

test('serves fifty sockets at once over both transports', async () => {
  const askers = await Promise.all(
    Array.from({ length: SOCKETS }, (_, at) => (at % 2 === 0 ? openRaw() : openSocketIo())),
  );
  expect(voice.voice.connections()).toBe(SOCKETS);
  const heard = await Promise.all(askers.map(({ ask }) => ask()));
  const text = expectedText(MODEL);
  for (const one of heard) expect(one).toMatchObject({ text, bytes: fakeSpeech(text).length });
  expect(new Set(heard.map(({ session }) => session)).size).toBe(SOCKETS);
  await expect.poll(() => voice.voice.connections()).toBe(0);
});
