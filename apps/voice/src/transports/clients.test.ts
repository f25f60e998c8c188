import { makeCertificate } from '@chorus/testing';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from '@openai/agents-realtime';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestVoice, type TestVoice } from '../test-voice.ts';

const SCOPE = '?scope_type=personal';

let own: TestVoice;
const certificate = makeCertificate('IP:127.0.0.1');
beforeAll(async () => {
  own = await startTestVoice({}, certificate);
});
afterAll(() => own.stop());

test("OpenAI's client speaks with it over TLS, by the path that it insists on", async () => {
  const baseURL = `${own.url.replace('wss', 'https')}/api/v1`;
  const client = new OpenAI({ baseURL, apiKey: own.token });
  const options = { ca: certificate.cert, headers: { 'X-Scope-Type': 'personal' } };
  const realtime = new OpenAIRealtimeWS({ model: 'gpt-realtime', options }, client);
  const failed = new Promise<never>((_, reject) => realtime.on('error', reject));
  const created = new Promise((resolve) => realtime.once('session.created', resolve));
  expect(await Promise.race([created, failed])).toMatchObject({ session: { type: 'realtime' } });

  const updated = new Promise((resolve) => realtime.once('session.updated', resolve));
  realtime.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } });
  expect(await Promise.race([updated, failed])).toMatchObject({ session: { output_modalities: ['text'] } });
  const closed = new Promise((resolve) => realtime.socket.once('close', resolve));
  realtime.close();
  expect(await closed).toBe(1000);
});

test("OpenAI's agents hold a session with it", async () => {
  const { WebSocket } = await import('ws');
  const transport = new OpenAIRealtimeWebSocket({
    url: `${own.url}/api/v1/voice/ws${SCOPE}`,
    createWebSocket: async ({ url, apiKey }) =>
      new WebSocket(url, { ca: certificate.cert, headers: { Authorization: `Bearer ${apiKey}` } }) as never,
  });
  const session = new RealtimeSession(new RealtimeAgent({ name: 'Helper', instructions: 'Be short.' }), { transport });
  const told: { type: string; session?: Record<string, unknown> }[] = [];
  const updated = new Promise<void>((resolve) => {
    transport.on('*', (event) => {
      told.push(event);
      if (event.type === 'session.updated') resolve();
    });
  });
  const errors: unknown[] = [];
  session.on('error', (error) => errors.push(error));
  await session.connect({ apiKey: own.token });
  await updated;
  expect(told.map(({ type }) => type).slice(0, 2)).toEqual(['session.created', 'session.updated']);
  expect(told.find(({ type }) => type === 'session.updated')?.session).toMatchObject({
    instructions: 'Be short.',
    audio: { input: { turn_detection: { type: 'semantic_vad' }, transcription: { model: 'gpt-4o-mini-transcribe' } } },
  });
  session.close();
  expect(errors).toEqual([]);
});

test('socket.io carries the same events by their names, and answers acknowledgements', async () => {
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
  return (await apiKeys.create(own.actor, own.user.id, { name: 'voice', permissions: ['run'] })).secret;
}
