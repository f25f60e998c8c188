import OpenAI, { APIError, BadRequestError, InternalServerError, NotFoundError, RateLimitError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshPerson } from '../test-people.ts';
import { startWorkersApi, type TestWorkersApi } from '../test-workers.ts';

let api: TestWorkersApi;
let client: OpenAI;
let key: string;

beforeAll(async () => {
  api = await startWorkersApi({ models: ['words-3', 'echo'] });
  key = (await freshPerson(api)).fullKey;
  client = new OpenAI({ baseURL: `${api.url}/openai/v1`, apiKey: key, maxRetries: 0 });
});
afterAll(() => api.stop());

const MESSAGES = [{ role: 'user' as const, content: 'Hello' }];
const WEATHER = {
  type: 'function' as const,
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const ask = (path: string, body: object | undefined, headers: Record<string, string> = {}) =>
  api.call(body === undefined ? 'GET' : 'POST', path, {
    ...(body && { body }),
    headers: {
      authorization: `Bearer ${key}`,
      'x-scope-type': path.startsWith('/openai/') ? null : 'personal',
      ...headers,
    },
  });
const complete = (body: object, headers?: Record<string, string>) =>
  ask('/openai/v1/chat/completions', { messages: MESSAGES, ...body }, headers);

// biome-ignore lint/suspicious/noExplicitAny: frames of any shape
function framesIn(body: string): any[] {
  const lines = body.split('\n').filter((line) => line !== '');
  expect(lines.every((line) => line.startsWith('data: ') || line.startsWith(': '))).toBe(true);
  const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
  expect(data.at(-1)).toBe('[DONE]');
  return data.slice(0, -1).map((line) => JSON.parse(line));
}

const errorOf = (asked: PromiseLike<unknown>) =>
  Promise.resolve(asked).then(undefined, (thrown: unknown) => thrown as APIError);

describe('an answer', () => {
  test("has OpenAI's fields and no other", async () => {
    const { status, headers, body } = await complete({ model: 'compatible/words-3', store: true, user: 'me' });
    expect([status, headers.get('x-ignored-fields')]).toEqual([200, 'store']);
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'compatible/words-3',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'w1 w2 w3', refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: 3,
        total_tokens: expect.any(Number),
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      },
    });
    const { body: job } = await ask(`/jobs/${headers.get('x-execution-id')}`, undefined);
    expect(job).toMatchObject({ kind: 'chat.completion', session_id: null, status: 'succeeded' });
    expect((await ask('/sessions', undefined)).body.data).toEqual([]);
  });
});

test('fields of sessions may be null', async () => {
  const fields = [
    'message',
    'session_id',
    'attachments',
    'regenerate_from',
    'tool_outputs',
    'knowledge',
    'webhook_url',
  ];
  const nulls = Object.fromEntries(fields.map((name) => [name, null]));
  const { status, headers, body } = await complete({ model: 'compatible/words-3', ...nulls });
  expect([status, headers.get('x-ignored-fields')]).toEqual([200, null]);
  expect(body.choices[0].message.content).toBe('w1 w2 w3');
});

test('optional fields of messages may be null', async () => {
  const url =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const content = [
    { type: 'image_url', image_url: { url, detail: null } },
    { type: 'file', file: { file_data: url, file_id: null, filename: null } },
  ];
  const { body } = await complete({
    model: 'compatible/words-3',
    messages: [
      { role: 'system', name: null, content: 'Look' },
      { role: 'user', name: null, content },
    ],
  });
  expect(body.choices?.[0].message.content).toBe('w1 w2 w3');
});

describe('a stream', () => {
  test('consists of chunks, with the role first and the reason last', async () => {
    const { status, headers, body } = await complete({ model: 'compatible/words-3', stream: true });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(headers.get('x-execution-id')).toMatch(/^job_/);
    const frames = framesIn(body);
    const head = { id: frames[0].id, object: 'chat.completion.chunk', created: frames[0].created };
    for (const frame of frames)
      expect(frame).toEqual({ ...head, model: 'compatible/words-3', choices: [expect.any(Object)] });
    const choices = frames.map(({ choices: [choice] }) => choice);
    expect(choices[0]).toEqual({
      index: 0,
      // A busy machine sends several words at once.
      delta: { role: 'assistant', content: expect.stringMatching(/^w1/) },
      logprobs: null,
      finish_reason: null,
    });
    expect(choices.at(-1)).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' });
    expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe('w1 w2 w3');
  });

  test('ends with the usage only if it is asked for', async () => {
    const stream = await client.chat.completions.create({
      model: 'compatible/words-3',
      messages: MESSAGES,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const last = chunks.pop();
    expect(last).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
    expect(Object.keys(last?.usage ?? {})).toEqual([
      'prompt_tokens',
      'completion_tokens',
      'total_tokens',
      'prompt_tokens_details',
      'completion_tokens_details',
    ]);
    expect(chunks.every(({ usage }) => usage === null)).toBe(true);
  });

  test('repeats its answer for the same Idempotency-Key, also once the log is gone', async () => {
    const headers = { 'idempotency-key': 'chat-once' };
    const body = { model: 'compatible/words-3', stream: true, stream_options: { include_usage: true } };
    const first = await complete(body, headers);
    const before = api.fake.requests.length;
    expect((await complete(body, headers)).body).toBe(first.body);
    const id = first.headers.get('x-execution-id');
    for (const name of await api.services.redis.keys(`*${id}*`)) await api.services.redis.del(name);
    const late = framesIn((await complete(body, headers)).body);
    expect(late.map(({ choices: [choice] }) => choice?.delta)).toEqual([
      { role: 'assistant', content: 'w1 w2 w3', refusal: null },
      {},
      undefined,
    ]);
    expect(api.fake.requests).toHaveLength(before);
  });

  test("keeps signed reasoning whole in what OpenAI's client puts together", async () => {
    const body = { model: 'openai/o3-think-call-weather', messages: MESSAGES, tools: [WEATHER] };
    const { choices } = await client.chat.completions.stream(body).finalChatCompletion();
    const { message } = choices[0] as { message: OpenAI.ChatCompletionMessage & { reasoning_blocks?: object[] } };
    const text = 'Let me think about it.';
    expect(message.reasoning_blocks).toEqual([{ text, signature: expect.any(String) }]);
    const call = message.tool_calls?.[0];
    const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'sunny' };
    await client.chat.completions.create({ ...body, messages: [...MESSAGES, message, result] });
    const sent = api.fake.requests.at(-1)?.body as { input: object[] };
    expect(sent.input).toContainEqual(
      expect.objectContaining({ type: 'reasoning', summary: [{ type: 'summary_text', text }] }),
    );
  });

  test('sends signatures once, also once the log is gone', async () => {
    const headers = { 'idempotency-key': 'signed-once' };
    const body = { model: 'openai/o3-think-words-2', stream: true };
    const first = await complete(body, headers);
    const id = first.headers.get('x-execution-id');
    for (const name of await api.services.redis.keys(`*${id}*`)) await api.services.redis.del(name);
    for (const text of [first.body, (await complete(body, headers)).body]) {
      const deltas = framesIn(text).map(({ choices: [choice] }) => choice.delta);
      const signed = deltas.filter(
        ({ reasoning_signature, reasoning_blocks: blocks }) => reasoning_signature ?? blocks,
      );
      expect(signed).toHaveLength(1);
      expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe('Let me think about it.');
    }
  });
});

describe('a failure', () => {
  test.each([false, true])('before the first word is an error response (stream: %s)', async (stream) => {
    const asked = (model: string) =>
      errorOf(client.chat.completions.create({ model: `compatible/${model}`, messages: MESSAGES, stream }));
    expect(await asked('fail-500')).toBeInstanceOf(InternalServerError);
    expect(await asked('quota')).toBeInstanceOf(RateLimitError);
    expect(await asked('fail-503')).toMatchObject({ status: 503, code: 'provider_unavailable' });
    expect(await asked('context-too-long')).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      type: 'invalid_request_error',
    });
  });

  test('within a stream is an error that the client throws', async () => {
    const body = { model: 'compatible/error-after-2', stream: true };
    const frames = framesIn((await complete(body)).body);
    expect(frames.at(-1)).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code: 'provider_error' },
    });
    const stream = await client.chat.completions.create({ ...body, stream: true, messages: MESSAGES });
    const words: string[] = [];
    const reading = (async () => {
      for await (const { choices } of stream) words.push(choices[0]?.delta.content ?? '');
    })();
    expect(await errorOf(reading)).toBeInstanceOf(APIError);
    expect(words.join('')).toContain('w1');
  });

  test.each([
    [{ message: 'Hi' }, 'message'],
    [{ session_id: 'ses_x' }, 'session_id'],
    [{ regenerate_from: 'msg_x' }, 'regenerate_from'],
    [{ attachments: ['ast_x'] }, 'attachments'],
    [{ tool_outputs: [] }, 'tool_outputs'],
    [{ knowledge: {} }, 'knowledge'],
    [{ webhook_url: 'https://example.org' }, 'webhook_url'],
    [{ messages: undefined }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text'],
    [{ temperature: 3 }, 'temperature'],
    [{ n: 2 }, 'n'],
    [{ modalities: ['audio'] }, 'modalities'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ model: 'unknown/x' }, 'model'],
  ])('of the request %j names the field', async (body, param) => {
    const asked = { model: 'compatible/words-3', messages: MESSAGES, ...body } as OpenAI.ChatCompletionCreateParams;
    const error = await errorOf(client.chat.completions.create(asked));
    expect(error).toBeInstanceOf((error as APIError).code === 'model_not_found' ? NotFoundError : BadRequestError);
    expect(error).toMatchObject({ type: 'invalid_request_error', param });
  });
});

test('a client that waits long gets the headers first, and words as they arrive', async () => {
  const response = await fetch(`${api.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'compatible/start-6000-words-3', messages: MESSAGES, stream: true }),
  });
  const [first = '', ...others] = (await Array.fromAsync(response.body ?? [])).map((piece) =>
    Buffer.from(piece).toString(),
  );
  expect(first).toBe(': queued\n\n');
  expect(framesIn(others.join('')).at(-1).choices[0].finish_reason).toBe('stop');
});
