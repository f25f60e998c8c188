import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshPerson } from '../test-people.ts';
import { startWorkersApi, type TestWorkersApi } from '../test-workers.ts';

let api: TestWorkersApi;
let client: Anthropic;
let key: string;

beforeAll(async () => {
  api = await startWorkersApi({ models: ['words-3', 'echo'] });
  key = (await freshPerson(api)).fullKey;
  client = new Anthropic({ baseURL: `${api.url}/anthropic`, apiKey: key, maxRetries: 0 });
});
afterAll(() => api.stop());

type Asked = Partial<Anthropic.MessageCreateParamsNonStreaming>;
const USER = { role: 'user' as const, content: 'Hello' };
const WEATHER: Anthropic.Tool = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
};
const paramsOf = (model: string, more: Asked = {}) => ({ model, max_tokens: 100, messages: [USER], ...more });
const ask = (path: string, body?: object, headers: Record<string, string | null> = {}) =>
  api.call(body === undefined ? 'GET' : 'POST', `/anthropic/v1${path}`, {
    ...(body && { body }),
    headers: { authorization: null, 'x-api-key': key, 'x-scope-type': null, ...headers },
  });
const errorOf = (asked: PromiseLike<unknown>) =>
  Promise.resolve(asked).then(undefined, (thrown: unknown) => thrown as APIError);

test("a message has Anthropic's fields and no other", async () => {
  const body = { ...paramsOf('compatible/words-3'), inference: 1, metadata: { user_id: 'me' } };
  const {
    status,
    headers,
    body: message,
  } = await ask('/messages?beta=true', body, { 'anthropic-version': '2023-06-01' });
  expect([status, headers.get('x-ignored-fields')]).toEqual([200, 'inference']);
  expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
  expect(message).toEqual({
    id: headers.get('x-execution-id')?.replace('job_', 'msg_'),
    ...{ type: 'message', role: 'assistant', model: 'compatible/words-3' },
    content: [{ type: 'text', text: 'w1 w2 w3' }],
    ...{ stop_reason: 'end_turn', stop_sequence: null },
    usage: {
      input_tokens: expect.any(Number),
      output_tokens: 3,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      output_tokens_details: { thinking_tokens: 0 },
    },
  });
});

test('a bearer token works like a key, and repeats join the first request', async () => {
  const headers = { 'x-api-key': null, authorization: `Bearer ${key}`, 'idempotency-key': 'message-once' };
  const body = { ...paramsOf('compatible/words-3'), stream: true };
  const first = await ask('/messages', body, headers as never);
  expect(first.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const before = api.fake.requests.length;
  const id = first.headers.get('x-execution-id');
  for (const name of await api.services.redis.keys(`*${id}*`)) await api.services.redis.del(name);
  const again = await ask('/messages', body, headers as never);
  const texts = [first, again].map(({ body: stream }) =>
    [...stream.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, text]) => text).join(''),
  );
  expect(texts).toEqual(['w1 w2 w3', 'w1 w2 w3']);
  expect(api.fake.requests).toHaveLength(before);
});

test('accepts what Claude Code sends', async () => {
  const ephemeral = { cache_control: { type: 'ephemeral' } };
  const text = (said: string, more: object = {}) => ({ type: 'text', text: said, ...more });
  const tools = Array.from({ length: 200 }, (_, index) => ({ ...WEATHER, name: `mcp__t__${index}` }));
  const call = { type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { query: 'select:WebFetch' } };
  const found = { type: 'tool_reference', tool_name: 'WebFetch' };
  const body = {
    model: 'compatible/words-3@code',
    max_tokens: 32_000,
    stream: true,
    system: [text('x-anthropic-billing-header: cc_version=2.1.332'), text('You are a Claude agent.', ephemeral)],
    messages: [
      { role: 'user', content: [text('<system-reminder>Today</system-reminder>'), text('Fetch it.')] },
      { role: 'system', content: [text('# Environment', ephemeral)] },
      { role: 'assistant', content: [text('Calling.'), call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [found], ...ephemeral }] },
      { role: 'system', content: [{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'Monitor' } }] },
    ],
    tools: [
      ...tools,
      ...['WebFetch', 'Monitor', 'DeferredToolPlaceholder'].map((name) => ({ ...WEATHER, name, defer_loading: true })),
    ],
    metadata: { user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: 's'.repeat(36) }) },
    thinking: { type: 'adaptive', display: 'updates' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'high' },
    safeguards: {},
  };
  const answer = await fetch(`${api.url}/anthropic/v1/messages?beta=true`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
    },
  });
  expect([answer.status, answer.headers.get('x-ignored-fields')]).toEqual([200, 'context_management, safeguards']);
  expect(await answer.text()).toContain('event: message_stop');
  const sent = api.fake.requests.at(-1)?.body as { tools: { function: { name: string } }[]; user: string };
  expect(sent.tools.slice(200).map((tool) => tool.function.name)).toEqual(['WebFetch', 'Monitor']);
  expect(sent.user).toHaveLength(64);
});

describe("Anthropic's client", () => {
  test.each([false, true])('runs tools (stream: %s)', async (stream) => {
    const asked = paramsOf('compatible/call-two', { tools: [WEATHER], tool_choice: { type: 'auto' } });
    const say = (params: typeof asked) =>
      stream ? client.messages.stream(params).finalMessage() : client.messages.create(params);
    const message = await say(asked);
    const calls = message.content.filter((block) => block.type === 'tool_use');
    expect([message.stop_reason, calls.length]).toEqual(['tool_use', 2]);
    for (const call of calls) expect(call).toMatchObject({ name: 'weather', input: { city: expect.any(String) } });
    const content = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'sunny' }));
    const { content: answer } = await say({
      ...asked,
      messages: [USER, { role: 'assistant', content: message.content }, { role: 'user', content }],
    });
    expect(answer).toEqual([{ type: 'text', text: expect.stringContaining('sunny') }]);
  });

  test.each([false, true])('sends signed thinking back with its calls (stream: %s)', async (stream) => {
    const thinking = { type: 'enabled' as const, budget_tokens: 10_000 };
    const asked = paramsOf('openai/o3-think-call-weather', { tools: [WEATHER], thinking });
    const message = stream ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked);
    const text = 'Let me think about it.';
    const [thought, call] = message.content;
    expect(thought).toEqual({ type: 'thinking', thinking: text, signature: expect.stringMatching(/\w/) });
    const result = { type: 'tool_result' as const, tool_use_id: (call as { id: string }).id, content: 'sunny' };
    const messages = [
      USER,
      { role: 'assistant' as const, content: message.content },
      { role: 'user' as const, content: [result] },
    ];
    await client.messages.create({ ...asked, messages });
    const sent = api.fake.requests.at(-1)?.body as { input: object[]; reasoning: object };
    expect(sent.reasoning).toMatchObject({ effort: 'medium' });
    expect(sent.input).toContainEqual(
      expect.objectContaining({ type: 'reasoning', summary: [{ type: 'summary_text', text }] }),
    );
  });

  test('streams the events of a message', async () => {
    const events = await Array.fromAsync(
      await client.messages.create({ ...paramsOf('compatible/words-3'), stream: true }),
    );
    const types = events.map(({ type }) => type).filter((type) => type !== 'content_block_delta');
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } });
  });

  test('gets a refusal as text', async () => {
    const message = await client.messages.create(paramsOf('compatible/refuse-politely'));
    expect(message).toMatchObject({
      stop_reason: 'refusal',
      content: [{ type: 'text', text: expect.stringMatching(/\w/) }],
    });
  });

  test.each([
    ['fail-500', InternalServerError, 'api_error'],
    ['quota', RateLimitError, 'rate_limit_error'],
    ['context-too-long', BadRequestError, 'invalid_request_error'],
  ] as const)('throws for %s, also before a stream', async (model, kind, type) => {
    for (const stream of [false, true]) {
      const error = await errorOf(client.messages.create({ ...paramsOf(`compatible/${model}`), stream }));
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ type, requestID: expect.any(String) });
    }
  });

  test.each([false, true])('retries while the provider has no capacity (stream: %s)', async (stream) => {
    const retrying = client.withOptions({ maxRetries: 1 });
    const asked = (model: string) => errorOf(retrying.messages.create({ ...paramsOf(`compatible/${model}`), stream }));
    const before = api.fake.requests.length;
    expect(await asked('fail-503')).toMatchObject({ status: 529, type: 'overloaded_error' });
    // Each of two requests tries three times.
    expect(api.fake.requests.length - before).toBe(6);
    expect(await asked('fail-500')).toMatchObject({ status: 502, type: 'api_error' });
    expect(api.fake.requests.length - before).toBe(9);
  });

  test('throws for a failure within a stream', async () => {
    const words: string[] = [];
    const stream = client.messages.stream(paramsOf('compatible/error-after-2')).on('text', (text) => words.push(text));
    const error = await errorOf(stream.finalMessage());
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ type: 'api_error', errorCode: 'provider_error' });
    expect(words.join('')).toContain('w1');
  });

  test('counts tokens by an estimate', async () => {
    const count = async (content: string) =>
      (await client.messages.countTokens({ model: 'compatible/echo', messages: [{ role: 'user', content }] }))
        .input_tokens;
    expect(await count('x'.repeat(3_000))).toBeGreaterThan((await count('x')) + 900);
    expect(await errorOf(client.messages.countTokens({ model: 'unknown/x', messages: [USER] }))).toBeInstanceOf(
      NotFoundError,
    );
  });

  test('lists chat models in pages, and gets one by its id or name', async () => {
    const models = await Array.fromAsync(client.models.list({ limit: 1 }));
    const ids = models.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    expect(ids).toContain('compatible/words-3');
    expect(ids).not.toContain('embedded/canvas');
    const last = ids.at(-1) ?? '';
    const before = await client.models.list({ before_id: last, limit: 1 });
    expect([before.data[0]?.id, before.has_more]).toEqual([ids.at(-2), ids.length > 2]);
    for (const name of ['embedded/assistant', 'assistant'])
      expect(await client.models.retrieve(name)).toMatchObject({
        ...{ type: 'model', id: 'embedded/assistant', display_name: 'assistant' },
      });
    expect(await errorOf(client.models.retrieve('unknown/model'))).toBeInstanceOf(NotFoundError);
  });

  test('throws for a wrong key', async () => {
    const stranger = new Anthropic({ baseURL: `${api.url}/anthropic`, apiKey: 'chk_wrong', maxRetries: 0 });
    expect(await errorOf(stranger.messages.create(paramsOf('compatible/words-3')))).toBeInstanceOf(AuthenticationError);
  });
});

const result = { type: 'tool_result', tool_use_id: 'toolu_9', content: '' };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'a b' } };
const said = (block: object) => ({ messages: [{ role: 'user', content: [block] }] });

test.each([
  [{ max_tokens: undefined }, 'max_tokens'],
  [{ model: undefined }, 'model'],
  [{ messages: [] }, 'messages'],
  [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
  [said(result), 'messages.0.content.0'],
  [said(image), 'messages.0.content.0.source.data'],
  [said({ type: 'image', source: { type: 'url', url: 'ftp://x' } }), 'messages.0.content.0.source.url'],
  [said({ type: 'document', source: { type: 'url', url: 'https://x/a.pdf' } }), 'messages.0.content.0.source'],
  [
    said({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: '' },
      citations: { enabled: true },
    }),
    'messages.0.content.0.citations.enabled',
  ],
  [said({ type: 'server_tool_use' }), 'messages.0.content.0'],
  [said({ type: 'text' }), 'messages.0.content.0.text'],
  [
    {
      system: 'Be brief.',
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'y', input: {} }] }],
    },
    'messages.0.content.0',
  ],
  [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools.0'],
  [{ tool_choice: { type: 'any' } }, 'tool_choice'],
  [{ mcp_servers: [{}] }, 'mcp_servers'],
  [{ container: 'x' }, 'container'],
  [{ compaction: { type: 'summarize' } }, 'compaction'],
  [{ temperature: 3 }, 'temperature'],
  [{ thinking: { type: 'enabled', budget_tokens: 1 } }, 'thinking.budget_tokens'],
  [{ output_config: { effort: 'extreme' } }, 'output_config.effort'],
  [{ model: 'embedded/assistant', tools: [WEATHER] }, 'tools'],
  [{ model: 'embedded/assistant', top_k: 3 }, 'top_k'],
])('the request %j is an error that names the field', async (fields, name) => {
  const { status, body } = await ask('/messages', { ...paramsOf('compatible/words-3'), ...fields });
  expect([status, body.type, body.error.type]).toEqual([400, 'error', 'invalid_request_error']);
  expect(body.error.message.replaceAll('`', '')).toMatch(new RegExp(`^${name.replaceAll('.', '\\.')}\\b`));
  expect(body.request_id).toEqual(expect.any(String));
});

test.each([
  [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, 'thinking'],
  [{ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, 'output_config.effort'],
  [{ thinking: { type: 'adaptive' } }, null],
])('a model that cannot reason ignores %j', async (fields, ignored) => {
  for (const model of ['embedded/assistant', 'assistant']) {
    const { status, headers } = await ask('/messages', { ...paramsOf(model), ...fields });
    expect([status, headers.get('x-ignored-fields')]).toEqual([200, ignored]);
  }
});

test.each([
  ['/none', undefined, 404, 'not_found_error'],
  ['/messages', '{', 400, 'invalid_request_error'],
  ['/messages', undefined, 405, 'invalid_request_error'],
] as const)('%s with %j is an error', async (path, body, status, type) => {
  const answer = await ask(path, body as never);
  expect([answer.status, answer.body.error.type]).toEqual([status, type]);
});
