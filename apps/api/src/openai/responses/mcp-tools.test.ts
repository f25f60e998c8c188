import type { AgentTool, ToolResult } from '@chorus/agent-tools';
import { callTool, type FakePiece, say } from '@chorus/testing';
import type OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshPerson } from '../../test-people.ts';
import { startWorkersApi, type TestWorkersApi } from '../../test-workers.ts';
import { openAi } from './test-responses.ts';

type Mcp = OpenAI.Responses.Tool.Mcp;
type Items = OpenAI.Responses.ResponseInput;

const MODEL = 'compatible/words-3@mcp';
const URL_OF_MAIL = 'https://mcp.example.org/mcp';

let api: TestWorkersApi;
let client: OpenAI;
let serverId: string;
let key: string;
const tools: AgentTool[] = [];
let ran: string[] = [];
let toRead: () => Promise<ToolResult>;

/** The fake model's answers, by the results that it has seen since the last question. */
let script: (results: string[], body: Record<string, unknown>) => FakePiece[];

beforeAll(async () => {
  const models = ['words-3@mcp'];
  api = await startWorkersApi(
    {
      models,
      script: ({ body }) => {
        const messages = (body.messages ?? []) as { role: string; content: string }[];
        const asked = messages.findLastIndex(({ role }) => role === 'user');
        const results = messages.slice(asked).flatMap(({ role, content }) => (role === 'tool' ? content : []));
        return { pieces: script(results, body) };
      },
    },
    {},
    tools,
  );
  const person = await freshPerson(api);
  key = person.fullKey;
  client = openAi(api, key);
  const answer = await fetch(`${api.url}/api/v1/mcp-servers`, {
    method: 'POST',
    body: JSON.stringify({ name: 'Mail', url: URL_OF_MAIL }),
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-scope-type': 'personal' },
  });
  serverId = ((await answer.json()) as { id: string }).id;
  const tool = (name: string, effect: AgentTool['effect'], run: () => Promise<ToolResult>): AgentTool => ({
    name: name === 'send' ? 'mail_send' : name,
    ownName: name,
    origin: { type: 'mcp', id: serverId },
    binding: name,
    description: `Can ${name}.`,
    parameters: { type: 'object', $schema: 'https://json-schema.org/draft/2020-12/schema' },
    effect,
    run: async () => {
      ran.push(name);
      return run();
    },
  });
  tools.push(
    tool('read', 'read', () => toRead()),
    tool('send', 'write', async () => ({ text: 'sent' })),
  );
});
afterAll(() => api?.stop());
beforeEach(() => {
  ran = [];
  toRead = async () => ({ text: 'page' });
});

const mail = (fields: Partial<Mcp> = {}): Mcp => ({
  type: 'mcp',
  server_label: 'mail',
  server_url: URL_OF_MAIL,
  require_approval: 'never',
  ...fields,
});

const create = (
  input: string | Items,
  fields: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {},
): Promise<OpenAI.Responses.Response> =>
  client.responses.create({ model: MODEL, input, tools: [mail()], ...fields } as never);

const idOf = (answer: OpenAI.Responses.Response, type: string) =>
  answer.output.find((item) => item.type === type)?.id as string;

const typesOf = ({ output }: OpenAI.Responses.Response) => output.map(({ type }) => type);

test('lists the tools, runs calls, and lists them once in a conversation', async () => {
  script = (results) => (results.length === 0 ? callTool('read', { page: 1 }) : say(`It says ${results.length}.`));
  const first = await create('Read it.', { tools: [mail({ allowed_tools: ['read'] })] });
  expect(first).toMatchObject({
    status: 'completed',
    output: [
      {
        type: 'mcp_list_tools',
        id: expect.stringMatching(/^mcpl_/),
        server_label: 'mail',
        tools: [{ name: 'read', description: 'Can read.', input_schema: { type: 'object' } }],
        error: null,
      },
      {
        type: 'mcp_call',
        id: expect.stringMatching(/^mcp_/),
        status: 'completed',
        server_label: 'mail',
        name: 'read',
        arguments: '{"page":1}',
        output: 'page',
        error: null,
        approval_request_id: null,
      },
      { type: 'message' },
    ],
    tools: [{ type: 'mcp', server_label: 'mail', server_url: URL_OF_MAIL, require_approval: 'never' }],
  });
  expect(first.output_text).toBe('It says 1.');
  const names = ((api.fake.requests.at(-1)?.body.tools ?? []) as { function: { name: string } }[]).map(
    (one) => one.function.name,
  );
  expect(names).toEqual(['read']);

  const next = await create('Again.', { previous_response_id: first.id });
  expect(typesOf(next)).toEqual(['mcp_call', 'message']);
  const sent = api.fake.requests.at(-1)?.body.messages as { role: string; tool_calls?: { id: string }[] }[];
  expect(sent.map(({ role }) => role).slice(1)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'assistant',
    'tool',
  ]);
  const items = await client.responses.inputItems.list(next.id, { order: 'asc' });
  expect(items.data.map(({ type }) => type)).toEqual(['message', 'mcp_list_tools', 'mcp_call', 'message', 'message']);
  // Clients without state send the items back.
  const inline = await create([
    { role: 'user', content: 'Read it.' },
    ...first.output,
    { role: 'user', content: 'Go.' },
  ] as Items);
  expect(typesOf(inline)).toEqual(['mcp_call', 'message']);
});

test('a failed call is an error that the model sees', async () => {
  toRead = async () => ({ text: 'no such page', isError: true });
  script = (results) =>
    results.length === 0 ? callTool('read', {}) : say(results[0]?.includes('no such page') ? 'Seen.' : '?');
  const answer = await create('Read it.');
  expect(answer.output[1]).toMatchObject({
    type: 'mcp_call',
    status: 'failed',
    output: null,
    error: { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'no such page' }] },
  });
  expect(answer.output_text).toBe('Seen.');
});

describe('a call that needs approval', () => {
  beforeEach(() => {
    script = (results) =>
      results.length < 2
        ? [...say('Mailing.'), ...callTool('read', {}, 0), ...callTool('mail_send', { to: 'you' }, 1)]
        : say(`Done: ${results[1]?.match(/sent|denied.*Sundays/)?.[0]}`);
  });
  const asks = { require_approval: { never: { read_only: true } } };

  test('ends the response, and runs once the caller has approved it', async () => {
    const first = await create('Mail it.', { tools: [mail(asks)] });
    expect(first.status).toBe('completed');
    expect(typesOf(first)).toEqual(['mcp_list_tools', 'message', 'mcp_call', 'mcp_approval_request']);
    expect(first.output.at(-1)).toMatchObject({ server_label: 'mail', name: 'send', arguments: '{"to":"you"}' });
    expect(ran).toEqual(['read']);
    const approval_request_id = idOf(first, 'mcp_approval_request');
    const decided: Items = [{ type: 'mcp_approval_response', approval_request_id, approve: true }];
    const next = await create(decided, { previous_response_id: first.id, tools: [mail(asks)] });
    expect(typesOf(next)).toEqual(['mcp_call', 'message']);
    expect(next.output[0]).toMatchObject({ name: 'send', status: 'completed', output: 'sent', approval_request_id });
    expect(next.output_text).toBe('Done: sent');
    expect(ran).toEqual(['read', 'send']);
    const sent = api.fake.requests.at(-1)?.body.messages as { role: string; tool_calls?: object[] }[];
    expect(sent.slice(1).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    expect(sent[2]?.tool_calls).toHaveLength(2);

    const audited = await fetch(`${api.url}/api/v1/audit?action=tool_call.approved`, {
      headers: { 'x-api-key': key, 'x-scope-type': 'personal' },
    });
    expect(((await audited.json()) as { data: unknown[] }).data).toMatchObject([
      {
        target: { type: 'job', id: first.id.replace('resp_', 'job_') },
        details: { tool_call_id: approval_request_id },
      },
    ]);

    const repeated = await create(decided, { previous_response_id: first.id, tools: [mail(asks)] });
    expect(repeated.output[0]).toMatchObject({ type: 'mcp_call', status: 'failed', approval_request_id });
    expect(ran).toEqual(['read', 'send']);

    script = () => say('Bye.');
    const last = await create('Thanks.', { previous_response_id: next.id, tools: [mail(asks)] });
    expect(last.output_text).toBe('Bye.');
    expect(ran).toEqual(['read', 'send']);
  });

  test('does not run if the caller denies it, and the model sees the reason', async () => {
    const first = await create('Mail it.', { tools: [mail(asks)], store: false });
    const approval_request_id = idOf(first, 'mcp_approval_request');
    const input = [
      { role: 'user', content: 'Mail it.' },
      ...first.output,
      { type: 'mcp_approval_response', approval_request_id, approve: false, reason: 'Not on Sundays' },
    ] as Items;
    const next = await create(input, { tools: [mail(asks)], store: false });
    expect(next.output_text).toBe('Done: denied it. Reason: Not on Sundays');
    expect(ran).toEqual(['read']);
  });

  test('must be answered, with its server among the tools', async () => {
    const { id: previous_response_id, ...first } = await create('Mail it.', { tools: [mail(asks)] });
    const approval_request_id = first.output.at(-1)?.id as string;
    const approve: Items = [{ type: 'mcp_approval_response', approval_request_id, approve: true }];
    const refused = async (input: string | Items, of: Mcp[], param: string) =>
      expect(create(input, { previous_response_id, tools: of })).rejects.toMatchObject({ status: 400, param });
    await refused('And?', [mail()], 'input');
    await refused(approve, [], 'tools');
    await refused([...approve, ...approve], [mail()], 'input[1].approval_request_id');
    const unknown: Items = [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_x', approve: true }];
    await refused(unknown, [mail()], 'input[0].approval_request_id');
    expect(ran).toEqual(['read']);
  });
});

test('streams the events of lists and calls', async () => {
  script = (results) => (results.length === 0 ? callTool('read', { page: 1 }) : say('Read.'));
  const stream = await client.responses.create({ model: MODEL, input: 'Read it.', tools: [mail()], stream: true });
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  const types = events.map(({ type }) => type.replace('response.', ''));
  expect(types.slice(2, types.indexOf('output_text.delta') - 2)).toEqual([
    'output_item.added',
    'mcp_list_tools.in_progress',
    'mcp_list_tools.completed',
    'output_item.done',
    'output_item.added',
    'mcp_call.in_progress',
    'mcp_call_arguments.delta',
    'mcp_call_arguments.done',
    'mcp_call.completed',
    'output_item.done',
  ]);
  const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
  const last = events.at(-1);
  expect(last?.type === 'response.completed' && last.response.output).toEqual(done);
  const { id } = (last as OpenAI.Responses.ResponseCompletedEvent).response;
  const again: unknown[] = [];
  for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 4 })) again.push(event);
  expect(again).toEqual(events.slice(5));
});

test('functions of the caller and tools of servers work together', async () => {
  const own = { type: 'function' as const, name: 'read', parameters: { type: 'object' }, strict: false };
  script = (results) =>
    results.length === 0
      ? [...callTool('mail_read', {}, 0), ...callTool('read', {}, 1)]
      : say(`${results.length} results`);
  const both = [own, mail({ server_url: serverId })];
  const first = await create('Go.', { tools: both });
  expect(typesOf(first)).toEqual(['mcp_list_tools', 'mcp_call', 'function_call']);
  const call = first.output[2] as OpenAI.Responses.ResponseFunctionToolCall;
  const input: Items = [{ type: 'function_call_output', call_id: call.call_id, output: 'mine' }];
  const next = await create(input, { previous_response_id: first.id, tools: both });
  expect(next.output_text).toBe('2 results');
});

test('choices and limits', async () => {
  const choices: unknown[] = [];
  script = (results, { tool_choice }) => {
    choices.push(tool_choice);
    return results.length < 3 && tool_choice !== 'none' ? callTool('read', {}) : say('Enough.');
  };
  const limited = await create('Go.', {
    max_tool_calls: 2,
    tool_choice: { type: 'mcp', server_label: 'mail', name: 'read' },
  });
  expect(typesOf(limited)).toEqual(['mcp_list_tools', 'mcp_call', 'mcp_call', 'message']);
  expect(choices).toEqual([{ type: 'function', function: { name: 'read' } }, undefined, 'none']);
  const one = { type: 'mcp', server_label: 'mail', name: 'send' };
  await create('Go.', { max_tool_calls: 1, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [one] } });
  const list = api.fake.requests.at(-1)?.body.tools as { function: { name: string } }[];
  expect(list.map((tool) => tool.function.name)).toEqual(['mail_send']);
});

test.each([
  [
    'an unknown server',
    { server_url: 'https://other.example.org/mcp' },
    'tools[0].server_url',
    /register it with POST/,
  ],
  ['headers', { headers: { Authorization: 'Bearer x' } }, 'tools[0].headers', /registered server has its own/],
  ['a token', { authorization: 'x' }, 'tools[0].authorization', /registered server has its own/],
  ['a connector', { connector_id: 'connector_gmail' }, 'tools[0].connector_id', /server_url/],
  ['no server', { server_url: undefined }, 'tools[0].server_url', /is required/],
])('refuses %s', async (_, fields, param, message) => {
  await expect(create('Hi', { tools: [mail(fields as Partial<Mcp>)] })).rejects.toMatchObject({
    ...{ status: 400, param },
    message: expect.stringMatching(message),
  });
});

test('refuses the same server twice, and other tools', async () => {
  const twice = [mail(), mail({ server_label: 'other', server_url: serverId })];
  await expect(create('Hi', { tools: twice })).rejects.toMatchObject({ status: 400, param: 'tools[1].server_url' });
  const search = [{ type: 'web_search' as const }];
  await expect(create('Hi', { tools: search })).rejects.toMatchObject({
    ...{ status: 400, param: 'tools[0].type' },
    message: expect.stringContaining('`mcp`'),
  });
});
