import { newId, type Owner } from '@chorus/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishModels } from '../test-chat.ts';
import { boundKey, freshPerson, freshWorkspace, recordMakers } from '../test-people.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { connectClient, firstUserKey, keyOf, send } from './test-mcp.ts';

let api: TestServer;
let key: string;
beforeAll(async () => {
  api = await startTestServer();
  key = await firstUserKey(api);
});
afterAll(() => api.stop());

test('introduces itself and its tools, with schemas and hints', async () => {
  const { client } = await connectClient(api.url, key);
  expect(client.getServerVersion()).toMatchObject({ name: 'chorus', title: 'Chorus' });
  expect(client.getInstructions()).toContain('get_job');
  await client.ping();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'search_knowledge',
    'ask_knowledge',
    'generate_image',
    'read_document',
    'get_job',
  ]);
  for (const tool of tools) {
    expect(tool.title, tool.name).toBeTruthy();
    expect(tool.inputSchema, tool.name).toMatchObject({ type: 'object', additionalProperties: false });
    expect(tool.outputSchema, tool.name).toMatchObject({ type: 'object', properties: { job_id: {} } });
    expect(tool.annotations?.readOnlyHint, tool.name).toBe(tool.name !== 'generate_image');
  }
  await client.close();
});

test('asks documents, and lists the execution like any other', async () => {
  const { call, client } = await connectClient(api.url, key);
  const answer = await call('ask_knowledge', { question: 'count 5' });
  expect(answer.isError).toBeUndefined();
  expect(answer.text).toBe('1 2 3 4 5 ');
  expect(answer.fields).toMatchObject({ status: 'succeeded', answer: '1 2 3 4 5 ', citations: [] });
  const { body } = await api.call('GET', `/jobs/${answer.fields.job_id}`);
  expect(body).toMatchObject({ kind: 'knowledge.ask', status: 'succeeded' });
  const { body: metrics } = await api.call('GET', '/metrics');
  expect(metrics).toMatch(/^chorus_mcp_tool_calls_total\{tool="ask_knowledge",outcome="ok"\} 1$/m);
  const job = await call('get_job', { job_id: answer.fields.job_id });
  expect(job.fields).toMatchObject({ status: 'succeeded', result: { answer: '1 2 3 4 5 ' } });
  expect(job.text).toBe('1 2 3 4 5 ');
  await client.close();
});

test('reports a failed execution as an error of the tool', async () => {
  const { call, client } = await connectClient(api.url, key);
  const answer = await call('ask_knowledge', { question: 'fail' });
  expect(answer).toMatchObject({ isError: true, _meta: { error: { code: 'content_refused' } } });
  const [, id] = /The job is (job_\w+)\./.exec(answer.text) ?? [];
  const job = await call('get_job', { job_id: id });
  expect(job.isError).toBeUndefined();
  expect(job.fields).toMatchObject({ status: 'failed', error: { code: 'content_refused' }, result: null });
  await client.close();
});

test('refuses bad arguments with every field, and unknown tools', async () => {
  const { call, client } = await connectClient(api.url, key);
  const bad = await call('search_knowledge', { query: '', top_k: 99, limit: 3 });
  expect(bad).toMatchObject({ isError: true, _meta: { error: { code: 'invalid_request' } } });
  expect(bad.text).toContain('arguments.query: ');
  expect(bad.text).toContain('arguments.top_k: ');
  expect(bad.text).toContain('arguments.limit: is not a known field; allowed: query, top_k, tags, entry_ids');
  const unknownModel = await call('ask_knowledge', { question: 'x', model: 'none/such' });
  expect(unknownModel.text).toContain('arguments.model');
  await expect(call('drop_tables')).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining('get_job'),
  });
  await client.close();
});

test('answers as an execution that continues when the time is up, and get_job waits for it', async () => {
  const { call, client } = await connectClient(api.url, key, { headers: { prefer: 'wait=1' } });
  const answer = await call('ask_knowledge', { question: 'hold 3' });
  expect(answer.isError).toBeUndefined();
  expect(answer.fields).toMatchObject({ status: 'running', answer: null, citations: [] });
  expect(answer.text).toContain(`Call get_job`);
  const { job_id } = answer.fields;
  expect((await call('get_job', { job_id })).fields).toMatchObject({ status: 'running', result: null });
  const waiting = call('get_job', { job_id, wait_s: 30 });
  api.release();
  expect((await waiting).fields).toMatchObject({ status: 'succeeded', result: { answer: '1 2 3 ' } });
  await client.close();
});

test('joins the execution of an earlier call with the same key', async () => {
  const { client } = await connectClient(api.url, key);
  const call = (question: string) =>
    client.callTool({ name: 'ask_knowledge', arguments: { question }, _meta: { idempotencyKey: 'once' } });
  const [one, other] = await Promise.all([call('count 4'), call('count 4')]);
  expect(other).toEqual(one);
  const different = await call('count 5');
  expect(different).toMatchObject({ isError: true, _meta: { error: { code: 'idempotency_mismatch' } } });
  await client.close();
});

test('requires a valid key', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  for (const authorization of [null, 'Bearer chk_wrong', 'Basic abc']) {
    const answer = await send(api, ping, { authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { data: { code: 'unauthorized' } } });
  }
  await expect(connectClient(api.url, 'chk_wrong')).rejects.toMatchObject({ code: 401 });
  expect((await send(api, ping, { authorization: null, 'x-api-key': key })).body).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {},
  });
  expect((await send(api, ping)).status).toBe(200); // an access token
});

test('a key without `run` may only read', async () => {
  const { call, client } = await connectClient(api.url, await firstUserKey(api, ['read']));
  for (const [name, args] of [
    ['search_knowledge', { query: 'x' }],
    ['ask_knowledge', { question: 'x' }],
    ['generate_image', { prompt: 'x' }],
  ] as const) {
    const answer = await call(name, args);
    expect(answer, name).toMatchObject({ isError: true, _meta: { error: { code: 'forbidden' } } });
    expect(answer.text).toContain('lacks the run permission');
  }
  expect((await call('get_job', { job_id: newId('job') })).text).toBe('There is no such job.');
  await client.close();
  await expect(connectClient(api.url, await firstUserKey(api, ['write']))).rejects.toMatchObject({ code: 403 });
});

test('the key decides the scope, and nothing of another scope is found', async () => {
  const [editor, viewer, founder] = await Promise.all([freshPerson(api), freshPerson(api), freshPerson(api)]);
  const team = await freshWorkspace(api, founder, [
    [editor, 'editor'],
    [viewer, 'viewer'],
  ]);
  const bound = await connectClient(api.url, await boundKey(api, editor, team));
  const { fields } = await bound.call('ask_knowledge', { question: 'count 2' });
  const headers = { authorization: `Bearer ${founder.token}`, 'x-scope-type': 'workspace', 'x-workspace-id': team };
  expect((await api.call('GET', `/jobs/${fields.job_id}`, { headers })).status).toBe(200);

  const personal = await connectClient(api.url, editor.fullKey);
  expect((await personal.call('get_job', { job_id: fields.job_id })).text).toBe('There is no such job.');
  const reading = await connectClient(api.url, await keyOf(api, viewer.id, ['read', 'run'], team));
  expect((await reading.call('get_job', { job_id: fields.job_id })).fields.status).toBe('succeeded');
  const refused = await reading.call('ask_knowledge', { question: 'count 2' });
  expect(refused).toMatchObject({ isError: true, _meta: { error: { code: 'role_forbidden' } } });

  const agrees = { 'x-scope-type': 'workspace', 'x-workspace-id': team };
  const disagrees = connectClient(api.url, editor.fullKey, { headers: agrees });
  await expect(disagrees).rejects.toMatchObject({ code: 422 });
  const agreeing = await connectClient(api.url, await boundKey(api, editor, team), { headers: agrees });
  for (const { client } of [bound, personal, reading, agreeing]) await client.close();
});

test('distinguishes a full queue and a used-up rate limit from other errors', async () => {
  const limited = await startTestServer({ QUEUE_MAX_DEPTH: '1', RATE_LIMIT_EXECUTIONS: '2' });
  try {
    await publishModels(limited, 'media', { 'test/canvas': ['image'] }); // takes no jobs
    const { call, client } = await connectClient(limited.url, await firstUserKey(limited), {
      headers: { prefer: 'respond-async' },
    });
    const image = () => call('generate_image', { prompt: 'x' });
    const queued = await image();
    expect(queued.fields).toMatchObject({ status: 'queued', images: [] });
    expect(queued.text).toContain(`Call get_job with this job_id`);
    const full = await image();
    expect(full).toMatchObject({ isError: true, _meta: { error: { code: 'overloaded', status: 503 } } });
    const spent = await image();
    expect(spent).toMatchObject({ isError: true, _meta: { error: { code: 'rate_limited' } } });
    expect(spent.text).toMatch(/Try again in \d+ s\.$/);
    await client.close();
  } finally {
    await limited.stop();
  }
});

test('reads documents of the knowledge in parts', async () => {
  const { call, client } = await connectClient(api.url, await firstUserKey(api, ['read']));
  const owner = await ownerOf(api);
  const id = await recordMakers(api).entry(owner);
  const early = await call('read_document', { entry_id: id });
  expect(early.text).toBe('The document is still being read; try again later.');
  const file = await call('read_document', { asset_id: newId('asset') });
  expect(file).toMatchObject({ isError: true, _meta: { error: { code: 'forbidden' } } });
  const both = await call('read_document', { entry_id: id, url: 'https://example.org' });
  expect(both.text).toBe('arguments.entry_id: send exactly one of `entry_id`, `asset_id`, and `url`');
  expect((await call('read_document', { entry_id: newId('knowledge') })).text).toBe(
    'There is no such knowledge entry.',
  );
  await client.close();
});

test('refuses URLs that are not public, and files of another scope', async () => {
  const { call, client } = await connectClient(api.url, key);
  const local = await call('read_document', { url: 'http://127.0.0.1/secret' });
  expect(local).toMatchObject({ isError: true, _meta: { error: { code: 'url_not_allowed' } } });
  expect(local.text).toBe('arguments.url: The URL must name a host with a public address.');
  const stranger = await freshPerson(api);
  const asset_id = await recordMakers(api).asset({ scope: 'personal', user_id: stranger.id, workspace_id: null });
  expect((await call('read_document', { asset_id })).text).toBe('arguments.asset_id: is not an asset of this scope');
  await client.close();
});

async function ownerOf({ services, login }: TestServer): Promise<Owner> {
  const user = await services.database.users.findByEmail(login.email);
  return { scope: 'personal', user_id: user?.id ?? '', workspace_id: null };
}
