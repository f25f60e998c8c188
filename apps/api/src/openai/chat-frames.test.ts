import type { RunningEvent, TokenLogprob } from '@chorus/contract';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatDelta, joinedDeltas } from '../test-chat-deltas.ts';
import { startTestServer, type TestServer } from '../test-server.ts';

let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  server = await startTestServer();
  client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.accessToken, maxRetries: 0 });
});
afterAll(() => server.stop());

const call = (index: number, number: number, arguments_delta: string, first?: true): RunningEvent => ({
  ...{ type: 'tool_call.delta', index, call: number, id: `call_${number}`, name: 'weather' },
  ...(first && { first }),
  arguments_delta,
});
const logprob: TokenLogprob = { token: 'Let', logprob: -0.1, bytes: null, top_logprobs: [] };
const weather = (id: string, text: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: text },
});

const ANSWER: RunningEvent[] = [
  { type: 'reasoning.delta', index: 0, delta: 'Rain' },
  { type: 'reasoning.delta', index: 0, delta: '?' },
  { type: 'text.delta', index: 1, delta: 'Let ', logprobs: [logprob] },
  { type: 'text.delta', index: 1, delta: 'me look.' },
  call(2, 0, '', true),
  call(2, 0, '{"city":'),
  call(3, 1, '{}', true),
  call(2, 0, '"Oslo"}'),
];

const emitted = (events: RunningEvent[]) => ({
  model: 'test/counter',
  messages: [{ role: 'user' as const, content: `emit ${JSON.stringify(events)}` }],
});

test('every piece of an answer is a delta', async () => {
  const stream = await client.chat.completions.create({ ...emitted(ANSWER), stream: true });
  const choices = (await Array.fromAsync(stream)).map(({ choices }) => choices[0]);
  expect(joinedDeltas(choices.map((choice) => choice?.delta as ChatDelta))).toEqual([
    { role: 'assistant', reasoning_content: 'Rain?' },
    { content: 'Let me look.' },
    { tool_calls: [{ index: 0, ...weather('call_0', '{"city":') }] },
    { tool_calls: [{ index: 1, ...weather('call_1', '{}') }] },
    { tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] },
    {},
  ]);
  const first = choices.findIndex((choice) => choice?.delta.content);
  expect(choices.map((choice) => choice?.logprobs)).toEqual(
    choices.map((_, index) => (index === first ? { content: [logprob], refusal: null } : null)),
  );
});

test("OpenAI's client puts the same answer together from a stream and without one", async () => {
  const streamed = await client.chat.completions.stream(emitted(ANSWER)).finalChatCompletion();
  const waited = await client.chat.completions.create(emitted(ANSWER));
  for (const { choices } of [streamed, waited]) {
    const message = choices[0]?.message;
    expect(message?.content).toBe('Let me look.');
    expect(message?.tool_calls).toMatchObject([weather('call_0', '{"city":"Oslo"}'), weather('call_1', '{}')]);
  }
  expect(waited.choices[0]?.message).toMatchObject({ reasoning_content: 'Rain?' });
});

test('a refusal is no content', async () => {
  const refusal = emitted([{ type: 'refusal.delta', index: 0, delta: 'I will not.' }]);
  const streamed = await client.chat.completions.stream(refusal).finalChatCompletion();
  const waited = await client.chat.completions.create(refusal);
  for (const { choices } of [streamed, waited])
    expect(choices[0]?.message).toMatchObject({ content: null, refusal: 'I will not.' });
});

test.each(['/openai/v1/chat/completions', '/anthropic/v1/messages'])(
  'the stream of %s breaks off when shown text is taken back',
  async (path) => {
    const messages = [{ role: 'user', content: 'restart 20' }];
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/counter', max_tokens: 100, messages, stream: true }),
    });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  },
);
