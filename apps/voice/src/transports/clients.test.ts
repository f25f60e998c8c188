import { expectedText, fakeSpeech, fakeVoice, makeCertificate } from '@chorus/testing';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from '@openai/agents-realtime';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startTestConversation, type TestConversation } from '../conversation/test-conversation.ts';

const SCOPE = '?scope_type=personal';

const TEXT = expectedText('words-30');

let own: TestConversation;
const certificate = makeCertificate('IP:127.0.0.1');
beforeAll(async () => {
  own = await startTestConversation({}, certificate);
});
afterAll(() => own.stop());

test("supports OpenAI's client over TLS and its fixed path", async () => {
  const baseURL = `${own.url.replace('wss', 'https')}/api/v1`;
  const client = new OpenAI({ baseURL, apiKey: own.token });
  const options = { ca: certificate.cert, headers: { 'X-Scope-Type': 'personal' } };
  const realtime = new OpenAIRealtimeWS({ model: 'compatible/words-30', options }, client);
  const failed = new Promise<never>((_, reject) => realtime.on('error', reject));
  const next = <Type extends RealtimeServerEvent['type']>(type: Type) =>
    Promise.race([
      failed,
      new Promise<Extract<RealtimeServerEvent, { type: Type }>>((resolve) =>
        // Its types accept only literal event names or `event`.
        realtime.once(type as string as 'event', (event) =>
          resolve(event as Extract<RealtimeServerEvent, { type: Type }>),
        ),
      ),
    ]);
  expect(await next('session.created')).toMatchObject({ session: { type: 'realtime', model: 'compatible/words-30' } });
  const updated = next('session.updated');
  const input = { transcription: { model: 'whisper-1' }, turn_detection: null };
  realtime.send({ type: 'session.update', session: { type: 'realtime', audio: { input } } });
  expect(await updated).toMatchObject({ session: { audio: { input: { turn_detection: null } } } });

  let spoken = 0;
  realtime.on('response.output_audio.delta', ({ delta }) => {
    spoken += Buffer.byteLength(delta, 'base64');
  });
  const [transcribed, done] = [next('conversation.item.input_audio_transcription.completed'), next('response.done')];
  realtime.send({ type: 'input_audio_buffer.append', audio: fakeVoice(1).toString('base64') });
  realtime.send({ type: 'input_audio_buffer.commit' });
  realtime.send({ type: 'response.create' });
  expect(await transcribed).toMatchObject({ transcript: 'one two' });
  expect((await done).response).toMatchObject({ status: 'completed', output: [{ content: [{ transcript: TEXT }] }] });
  expect(spoken).toBe(fakeSpeech(TEXT).length);
  const closed = new Promise((resolve) => realtime.socket.once('close', resolve));
  realtime.close();
  expect(await closed).toBe(1000);
});

test("supports OpenAI's agents with interruptions and history", async () => {
  const transport = new OpenAIRealtimeWebSocket({
    url: `${own.url}/api/v1/voice/ws${SCOPE}&model=compatible/words-400-delay-20`,
    createWebSocket: async ({ url, apiKey }) =>
      new WebSocket(url, { ca: certificate.cert, headers: { Authorization: `Bearer ${apiKey}` } }) as never,
  });
  const session = new RealtimeSession(new RealtimeAgent({ name: 'Helper', instructions: 'Be short.' }), { transport });
  const events: { type: string; session?: Record<string, unknown> }[] = [];
  transport.on('*', (event) => events.push(event));
  const errors: unknown[] = [];
  session.on('error', (error) => errors.push(error));
  await session.connect({ apiKey: own.token });
  await expect.poll(() => events.map(({ type }) => type)).toContain('session.updated');
  expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['session.created', 'session.updated']);
  expect(events[1]?.session).toMatchObject({
    instructions: 'Be short.',
    audio: { input: { turn_detection: { type: 'semantic_vad' }, transcription: { model: 'gpt-4o-mini-transcribe' } } },
  });

  let spoken = 0;
  const heardEnough = new Promise<void>((resolve) => {
    session.on('audio', ({ data }) => {
      spoken += data.byteLength;
      if (spoken > 1_000 * 48) resolve();
    });
  });
  const truncated = new Promise((resolve) => transport.once('conversation.item.retrieved', resolve));
  session.sendMessage('Tell me a long story.');
  await heardEnough;
  session.interrupt();
  await truncated;
  const [asked, answered, ...more] = session.history;
  expect(more).toEqual([]);
  expect(asked).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: 'Tell me a long story.' }] });
  const content = [{ type: 'output_audio', transcript: expect.stringMatching(/^w1 w2/) }];
  expect(answered).toMatchObject({ role: 'assistant', status: 'incomplete', content });
  expect(JSON.stringify(answered).length).toBeLessThan(expectedText('words-400').length / 2);
  session.close();
  expect(errors).toEqual([]);
});

test('carries the same events over socket.io and answers acknowledgements', async () => {
  const socket = io(own.url, {
    path: '/api/v1/voice/ws',
    transports: ['websocket'],
    reconnection: false,
    ca: certificate.cert,
    query: { scope_type: 'personal' },
    extraHeaders: { 'X-API-Key': await makeKey() },
  });
  const created = new Promise((resolve, reject) => {
    socket.once('session.created', resolve);
    socket.once('connect_error', reject);
  });
  expect(await created).toMatchObject({ type: 'session.created', session: { object: 'realtime.session' } });
  const updated = new Promise((resolve) => socket.once('session.updated', resolve));
  expect(await socket.emitWithAck('session.update', { session: { instructions: 'Hm.' } })).toEqual({ ok: true });
  expect(await updated).toMatchObject({ session: { instructions: 'Hm.' } });

  const refused = new Promise((resolve) => socket.once('error', resolve));
  expect(await socket.emitWithAck('no.such', 1)).toMatchObject({ ok: false, error: { code: 'unknown_event' } });
  expect(await refused).toMatchObject({ error: { code: 'unknown_event' } });
  socket.disconnect();
  await expect.poll(() => own.voice.connections()).toBe(0);
});

async function makeKey(): Promise<string> {
  const { apiKeys } = own.services.accounts;
  return (await apiKeys.create(own.actor, own.user, { name: 'voice', permissions: ['run'] })).secret;
}
