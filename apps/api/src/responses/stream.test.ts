import type { OutputItem, RunningEvent, TokenLogprob } from '@chorus/contract';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSecondApi } from '../test-api.ts';
import { joinedDeltas } from '../test-chat-deltas.ts';
import { startTestServer, type TestServer } from '../test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const call = (index: number, number: number, arguments_delta: string, first?: true) => ({
  ...{ type: 'tool_call.delta', index, call: number, id: `call_${number}`, name: 'weather' },
  ...(first && { first }),
  arguments_delta,
});
const requested = { type: 'tool_call', status: 'requested', result: null, started_at: null, finished_at: null };
const logprob: TokenLogprob = { token: 'Let', logprob: -0.1, bytes: null, top_logprobs: [] };

const EVENTS = [
  { type: 'reasoning.delta', index: 0, delta: 'Rain' },
  { type: 'reasoning.delta', index: 0, delta: '?' },
  { type: 'text.delta', index: 1, delta: 'Let ', logprobs: [logprob] },
  { type: 'text.delta', index: 1, delta: 'me look.' },
  call(2, 0, '', true),
  call(2, 0, '{"city":'),
  call(3, 1, '', true),
  call(3, 1, '{}'),
  call(2, 0, '"Oslo"}'),
  { type: 'output.item', index: 0, item: { type: 'reasoning', text: 'Rain?', signature: 'sig-r' } },
  {
    type: 'output.item',
    index: 3,
    item: { ...requested, id: 'call_1', name: 'weather', arguments: '{}', signature: 'sig-c' },
  },
] as RunningEvent[];

const MESSAGES = [{ role: 'user' as const, content: `emit ${JSON.stringify(EVENTS)}` }];

// biome-ignore lint/suspicious/noExplicitAny: frames of any type
type Frame = any;

function framesIn(body: string): Frame[] {
  const data = body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  expect(data.at(-1)).toBe('[DONE]');
  return data.slice(0, -1).map((line) => JSON.parse(line));
}

/** Drops what differs between streams: the first delta has the role, and URLs have the port of the process. */
function comparable(frame: Frame): Frame {
  const [{ delta, ...choice }] = frame.choices;
  const { role: _, ...others } = delta;
  const { execution } = frame;
  return {
    ...frame,
    choices: [{ ...choice, delta: others }],
    ...(execution && { execution: { ...execution, urls: null } }),
  };
}

test('a stream resumes anywhere in a tool call, on any process, with the same frames', async () => {
  const streamed = await server.call('POST', '/chat/completions', { body: { messages: MESSAGES, stream: true } });
  const frames = framesIn(streamed.body);
  expect(frames.every(({ choices }) => choices.length === 1)).toBe(true);
  expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, position) => position + 1));
  const deltas = frames.map(({ choices }) => choices[0].delta).filter((delta) => Object.keys(delta).length > 0);
  const call = (index: number, text: string) => ({
    tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'weather', arguments: text } }],
  });
  expect(joinedDeltas(structuredClone(deltas))).toEqual([
    { role: 'assistant', reasoning_content: 'Rain?' },
    { content: 'Let me look.' },
    call(0, '{"city":'),
    call(1, '{}'),
    { tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] },
    {
      reasoning_blocks: [{ text: 'Rain?', signature: 'sig-r' }],
      tool_calls: [{ index: 1, function: { arguments: '' }, signature: 'sig-c' }],
    },
  ]);
  expect(frames.find(({ choices }) => choices[0].delta.content).choices[0].logprobs).toEqual({
    content: [logprob],
    refusal: null,
  });
  expect(frames.at(-1)?.choices[0].finish_reason).toBe('tool_calls');

  const other = await startSecondApi(server);
  const [first] = frames;
  for (let after = 1; after < frames.length; after += 1) {
    const process = after % 2 === 0 ? server : other;
    const rest = await process.call('GET', `/jobs/${first.execution_id}/events?after=${after}`);
    expect(framesIn(rest.body).map(comparable)).toEqual(frames.slice(after).map(comparable));
  }
  await other.stop();
  const resumed = async (after: number) =>
    framesIn((await server.call('GET', `/jobs/${first.execution_id}/events?after=${after}`)).body);
  expect(await resumed(frames.length)).toEqual([]);
  // A number that this log never had says nothing about its end.
  expect(await resumed(frames.length + 100)).toMatchObject([
    { type: 'execution.succeeded', seq: frames.length + 101, execution: { status: 'succeeded' } },
  ]);
});

test("OpenAI's client accumulates tool calls, and reads the answer whole", async () => {
  const client = new OpenAI({
    baseURL: `${server.url}/api/v1`,
    apiKey: server.accessToken,
    defaultHeaders: { 'X-Scope-Type': 'personal' },
  });
  const messages = MESSAGES;
  const streamed = await client.chat.completions.stream({ model: 'test/counter', messages }).finalChatCompletion();
  const whole = await client.chat.completions.create({ model: 'test/counter', messages });
  for (const { choices } of [streamed, whole]) {
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 'call_0', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' }, signature: 'sig-c' },
        ],
      },
    });
    expect(choices[0]?.logprobs?.content).toEqual([logprob]);
  }
  expect(whole.choices[0]?.message).toMatchObject({
    refusal: null,
    reasoning_content: 'Rain?',
    reasoning_signature: 'sig-r',
  });
  expect(whole.usage).toMatchObject({
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    cached_input_tokens: 0,
    reasoning_tokens: 0,
  });
});

test('an answer that only calls tools has no content; a refusal has its words', async () => {
  const ask = async (events: object[]) => {
    const messages = [{ role: 'user', content: `emit ${JSON.stringify(events)}` }];
    const { body } = await server.call('POST', '/chat/completions', { body: { messages } });
    return body as { choices: [{ message: object }]; output: OutputItem[] };
  };
  const called = await ask([call(0, 0, '{}', true)]);
  expect(called.choices[0].message).toMatchObject({ content: null, refusal: null, tool_calls: [{ id: 'call_0' }] });
  expect(called.output).toEqual([{ ...requested, id: 'call_0', name: 'weather', arguments: '{}' }]);
  const refused = await ask([{ type: 'refusal.delta', index: 0, delta: 'No.' }]);
  expect(refused.choices[0].message).toEqual({ role: 'assistant', content: null, refusal: 'No.' });
});
