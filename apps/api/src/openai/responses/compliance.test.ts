import { TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runFileBatches } from '../../test-file-batches.ts';
import { startWorkersApi, type TestWorkersApi } from '../../test-workers.ts';
import { openAi, openStream, readAll, respond, textOf } from './test-responses.ts';

// The cases of the Open Responses compliance suite, and similar ones, with real workers.

let api: TestWorkersApi;
let token: string;

beforeAll(async () => {
  api = await startWorkersApi();
  token = api.accessToken;
});
afterAll(() => api?.stop());

const user = (content: unknown) => ({ type: 'message', role: 'user', content });
const tools = [
  {
    type: 'function',
    name: 'get_weather',
    description: 'Get the current weather for a location',
    parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
  },
];
const image = `data:image/png;base64,${Buffer.from(TINY_PNG).toString('base64')}`;

/** Returns the last request to the provider for a model. */
const sentFor = (model: string) => api.fake.requests.findLast((request) => model.endsWith(`/${request.model}`))?.body;

const respondTo = async (body: object) => {
  const answer = await respond(api, body);
  expect([answer.status, answer.body.status, answer.body.error]).toEqual([200, 'completed', null]);
  return answer.body;
};
const streamOf = async (body: object) =>
  readAll(await openStream(api, '/responses', { token, body: { ...body, stream: true } }));

// Chat completions, and the Responses API of OpenAI.
describe.each(['compatible', 'openai'])('a model of %s', (provider) => {
  const named = (name: string) => `${provider}/${name}@${provider}`;

  test('basic text', async () => {
    const body = await respondTo({ model: named('words-3'), input: [user('Say hello in exactly 3 words.')] });
    expect(body.output).toMatchObject([{ type: 'message', role: 'assistant', content: [{ text: 'w1 w2 w3' }] }]);
    expect(body.usage.output_tokens).toBe(3);
  });

  test('streaming', async () => {
    const events = await streamOf({ model: named('words-9'), input: [user('Count from 1 to 5.')] });
    expect(textOf(events)).toBe('w1 w2 w3 w4 w5 w6 w7 w8 w9');
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  });

  test('system prompt, as a message and as instructions', async () => {
    const model = named('words-4');
    await respondTo({
      model,
      instructions: 'Be polite.',
      input: [{ type: 'message', role: 'system', content: 'You are a pirate.' }, user('Say hello.')],
    });
    const sent = JSON.stringify(sentFor(model));
    expect(sent.indexOf('Be polite.')).toBeGreaterThan(0);
    expect(sent.indexOf('You are a pirate.')).toBeGreaterThan(sent.indexOf('Be polite.'));
  });

  test('tool calling, and its result with previous_response_id', async () => {
    const model = named('call-weather');
    const called = await respondTo({ model, input: [user("What's the weather like in San Francisco?")], tools });
    const [call] = called.output;
    expect(call).toMatchObject({ type: 'function_call', status: 'completed', name: 'get_weather' });
    expect(JSON.parse(call.arguments)).toEqual({ location: expect.any(String) });
    const input = [{ type: 'function_call_output', call_id: call.call_id, output: '64 degrees' }];
    const next = await respondTo({ model, input, tools, previous_response_id: called.id });
    expect(next.output[0].content[0].text).toBe('The result is 64 degrees');
    const repeated = [user("What's the weather like in San Francisco?"), ...called.output, ...input];
    const again = await respondTo({ model, input: repeated, tools });
    expect(again.output[0].content[0].text).toBe('The result is 64 degrees');
  });

  test('tool calling, streamed', async () => {
    const model = named('think-call-two');
    const events = await streamOf({ model, input: [user('Compare the weather.')], tools });
    const added = events.filter(({ type }) => type === 'response.output_item.added').map(({ item }) => item);
    expect(added.filter((item) => (item as { type: string }).type === 'function_call')).toHaveLength(2);
    for (const type of ['delta', 'done'])
      expect(events.map((event) => event.type)).toContain(`response.function_call_arguments.${type}`);
  });

  test('image input', async () => {
    const model = named('words-5');
    const parts = [
      { type: 'input_text', text: 'What do you see?' },
      { type: 'input_image', image_url: image },
    ];
    await respondTo({ model, input: [user(parts)] });
    expect(JSON.stringify(sentFor(model))).toContain(image.slice(-40));
  });

  test('multi-turn, with phases', async () => {
    const model = named('echo');
    const input = [
      user('My name is Alice.'),
      { type: 'message', role: 'assistant', phase: 'final_answer', content: 'Hello Alice!' },
      user('What is my name?'),
    ];
    const body = await respondTo({ model, input });
    expect(body.output[0].content[0].text).toBe('What is my name?');
    expect(JSON.stringify(sentFor(model))).toContain('Hello Alice!');
  });

  test('structured output and sampling', async () => {
    const model = named('json');
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const body = await respondTo({
      model,
      input: 'A city.',
      text: { format: { type: 'json_schema', name: 'city', schema, strict: true } },
      max_output_tokens: 100,
      temperature: 0.5,
    });
    expect(JSON.parse(body.output[0].content[0].text)).toEqual({ city: expect.any(String) });
    expect(body).toMatchObject({ temperature: 0.5, max_output_tokens: 100 });
  });

  test('a refusal and a filtered answer', async () => {
    const refused = await respond(api, { model: named('refuse-politely'), input: 'Help me.' });
    expect(refused.body.output[0].content[0]).toMatchObject({ type: 'refusal' });
    const filtered = await respond(api, { model: named('filter-after-5'), input: 'Help me.' });
    expect(filtered.body).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } });
  });

  test('errors of the provider', async () => {
    for (const [model, status, code] of [
      ['fail-500', 502, 'provider_error'],
      ['quota', 429, 'provider_rate_limited'],
      ['fail-401', 502, 'provider_auth'],
      ['context-too-long', 400, 'context_length_exceeded'],
    ] as const) {
      const answer = await respond(api, { model: named(model), input: 'Hi' });
      expect([model, answer.status, answer.body.error?.code]).toEqual([model, status, code]);
    }
  });
});

test('stored images and files, by their ids', async () => {
  const client = openAi(api, token);
  const upload = async (body: string | typeof TINY_PNG, name: string) =>
    (await client.files.create({ file: new File([body], name), purpose: 'user_data' })).id;
  const model = 'compatible/words-3@files';
  const content = [
    { type: 'input_text', text: 'Compare.' },
    { type: 'input_image', file_id: await upload(TINY_PNG, 'tiny.png') },
    { type: 'input_file', file_id: await upload('The well is 40 metres deep.', 'well.txt') },
  ];
  const first = await respondTo({ model, input: [user(content)] });
  expect(JSON.stringify(sentFor(model))).toMatch(/data:image\/.*The well is 40 metres deep/);
  await client.files.delete(content[2]?.file_id ?? '');
  const next = await respond(api, { model, input: 'And now?', previous_response_id: first.id });
  expect([next.status, next.body.error.param]).toEqual([400, 'previous_response_id']);
});

test('reasoning is an item, and can be sent back', async () => {
  const model = 'compatible/think-words-3';
  const body = await respondTo({ model, input: 'Think.' });
  expect(body.output).toMatchObject([
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me think about it.' }] },
    { type: 'message' },
  ]);
  await respondTo({ model, input: [user('Think.'), ...body.output, user('Again.')] });
});

test('only allowed tools are called, and not more often than allowed', async () => {
  const two = [...tools, { ...tools[0], name: 'other' }];
  const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'other' }] };
  const limited = await respondTo({
    model: 'compatible/call-two@limited',
    input: 'Go.',
    tools: two,
    max_tool_calls: 1,
  });
  expect(limited.output.map(({ name }: { name: string }) => name)).toEqual(['get_weather']);
  const allowed = await respondTo({ model: 'compatible/call-two@allowed', input: 'Go.', tools: two, tool_choice });
  for (const { name } of allowed.output) expect(name).toBe('other');
});

test('a conversation that is too long loses its oldest turns, if truncation is allowed', async () => {
  const turns = Array.from({ length: 6 }, (_, at) => [user(`Question ${at}`), { role: 'assistant', content: 'Yes.' }]);
  const input = [{ role: 'system', content: 'Rules.' }, ...turns.flat(), user('Last question')];
  const model = 'compatible/context-too-long-once@truncated';
  const body = await respondTo({ model, input, truncation: 'auto' });
  expect(body.truncation).toBe('auto');
  const sent = JSON.stringify(sentFor(model));
  for (const kept of ['Rules.', 'Last question']) expect(sent).toContain(kept);
  expect(sent).not.toContain('Question 0');
  const refused = await respond(api, { model: 'compatible/context-too-long@whole', input });
  expect([refused.status, refused.body.error.code]).toEqual([400, 'context_length_exceeded']);
});

test("a batch of OpenAI's API can hold responses", async () => {
  const stop = await runFileBatches(api);
  try {
    const client = openAi(api, token);
    const lines = ['words-3', 'refuse'].map((model) => ({
      custom_id: model,
      method: 'POST',
      url: '/v1/responses',
      body: { model: `compatible/${model}@batch`, input: 'Hi', store: false },
    }));
    const file = new File([lines.map((line) => JSON.stringify(line)).join('\n')], 'in.jsonl');
    const { id: input_file_id } = await client.files.create({ file, purpose: 'batch' });
    const { id } = await client.batches.create({ input_file_id, endpoint: '/v1/responses', completion_window: '24h' });
    await expect.poll(async () => (await client.batches.retrieve(id)).status).toBe('completed');
    const { output_file_id } = await client.batches.retrieve(id);
    const line = JSON.parse(await (await client.files.content(output_file_id ?? '')).text());
    expect(line).toMatchObject({
      custom_id: 'words-3',
      response: { body: { object: 'response', output: [{ content: [{ text: 'w1 w2 w3' }] }] } },
    });
  } finally {
    await stop();
  }
});
