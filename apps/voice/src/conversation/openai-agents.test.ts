import { expectedText, fakeSpeech, fakeVoice } from '@chorus/testing';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from '@openai/agents-realtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startTestConversation, type TestConversation } from './test-conversation.ts';

let voice: TestConversation;
beforeAll(async () => {
  voice = await startTestConversation();
});
afterAll(() => voice.stop());

test("supports OpenAI's agents with speech and interruptions", async () => {
  const transport = new OpenAIRealtimeWebSocket({
    url: `${voice.url}/api/v1/voice/ws?scope_type=personal&model=compatible/words-300-delay-10@agents`,
    createWebSocket: async ({ url, apiKey }) =>
      new WebSocket(url, { headers: { Authorization: `Bearer ${apiKey}` } }) as never,
  });
  const session = new RealtimeSession(new RealtimeAgent({ name: 'Helper', instructions: 'Be short.' }), { transport });
  const errors: unknown[] = [];
  session.on('error', (error) => errors.push(error));
  let sound = 0;
  const enough = new Promise<void>((resolve) => {
    session.on('audio', ({ data }) => {
      sound += data.byteLength;
      if (sound > 30_000) resolve();
    });
  });
  const ended = (status: string) =>
    new Promise<void>((resolve) => {
      transport.on('*', (event) => {
        if (event.type === 'response.done' && event.response.status === status) resolve();
      });
    });
  const truncated = new Promise<{ item_id: string; audio_end_ms: number }>((resolve) => {
    transport.on('*', (event) => event.type === 'conversation.item.truncated' && resolve(event as never));
  });
  await session.connect({ apiKey: voice.token });
  const cancelled = ended('cancelled');
  const pcm = Buffer.concat([fakeVoice(1), Buffer.alloc(1_600 * 48)]);
  session.sendAudio(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength) as ArrayBuffer);
  await enough;
  session.interrupt();
  await cancelled;
  const { audio_end_ms } = await truncated;
  expect(audio_end_ms).toBeLessThan(fakeSpeech(expectedText('words-300')).length / 48);
  const completed = ended('cancelled');
  session.sendMessage('Again.');
  await new Promise<void>((resolve) => session.once('audio_start', () => resolve()));
  session.interrupt();
  await completed;
  const asked = voice.fake.requests.filter(({ model }) => model === 'words-300-delay-10@agents').at(-1)?.body;
  const [instructions, question, answer, again] = (asked as { messages: { role: string; content: string }[] }).messages;
  expect([instructions?.content, question?.content, again?.content]).toEqual(['Be short.', 'one two', 'Again.']);
  expect(answer?.content).not.toBe(expectedText('words-300'));
  expect(expectedText('words-300').startsWith(answer?.content ?? '-')).toBe(true);
  session.close();
  expect(errors).toEqual([]);
});
