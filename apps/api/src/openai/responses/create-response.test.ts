import { newId } from '@chorus/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../test-server.ts';
import { numbersOf, openAi, openStream, readAll, respond, textOf } from './test-responses.ts';

let server: TestServer;
let token: string;

beforeAll(async () => {
  server = await startTestServer();
  token = server.accessToken;
});
afterAll(() => server.stop());

const ask = (body: object, headers: Record<string, string> = {}) => respond(server, body, headers);
const stream = (body: object, headers: Record<string, string> = {}) =>
  openStream(server, '/responses', { token, body: { ...body, stream: true }, headers });
const get = (path: string) => server.call('GET', `/openai/v1/responses/${path}`);
const client = () => openAi(server, token);

const called = [
  { type: 'tool_call.delta', index: 0, call: 0, id: 'call_1', name: 'f', first: true, arguments_delta: '{"a"' },
  { type: 'tool_call.delta', index: 0, call: 0, id: 'call_1', name: 'f', arguments_delta: ':1}' },
];
const CALLS = `emit ${JSON.stringify(called)}`;
const TOOLS = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];

describe('a waited response', () => {
  test.each([
    ['a string', 'count 3'],
    ['a short message', [{ role: 'user', content: 'count 3' }]],
    ['parts', [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'count 3' }] }]],
    [
      'a conversation',
      [
        { role: 'system', content: 'Count.' },
        { role: 'developer', content: [{ type: 'input_text', text: 'Really.' }] },
        { role: 'user', content: 'count 2' },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: null },
        { role: 'assistant', phase: 'final_answer', content: [{ type: 'output_text', text: '1 2', annotations: [] }] },
        { role: 'user', content: 'count 3' },
      ],
    ],
  ])('answers %s', async (_name, input) => {
    const answer = await ask({ input, model: 'counter' });
    expect(answer.status).toBe(200);
    const [item] = answer.body.output;
    expect(item).toMatchObject({ type: 'message', status: 'completed', content: [{ text: '1 2 3 ' }] });
    expect(answer.body).toMatchObject({ status: 'completed', model: 'test/counter', store: true, background: false });
    const job = (await server.call('GET', `/jobs/${answer.headers.get('x-execution-id')}`)).body;
    expect(job).toMatchObject({ kind: 'response', status: 'succeeded' });
    expect((await get(answer.body.id)).body).toEqual(answer.body);
  });

  test('names ignored fields, and keeps metadata', async () => {
    const answer = await ask({ input: 'count 1', prompt_cache_key: 'k', new_field: 1, metadata: { a: 'b' } });
    expect(answer.headers.get('x-ignored-fields')).toBe('new_field');
    expect(answer.body).toMatchObject({ metadata: { a: 'b' }, prompt_cache_key: 'k' });
  });

  test('answers a failure as an HTTP error', async () => {
    const answer = await ask({ input: 'fail' });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'content_refused']);
    expect(answer.headers.get('x-should-retry')).toBe('false');
  });

  test('the same Idempotency-Key gives the same response', async () => {
    const headers = { 'idempotency-key': `key-${server.turns}` };
    const [one, other] = await Promise.all([ask({ input: 'count 4' }, headers), ask({ input: 'count 4' }, headers)]);
    expect(other.body).toEqual(one.body);
    expect((await ask({ input: 'count 5' }, headers)).status).toBe(422);
  });
});

describe('a streamed response', () => {
  test('sends valid events with contiguous numbers, and ends with the stored response', async () => {
    const events = await readAll(await stream({ input: 'count 20' }));
    expect(numbersOf(events)).toEqual(events.map((_, index) => index));
    expect(textOf(events)).toBe(Array.from({ length: 20 }, (_, index) => `${index + 1} `).join(''));
    const last = events.at(-1) as unknown as { type: string; response: { id: string } };
    expect(last.type).toBe('response.completed');
    expect((await get(last.response.id)).body).toEqual(last.response);
    const again = await readAll(await openStream(server, `/responses/${last.response.id}?stream=true`, { token }));
    expect(again).toEqual(events);
  });

  test('streams calls', async () => {
    const events = await readAll(await stream({ input: CALLS, tools: TOOLS }));
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'response.function_call_arguments.delta')).toHaveLength(2);
    expect(events.at(-1)?.response).toMatchObject({ output: [{ call_id: 'call_1', name: 'f', arguments: '{"a":1}' }] });
  });

  test('a failure before anything was shown has its status', async () => {
    const { status, body } = await ask({ input: 'fail', stream: true });
    expect([status, body.error.code]).toEqual([400, 'content_refused']);
  });

  test('a failure in the background is an error event and a failed response', async () => {
    const events = await readAll(await stream({ input: 'fail', background: true }));
    const types = events.map(({ type }) => type.replace('response.', ''));
    expect(types).toEqual(['created', 'queued', 'in_progress', 'error', 'failed']);
    expect(events.at(-1)?.response).toMatchObject({ status: 'failed', error: { code: 'invalid_prompt' } });
  });

  test('the same Idempotency-Key replays the stream', async () => {
    const headers = { 'idempotency-key': `stream-${server.turns}` };
    const events = await readAll(await stream({ input: 'count 5' }, headers));
    expect(await readAll(await stream({ input: 'count 5' }, headers))).toEqual(events);
  });

  test('a client that disconnects does not stop it', async () => {
    const gone = new AbortController();
    const body = { input: 'hold 3', stream: true };
    const held = await openStream(server, '/responses', { token, body, signal: gone.signal });
    const first = await held.next();
    gone.abort();
    await expect(readAll(held)).rejects.toThrow();
    server.release();
    const { id } = first.value.response as { id: string };
    await expect.poll(async () => (await get(id)).body.status).toBe('completed');
  });
});

describe("OpenAI's client", () => {
  test('creates, streams and parses', async () => {
    expect((await client().responses.create({ model: 'counter', input: 'count 3' })).output_text).toBe('1 2 3 ');
    const helper = client().responses.stream({ model: 'counter', input: 'count 5' });
    const deltas: string[] = [];
    helper.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
    expect((await helper.finalResponse()).output_text).toBe('1 2 3 4 5 ');
    expect(deltas.join('')).toBe('1 2 3 4 5 ');
    const json = [{ type: 'text.delta', index: 0, delta: '{"a":1}' }];
    const format = { type: 'json_schema', name: 'a', strict: true, schema: { type: 'object' } } as const;
    const parsed = await client().responses.parse({
      model: 'counter',
      input: `emit ${JSON.stringify(json)}`,
      text: { format },
    });
    expect([parsed.output_parsed, parsed.text?.format?.type]).toEqual([{ a: 1 }, 'json_schema']);
  });

  test('assembles reasoning, refusals and parallel calls from a stream', async () => {
    const emitted = [
      { type: 'reasoning.delta', index: 0, delta: 'Hm' },
      { type: 'reasoning.delta', index: 0, delta: '.' },
      { type: 'refusal.delta', index: 1, delta: 'No.' },
      { type: 'tool_call.delta', index: 2, call: 0, id: 'a', name: 'f', first: true, arguments_delta: '' },
      { type: 'tool_call.delta', index: 3, call: 1, id: 'b', name: 'f', first: true, arguments_delta: '{' },
      { type: 'tool_call.delta', index: 2, call: 0, id: 'a', name: 'f', arguments_delta: '{}' },
      { type: 'tool_call.delta', index: 3, call: 1, id: 'b', name: 'f', arguments_delta: '}' },
    ];
    const helper = client().responses.stream({ model: 'counter', input: `emit ${JSON.stringify(emitted)}` });
    expect((await helper.finalResponse()).output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm.' }] },
      { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] },
      { type: 'function_call', call_id: 'a', arguments: '{}' },
      { type: 'function_call', call_id: 'b', arguments: '{}' },
    ]);
  });

  test('throws the error of a streamed failure', async () => {
    const refused = client().responses.create({ model: 'counter', input: 'fail', stream: true });
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'content_refused' });
    const background = { input: 'fail', background: true, stream: true } as const;
    const events = await client().responses.create({ model: 'counter', ...background });
    await expect(async () => {
      for await (const _ of events);
    }).rejects.toMatchObject({ message: expect.stringContaining('It fails.'), code: 'content_refused' });
  });

  test('follows an answer that starts over, in the background', async () => {
    const created = await client().responses.create({ model: 'counter', input: 'restart 6', background: true });
    const helper = client().responses.stream({ response_id: created.id });
    const final = await helper.finalResponse();
    expect(final.output_text).toBe('4 5 6 ');
    const { output } = await client().responses.retrieve(created.id);
    expect(output.map(({ id }) => id)).toEqual(final.output.map(({ id }) => id));
    expect(output[0]?.id).toMatch(/_0_r1$/);
  });
});

describe('refuses', () => {
  const message = { role: 'user', content: 'Hi' };
  const text = { type: 'input_text', text: 'See' };
  const image = (file_id: string) => ({ type: 'input_image', file_id });
  const file = (file_id: string) => ({ type: 'input_file', file_id });
  test.each([
    [{}, 'input'],
    [{ input: [] }, 'input'],
    [{ input: [{ role: 'robot', content: 'Hi' }] }, 'input[0].role'],
    [{ input: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }, 'input[0].content[0].type'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.test/b.pdf' }] }] },
      'input[0].content[0].file_url',
    ],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0].image_url'],
    [{ input: [message, { role: 'user', content: [image('x')] }] }, 'input[1].content[0].file_id'],
    [{ input: [message, { role: 'user', content: [text, image(newId('asset'))] }] }, 'input[1].content[1]'],
    [{ input: [{ role: 'user', content: [text, file(newId('asset'))] }] }, 'input[0].content[1]'],
    [{ input: [{ type: 'web_search_call', id: 'ws_1' }] }, 'input[0].type'],
    [{ input: 'Hi', tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [{ input: 'Hi', tools: [{ type: 'mcp', server_label: 'x' }] }, 'tools[0].server_url'],
    [{ input: 'Hi', tools: [{ type: 'custom', name: 'f' }, ...TOOLS] }, 'tools[1].name'],
    [{ input: 'Hi', tools: [{ type: 'custom', name: 'x', format: { type: 'grammar' } }] }, 'tools[0].format.syntax'],
    [{ input: 'Hi', tools: [{ type: 'tool_search' }] }, 'tools[0].execution'],
    [{ input: [message, { type: 'custom_tool_call_output', call_id: 'c', output: '1' }] }, 'input[1].call_id'],
    [{ input: 'Hi', tools: [...TOOLS, ...TOOLS] }, 'tools[1].name'],
    [{ input: 'Hi', tool_choice: 'required' }, 'tool_choice'],
    [{ input: 'Hi', tools: TOOLS, tool_choice: { type: 'function', name: 'g' } }, 'tool_choice.name'],
    [{ input: 'Hi', tools: TOOLS, tool_choice: { type: 'web_search_preview' } }, 'tool_choice.type'],
    [{ input: 'Hi', conversation: 'conv_1' }, 'conversation'],
    [{ input: 'Hi', prompt: { id: 'pmpt_1' } }, 'prompt'],
    [{ messages: [message] }, 'messages'],
    [{ input: 'Hi', response_format: { type: 'json_object' } }, 'response_format'],
    [{ input: 'Hi', include: ['everything'] }, 'include[0]'],
    [{ input: 'Hi', temperature: 3 }, 'temperature'],
    [{ input: 'Hi', text: { format: { type: 'json_schema', name: 'x' } } }, 'text.format.schema'],
    [{ input: 'Hi', background: true, store: false }, 'background'],
    [{ input: 'Hi', model: 'unknown/x' }, 'model'],
    [{ input: [message, { type: 'function_call_output', call_id: 'c', output: '1' }] }, 'input[1].call_id'],
    [{ input: [message, { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] }, 'input'],
  ])('%j, and names %s', async (body, param) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.error.param]).toEqual([
      answer.body.error.code === 'model_not_found' ? 404 : 400,
      param,
    ]);
    expect(answer.body.error.type).toBe('invalid_request_error');
  });

  test('hosted tools, and says what is supported', async () => {
    const { body } = await ask({ input: 'Hi', tools: [{ type: 'file_search', vector_store_ids: [] }] });
    expect(body.error.message).toMatch(/must be `function`.+web_search.+not supported/);
  });
});
