import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';
import { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from './fake-openai.ts';
import { callTool, say, think } from './fake-pieces.ts';
import { expectedPieces } from './fake-turn.ts';
import { sampleOf } from './sample-of.ts';

// OpenAI's own client reads tool calls, refusals and reasoning of the fake.

const running: FakeOpenAI[] = [];
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
  additionalProperties: false,
};
const tools = ['weather', 'news'].map((name) => ({ type: 'function' as const, function: { name, parameters } }));
const user = { role: 'user' as const, content: 'Weather in Zürich?' };
const called = (id: string, name = 'weather') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: '{}' },
});

async function start(options?: FakeOpenAIOptions) {
  const fake = await startFakeOpenAI(options);
  running.push(fake);
  return { fake, client: new OpenAI({ baseURL: fake.url, apiKey: 'sk-test', maxRetries: 0 }) };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((fake) => fake.close()));
});

test('streams one call in several deltas, then an answer that names the result', async () => {
  const { client } = await start();
  const stream = client.chat.completions.stream({ model: 'call-weather', messages: [user], tools });
  const deltas: string[] = [];
  stream.on('tool_calls.function.arguments.delta', ({ arguments_delta }) => deltas.push(arguments_delta));
  const [choice] = (await stream.finalChatCompletion()).choices;
  const [call] = choice!.message.tool_calls as { id: string; function: { name: string; arguments: string } }[];
  expect(choice!.finish_reason).toBe('tool_calls');
  expect(call!.function.name).toBe('weather');
  expect(JSON.parse(call!.function.arguments)).toEqual(sampleOf(parameters));
  expect(deltas.length).toBeGreaterThan(3);
  const answer = await client.chat.completions.create({
    model: 'call-weather',
    messages: [user, { ...choice!.message }, { role: 'tool', tool_call_id: call!.id, content: 'sunny' }],
    tools,
  });
  expect(answer.choices[0]?.message.content).toBe('The result is sunny');
});

test('calls two tools at once, unless the request allows one', async () => {
  const { client } = await start();
  const ask = (more: object) =>
    client.chat.completions
      .create({ model: 'call-two', messages: [user], tools, ...more })
      .then(({ choices }) =>
        choices[0]!.message.tool_calls?.map((call) => call.type === 'function' && call.function.name),
      );
  expect(await ask({})).toEqual(['weather', 'news']);
  expect(await ask({ parallel_tool_calls: false })).toEqual(['weather']);
  expect(await ask({ tool_choice: { type: 'function', function: { name: 'news' } } })).toEqual(['news', 'news']);
  expect(await ask({ tool_choice: 'none' })).toBeUndefined();
  expect(await ask({ model: 'words-3', tool_choice: 'required' })).toEqual(['weather']);
});

test('takes several steps of calls', async () => {
  const { client } = await start();
  const step = (id: string) => [
    { role: 'assistant' as const, tool_calls: [called(id)] },
    { role: 'tool' as const, tool_call_id: id, content: id },
  ];
  const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
    client.chat.completions.create({ model: 'call-steps-2', messages, tools }).then(({ choices }) => choices[0]!);
  expect(await ask([user, ...step('a')])).toMatchObject({ finish_reason: 'tool_calls' });
  expect((await ask([user, ...step('a'), ...step('b')])).message.content).toBe('The result is a and b');
});

test('refuses, reasons, and answers with JSON and probabilities', async () => {
  const { client } = await start();
  const ask = (model: string, more: object = {}) =>
    client.chat.completions.create({ model, messages: [user], ...more }).then(({ choices }) => choices[0]!);
  expect((await ask('refuse-politely')).message).toMatchObject({
    content: null,
    refusal: "I'm sorry, I cannot help with that.",
  });
  expect((await ask('think-words-2')).message).toMatchObject({
    content: 'w1 w2',
    reasoning_content: 'Let me think about it.',
  });
  const format = { type: 'json_schema', json_schema: { name: 'trip', schema: parameters, strict: true } };
  expect((await ask('json', { response_format: format })).message.content).toBe(JSON.stringify(sampleOf(parameters)));
  const { logprobs } = await ask('words-1', { logprobs: true, top_logprobs: 2 });
  expect(logprobs?.content?.[0]).toMatchObject({ token: 'w1', top_logprobs: [{ token: 'w1' }, { token: 'w11' }] });
});

test('streams calls, reasoning and refusals as responses', async () => {
  const { client } = await start();
  const flat = tools.map(({ type, function: tool }) => ({ type, ...tool, strict: true }));
  const read = async (body: Omit<OpenAI.Responses.ResponseCreateParamsStreaming, 'stream'>) => {
    const stream = client.responses.stream(body);
    const types: string[] = [];
    stream.on('event', ({ type }) => types.push(type));
    return { types, response: await stream.finalResponse() };
  };
  const first = await read({ model: 'think-call-weather', input: 'hi', tools: flat, reasoning: { summary: 'auto' } });
  expect(first.types.filter((type) => !type.endsWith('.delta'))).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(first.response.output).toMatchObject([
    { type: 'reasoning', summary: [{ text: 'Let me think about it.' }] },
    { type: 'function_call', name: 'weather', arguments: JSON.stringify(sampleOf(parameters)) },
  ]);
  const refused = await read({ model: 'refuse-politely', input: 'hi' });
  expect(refused.response.output).toMatchObject([{ content: [{ type: 'refusal' }] }]);
});

test.each([
  ['a result without its call', [user, { role: 'tool', tool_call_id: 'x', content: '' }], /must be a response to/],
  [
    'a call without its result',
    [user, { role: 'assistant', tool_calls: [called('x')] }, user],
    /did not have response messages: x/,
  ],
  ['an empty message', [user, { role: 'assistant', content: null }], /expected a string, got null/],
])('refuses %s', async (_what, messages, message) => {
  const { client } = await start();
  const asked = client.chat.completions.create({ model: 'words-1', messages: messages as never, tools });
  await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) });
});

test.each([
  [{ tool_choice: 'auto' }, /only allowed when 'tools' are specified/],
  [{ tools: [{ type: 'function', function: { name: 'a b' } }] }, /does not match pattern/],
  [
    { tools: [{ type: 'function', function: { name: 'a', strict: true, parameters: { type: 'object' } } }] },
    /'additionalProperties' is required/,
  ],
  [{ response_format: { type: 'json_object' } }, /must contain the word 'json'/],
])('refuses %j', async (more, message) => {
  const { client } = await start();
  const asked = client.chat.completions.create({ model: 'words-1', messages: [user], ...(more as object) });
  await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) });
});

test('answers with the pieces of a script', async () => {
  const pieces = [...think('hm'), ...say('one two'), ...callTool('weather', { a: 1 })];
  const { client } = await start({ script: () => ({ pieces }) });
  const { choices } = await client.chat.completions.create({ model: 'any', messages: [user], tools });
  expect(choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: 'one two',
      reasoning_content: 'hm',
      tool_calls: [{ function: { name: 'weather', arguments: '{"a":1}' } }],
    },
  });
});

test('predicts what a model will send', () => {
  const conversation = { tools: [{ name: 'weather', schema: parameters }] };
  expect(expectedPieces('call-weather-cut-after-2', conversation)).toEqual([
    { type: 'call', call: 0, name: 'weather', text: '' },
    { type: 'call', call: 0, name: 'weather', text: '{"city' },
  ]);
});
