import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentTool } from '@chorus/agent-tools';
import { type ChorusClient, createClient } from '@chorus/client';
import { callTool, say } from '@chorus/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startCountingMcpServer } from '../../../../test/journeys/agents/counting-mcp-server.ts';
import { freshPerson } from '../../../api/src/test-people.ts';
import { startWorkersApi, type TestWorkersApi } from '../../../api/src/test-workers.ts';
import { type CommandLine, commandLine } from '../test-command-line.ts';

let api: TestWorkersApi;
let client: ChorusClient;
let folder: string;
let chorus: CommandLine['run'];
let agent: string;

const common = { origin: { type: 'mcp', id: 'mcp_x' }, binding: 'x', description: '', parameters: { type: 'object' } };
const tools: AgentTool[] = [
  { ...common, name: 'read', effect: 'read', run: async () => ({ text: `page ${'x'.repeat(200)}` }) },
  { ...common, name: 'mail', effect: 'write', run: async () => ({ text: 'sent' }) },
];

beforeAll(async () => {
  const script = ({ body }: { body: Record<string, unknown> }) => {
    const messages = body.messages as { role: string; content: string }[];
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    if (messages.length > asked + 1) return { pieces: say('All done.') };
    const names = String(messages[asked]?.content).split(' ');
    return { pieces: [...say('One moment.'), ...names.flatMap((name, at) => callTool(name, { to: 'you' }, at))] };
  };
  [api, folder] = await Promise.all([
    startWorkersApi({ models: ['words-3@cli'], script }, { OUTBOUND_ALLOW: '127.0.0.1/32' }, tools),
    mkdtemp(join(tmpdir(), 'chorus-agent-')),
  ]);
  const { fullKey } = await freshPerson(api);
  client = createClient({ baseUrl: api.url, apiKey: fullKey });
  ({ run: chorus } = commandLine(folder, { CHORUS_URL: api.url, CHORUS_API_KEY: fullKey, XDG_CONFIG_HOME: folder }));
  const server = await client.mcpServers.create({ name: 'Mail', url: 'https://mcp.example.org/mcp' });
  const body = {
    name: 'Clerk',
    model: 'compatible/words-3@cli',
    tools: [{ type: 'mcp' as const, server_id: server.id }],
  };
  agent = (await client.agents.create(body)).id;
});
afterAll(async () => {
  await api?.stop();
  await rm(folder, { recursive: true, force: true });
});

const time = '\\((\\d+ ms|\\d+\\.\\d s)\\)';

test('shows steps apart from the answer', async () => {
  const { code, out, errors } = await chorus(['chat', '--agent', agent, 'read']);
  expect([code, out]).toEqual([0, 'One moment.\n\nAll done.\n']);
  expect(errors).toMatch(new RegExp(`^→ read\\(\\{"to":"you"\\}\\)\\n✓ read ${time}: page x{94}…\\n$`));
});

test('asks at a terminal for approval, and for a reason to deny', async () => {
  const approved = await chorus(['chat', '--agent', agent, 'mail'], {
    typed: [
      ['Approve? [y/n]', 'perhaps'],
      ['Approve? [y/n]', 'y'],
    ],
  });
  expect([approved.code, approved.out]).toEqual([0, 'One moment.\n\nAll done.\n']);
  expect(approved.errors).toContain('The agent wants to run mail:\n{\n  "to": "you"\n}\n');
  expect(approved.errors).toMatch(new RegExp(`✓ mail ${time}: sent\\n$`));

  const mixed = await chorus(['chat', '--agent', agent, 'mail mail'], {
    typed: [
      ['Approve? [y/n]', 'n'],
      ['Reason for the model (optional)', 'Not today.'],
      ['Approve? [y/n]', 'yes'],
    ],
  });
  expect([mixed.code, mixed.errors]).toEqual([0, expect.stringContaining('✗ mail: denied, Not today.\n')]);
  expect(mixed.errors).toContain('✓ mail');
});

test('cancels on Ctrl-C at the question, and leaves the call waiting when the input is closed', async () => {
  const cancelled = await chorus(['chat', '--agent', agent, 'mail'], { typed: [['Approve? [y/n]', '\x03']] });
  expect([cancelled.code, cancelled.errors]).toEqual([130, expect.stringContaining('Cancelled: job_')]);
  const left = await chorus(['chat', '--agent', agent, 'mail'], { typed: [['Approve? [y/n]', '\x04']] });
  const [, id = ''] = /chorus jobs approve (job_\w+)/.exec(left.errors) ?? [];
  expect([left.code, (await client.jobs.get(id)).status]).toEqual([7, 'requires_action']);
  await client.jobs.cancel(id);
});

test('leaves calls waiting without a terminal, lists them, and decides', async () => {
  const left = await chorus(['chat', '--agent', agent, 'mail mail']);
  expect([left.code, left.out]).toEqual([7, '']);
  const [, id = ''] = /chorus jobs approve (job_\w+)/.exec(left.errors) ?? [];
  const listed = await chorus(['jobs', 'actions', '--json']);
  const calls = listed.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(calls).toMatchObject([
    { job_id: id, name: 'mail', arguments: '{"to":"you"}' },
    { job_id: id, name: 'mail' },
  ]);
  expect((await chorus(['jobs', 'actions', id])).out).toMatch(/^JOB +CALL +TOOL +ARGUMENTS +EXPIRES\njob_/);

  const [several, reason] = await Promise.all([
    chorus(['jobs', 'approve', id]),
    chorus(['jobs', 'approve', id, '--reason', 'x']),
  ]);
  expect([several.code, reason.code]).toEqual([2, 2]);
  const denied = await chorus(['jobs', 'deny', id, calls[0].tool_call_id, '--reason', 'No.']);
  expect(denied).toEqual({ code: 0, out: `${id}  denied, 1 more waiting\n`, errors: '' });
  expect((await chorus(['jobs', 'approve', id])).out).toBe(`${id}  approved\n`);
  const ended = await client.jobs.wait(id);
  expect(ended.output.flatMap((item) => (item.type === 'tool_call' ? [[item.status, item.result]] : []))).toEqual([
    ['denied', 'No.'],
    ['succeeded', 'sent'],
  ]);
  expect((await chorus(['jobs', 'approve', id])).errors).toContain('is not waiting for a decision');
  expect((await chorus(['jobs', 'watch', id])).errors).toContain('✗ mail: denied, No.');
});

test('manages agents, MCP servers, and APIs, with secrets from standard input', async () => {
  const mcp = await startCountingMcpServer();
  onTestFinished(() => mcp.close());
  const document = {
    ...{ openapi: '3.0.0', info: { title: 'Orders', version: '1' }, servers: [{ url: 'https://api.example.org' }] },
    paths: {
      '/orders': { get: { operationId: 'list', responses: {} }, post: { operationId: 'order', responses: {} } },
    },
  };
  await writeFile(join(folder, 'orders.json'), JSON.stringify(document));
  const server = await chorus(['mcp-servers', 'add', 'Shop', mcp.url, '--header', 'Authorization'], {
    input: 'Bearer secret-1\n',
  });
  const [, serverId = ''] = /^(mcp_\w+) {2}Shop\n$/.exec(server.out) ?? [];
  expect(await client.mcpServers.get(serverId)).toMatchObject({ header_names: ['authorization'], allowed_tools: null });
  expect((await chorus(['mcp-servers', 'list'])).out).toMatch(/Shop +http:\S+ +authorization +yes/);
  expect((await chorus(['mcp-servers', 'test', serverId])).out).toMatch(/read +read +yes[\s\S]*mail +write +yes/);

  const added = await chorus(['tool-apis', 'add', 'Orders', 'orders.json', '--auth', 'header:X-Key'], {
    input: 'secret-2\n',
  });
  const [, apiId = ''] = /^(api_\w+) {2}Orders, 2 operations\n$/.exec(added.out) ?? [];
  expect((await client.toolApis.get(apiId)).auth).toEqual({ type: 'header', name: 'X-Key' });
  expect((await chorus(['tool-apis', 'test', apiId])).out).toMatch(/list +read +GET \/orders[\s\S]*order +write +POST/);
  expect((await chorus(['tool-apis', 'add', 'Orders', 'orders.json', '--auth', 'header'])).code).toBe(2);

  await writeFile(
    join(folder, 'agent.json'),
    JSON.stringify({ name: 'Orders', tools: [{ type: 'http', api_id: apiId }] }),
  );
  await writeFile(join(folder, 'wrong.json'), '{"name": ');
  const created = await chorus(['agents', 'add', 'agent.json', '--json']);
  const { id } = JSON.parse(created.out);
  expect((await chorus(['agents', 'list'])).out).toMatch(new RegExp(`${id} +Orders +- +http +writes`));
  expect((await chorus(['agents', 'update', id, 'wrong.json'])).code).toBe(2);
  await writeFile(join(folder, 'patch.json'), '{"approval": "always"}');
  expect((await chorus(['agents', 'update', id, 'patch.json'])).out).toBe(`${id}  updated\n`);
  expect(JSON.parse((await chorus(['agents', 'get', id])).out)).toMatchObject({ name: 'Orders', approval: 'always' });
  for (const [name, one] of [
    ['agents', id],
    ['tool-apis', apiId],
    ['mcp-servers', serverId],
  ])
    expect((await chorus([name, 'delete', one])).out).toBe(`${one}  deleted\n`);
  for (const name of ['agents', 'tool-apis', 'mcp-servers']) expect((await chorus([name, 'dance', 'x'])).code).toBe(2);
  expect((await chorus(['agents', 'updat', id, 'patch.json'])).errors).toContain('Did you mean update?');
});
