import type { AgentTool } from '@chorus/agent-tools';
import { callTool, say } from '@chorus/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runFileBatches } from '../test-file-batches.ts';
import { freshPerson } from '../test-people.ts';
import { startWorkersApi, type TestWorkersApi } from '../test-workers.ts';

const MODEL = 'compatible/words-3@acting';

let api: TestWorkersApi;
let serverId: string;
let mails: unknown[] = [];

const parameters = { type: 'object' };
const origin = { type: 'mcp', id: 'mcp_x' };
const tools: AgentTool[] = [
  {
    ...{ name: 'read', origin, description: '', parameters, effect: 'read', binding: 'read' },
    run: async () => ({ text: 'page' }),
  },
  {
    ...{ name: 'mail', origin, description: '', parameters, effect: 'write', binding: 'mail' },
    run: async (args) => {
      mails.push(args);
      return { text: 'sent' };
    },
  },
];

beforeAll(async () => {
  const script = ({ body }: { body: Record<string, unknown> }) => {
    const messages = body.messages as { role: string; content: string }[];
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    if (messages.length > asked + 1) return { pieces: say('All done.') };
    const name = String(messages[asked]?.content).includes('mail') ? 'mail' : 'read';
    return { pieces: [...say('One moment.'), ...callTool(name, { to: 'you' })] };
  };
  api = await startWorkersApi({ models: ['words-3@acting'], script }, {}, tools);
  serverId = (await api.call('POST', '/mcp-servers', { body: { name: 'Mail', url: 'https://mcp.example.org/mcp' } }))
    .body.id;
});
afterAll(() => api.stop());
beforeEach(() => {
  mails = [];
});

async function agent(fields: object = {}): Promise<string> {
  const body = { name: 'Acting', model: MODEL, tools: [{ type: 'mcp', server_id: serverId }], ...fields };
  return (await api.call('POST', '/agents', { body })).body.id;
}

const chat = (id: string, body: object, headers: Record<string, string> = {}) =>
  api.call('POST', '/chat/completions', { body, headers: { 'x-agent-id': id, ...headers } });

const decide = (job: string, body: object) => api.call('POST', `/jobs/${job}/actions`, { body });

const settled = async (job: string) => {
  await api.call('GET', `/jobs/${job}/events`); // responds when the job ends
  return (await api.call('GET', `/jobs/${job}`)).body;
};

interface Frame {
  type: string;
  choices: { delta: Record<string, unknown>; finish_reason: string | null }[];
  execution: { id: string; status: string };
  execution_id: string;
  required_action: { tool_calls: { tool_call_id: string }[] };
}

/** Reads the frames of a stream; `seen` may act on each. */
async function readFrames(path: string, body: object, headers: object, seen?: (frame: Frame) => Promise<unknown>) {
  const answer = await fetch(`${api.url}${path}`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true }),
    headers: { authorization: `Bearer ${api.accessToken}`, 'content-type': 'application/json', ...headers },
  });
  expect(answer.status).toBe(200);
  const frames: Frame[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of answer.body as ReadableStream<Uint8Array>) {
    rest += decoder.decode(bytes, { stream: true });
    const parts = rest.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data === undefined || data === '[DONE]') continue;
      const frame = JSON.parse(data) as Frame;
      frames.push(frame);
      await seen?.(frame);
    }
  }
  return frames;
}

test('runs tools, and shows their calls in the execution and its message', async () => {
  const { body } = await chat(await agent(), { message: 'Go.' });
  expect(body).toMatchObject({
    status: 'succeeded',
    required_action: null,
    choices: [{ message: { content: 'One moment.\n\nAll done.' }, finish_reason: 'stop' }],
    output: [{ type: 'text' }, { type: 'tool_call', name: 'read', status: 'succeeded', result: 'page' }, {}],
  });
  expect(body.choices[0].message).not.toHaveProperty('tool_calls');
  const message = (await api.call('GET', `/messages/${body.message_id}`)).body;
  expect(message).toMatchObject({
    tool_calls: [],
    steps: [{ content: 'One moment.', tool_calls: [{ name: 'read', result: 'page' }] }],
  });
});

describe('a call that needs approval', () => {
  test('is answered before its end, listed, and decided once', async () => {
    const id = await agent();
    const { body } = await chat(id, { message: 'Send a mail.' });
    const [call] = body.required_action.tool_calls;
    expect(body).toMatchObject({
      status: 'requires_action',
      finished_at: null,
      choices: [],
      required_action: { type: 'approve_tool_calls', tool_calls: [{ name: 'mail', arguments: '{"to":"you"}' }] },
    });
    const listed = await api.call('GET', '/jobs?status=requires_action');
    expect(listed.body.data.map((job: { id: string }) => job.id)).toContain(body.id);
    const locked = await chat(id, { message: 'Hello?', session_id: body.session_id });
    expect([locked.status, locked.body.error.active_execution_id]).toEqual([409, body.id]);
    expect((await api.call('DELETE', `/jobs/${body.id}`)).body.error.code).toBe('job_running');
    expect((await api.call('POST', `/jobs/${body.id}/retry`)).body.error.code).toBe('job_not_retryable');

    const wrong = await decide(body.id, { tool_call_id: 'call_x', decision: 'approve' });
    expect(wrong.status).toBe(404);
    const invalid = await decide(body.id, { tool_call_id: call.tool_call_id, decision: 'maybe' });
    expect([invalid.status, invalid.body.error.details[0].path]).toEqual([400, 'body.decision']);
    const approved = await decide(body.id, { tool_call_id: call.tool_call_id, decision: 'approve' });
    expect([approved.status, approved.body.required_action]).toEqual([200, null]);
    const again = await decide(body.id, { tool_call_id: call.tool_call_id, decision: 'approve' });
    expect(again.status).toBe(200);
    const other = await decide(body.id, { tool_call_id: call.tool_call_id, decision: 'deny' });
    expect([other.status, other.body.error.code]).toEqual([409, 'already_decided']);
    expect(await settled(body.id)).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(mails).toEqual([{ to: 'you' }]);
    const audited = (await api.call('GET', '/audit?action=tool_call.approved')).body.data;
    expect(audited).toMatchObject([{ target: { type: 'job', id: body.id }, details: { tool: 'mail' } }]);
  });

  test('keeps the stream open until the end', async () => {
    const frames = await readFrames(
      '/api/v1/chat/completions',
      { messages: [{ role: 'user', content: 'Send a mail.' }] },
      { 'x-agent-id': await agent(), 'x-scope-type': 'personal' },
      async ({ type, execution_id, required_action }) => {
        if (type !== 'execution.requires_action') return;
        const [call] = required_action.tool_calls;
        const denied = { tool_call_id: call?.tool_call_id, decision: 'deny', reason: 'No.' };
        expect((await decide(execution_id, denied)).status).toBe(200);
      },
    );
    expect(frames.filter(({ choices }) => choices.length !== 1)).toEqual([]);
    expect(frames.some(({ choices }) => 'tool_calls' in (choices[0]?.delta ?? {}))).toBe(false);
    expect(frames.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['execution.requires_action', 'tool_call.finished', 'execution.succeeded']),
    );
    const last = frames.at(-1);
    expect([last?.type, last?.choices[0]?.finish_reason]).toEqual(['execution.succeeded', 'stop']);
    expect(mails).toEqual([]);
    const audited = (await api.call('GET', '/audit?action=tool_call.denied')).body.data;
    expect(audited).toMatchObject([{ target: { type: 'job', id: last?.execution_id }, details: { tool: 'mail' } }]);
  });
});

test('looks like a plain answer to OpenAI’s clients', async () => {
  const key = (await freshPerson(api)).fullKey;
  const asked = await fetch(`${api.url}/api/v1/agents`, {
    method: 'POST',
    body: JSON.stringify({ name: 'Acting', model: MODEL, tools: [{ type: 'web_fetch' }] }),
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-scope-type': 'personal' },
  });
  const { id } = (await asked.json()) as { id: string };
  const client = new OpenAI({
    ...{ baseURL: `${api.url}/openai/v1`, apiKey: key, maxRetries: 0 },
    defaultHeaders: { 'X-Agent-ID': id },
  });
  const messages = [{ role: 'user' as const, content: 'Go.' }];
  const whole = await client.chat.completions.create({ model: MODEL, messages });
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'One moment.\n\nAll done.' },
  });
  expect(whole.choices[0]?.message.tool_calls).toBeUndefined();
  const streamed = await client.chat.completions.stream({ model: MODEL, messages }).finalChatCompletion();
  expect(streamed.choices[0]?.message.content).toBe('One moment.\n\nAll done.');
  expect(streamed.choices[0]?.message.tool_calls).toBeUndefined();
});

test('waits for an approval in requests of OpenAI’s client', async () => {
  const client = new OpenAI({
    ...{ baseURL: `${api.url}/openai/v1`, apiKey: api.accessToken, maxRetries: 0 },
    defaultHeaders: { 'X-Agent-ID': await agent({ approval: 'always' }) },
  });
  const messages = [{ role: 'user' as const, content: 'Send a mail.' }];
  const whole = client.chat.completions.create({ model: MODEL, messages });
  const streamed = client.chat.completions.stream({ model: MODEL, messages }).finalChatCompletion();
  const waiting = async () => (await api.call('GET', '/jobs?status=requires_action')).body.data;
  await expect.poll(async () => (await waiting()).length).toBe(2);
  for (const { id, required_action } of await waiting()) {
    const { tool_call_id } = required_action.tool_calls[0];
    expect((await decide(id, { tool_call_id, decision: 'approve' })).status).toBe(200);
  }
  for (const { choices } of await Promise.all([whole, streamed]))
    expect(choices[0]?.message.content).toBe('One moment.\n\nAll done.');
  expect(mails).toHaveLength(2);
});

describe('a batch', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await runFileBatches(api);
  });
  afterAll(() => stop());

  const ask = (content: string) => ({ messages: [{ role: 'user', content }] });
  const approveAll = async (batchId: string, count: number) => {
    const waiting = async () =>
      (await api.call('GET', `/jobs?status=requires_action&batch_id=${batchId}`)).body.data as {
        id: string;
        required_action: { tool_calls: { tool_call_id: string }[] };
      }[];
    await expect.poll(async () => (await waiting()).length, { timeout: 5_000 }).toBe(count);
    for (const { id, required_action } of await waiting())
      for (const { tool_call_id } of required_action.tool_calls)
        expect((await decide(id, { tool_call_id, decision: 'approve' })).status).toBe(200);
  };

  test('of ours runs tools, and shows rows that wait for approval', async () => {
    const items = [ask('Go.'), ask('Send a mail.'), ask('Go again.')].map((body) => ({ body }));
    const headers = { 'x-agent-id': await agent() };
    const { body } = await api.call('POST', '/batches', { body: { kind: 'chat.completion', items }, headers });
    const counts = async () => (await api.call('GET', `/batches/${body.id}`)).body.counts;
    await expect.poll(counts, { timeout: 5_000 }).toMatchObject({ succeeded: 2, requires_action: 1 });
    const listed = await api.call('GET', `/batches/${body.id}/items?status=requires_action`);
    expect(listed.body.data).toMatchObject([{ index: 1, status: 'requires_action' }]);
    expect(mails).toEqual([]);
    await approveAll(body.id, 1);
    await expect.poll(counts, { timeout: 5_000 }).toMatchObject({ succeeded: 3, requires_action: 0 });
    expect(mails).toEqual([{ to: 'you' }]);
  });

  test('of OpenAI runs tools', async () => {
    const id = await agent();
    const client = new OpenAI({
      ...{ baseURL: `${api.url}/openai/v1`, apiKey: api.accessToken, maxRetries: 0 },
      defaultHeaders: { 'X-Agent-ID': id },
    });
    const lines = ['Go.', 'Send a mail.'].map((content) =>
      JSON.stringify({
        ...{ custom_id: content, method: 'POST', url: '/v1/chat/completions' },
        body: { model: MODEL, ...ask(content) },
      }),
    );
    const file = await client.files.create({ file: new File([lines.join('\n')], 'in.jsonl'), purpose: 'batch' });
    const batch = await client.batches.create({
      ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
    });
    await approveAll(batch.id.replace('batch_', 'bat_'), 1);
    await expect
      .poll(async () => (await client.batches.retrieve(batch.id)).status, { timeout: 5_000 })
      .toBe('completed');
    const { output_file_id, request_counts } = await client.batches.retrieve(batch.id);
    expect(request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
    const output = await (await client.files.content(output_file_id as string)).text();
    for (const line of output.trim().split('\n'))
      expect(JSON.parse(line).response.body.choices[0].message.content).toBe('One moment.\n\nAll done.');
    expect(mails).toHaveLength(1);
  });
});

test('refuses tools in a request to an agent with tools, and a model that cannot call tools', async () => {
  const own = [{ type: 'function', function: { name: 'own' } }];
  const both = await chat(await agent(), { message: 'Go.', tools: own });
  expect([both.status, both.body.error.details[0].path]).toEqual([400, 'body.tools']);
  const named = await chat(await agent(), { message: 'Go.', model: 'embedded/assistant' });
  expect(named.body.error.details).toEqual([
    { path: 'body.model', message: 'cannot be used: embedded/assistant cannot call tools' },
  ]);
  const unable = await chat(await agent({ model: 'embedded/assistant' }), { message: 'Go.' });
  expect([unable.status, unable.body.error.details[0].path]).toEqual([400, 'agent.tools']);
  const quiet = await chat(await agent(), { message: 'Go.', tool_choice: 'none' });
  expect(quiet.status).toBe(200);
  expect(api.fake.requests.at(-1)?.body).not.toHaveProperty('tools');
  const without = await chat(await agent({ model: 'embedded/assistant', tools: [] }), { message: 'Hi.' });
  expect(without.status).toBe(200);
});
