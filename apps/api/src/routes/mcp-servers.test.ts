import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, freshWorkspace } from '../test-people.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ OUTBOUND_ALLOW: '127.0.0.1/32' });
});
afterAll(() => api.stop());

/** Starts a stateless MCP server with one tool, which requires a token. */
async function startMcp(token: string): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`)
      return void response.writeHead(401).end(`not ${request.headers.authorization}`);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const sdk = new McpServer({ name: 'test', version: '1' });
    const annotations = { readOnlyHint: true };
    sdk.registerTool('look', { description: 'Looks\u0007\u202e up', annotations }, () => ({ content: [] }));
    sdk.registerTool('hide', {}, () => ({ content: [] }));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await sdk.connect(transport);
    await transport.handleRequest(request, response, await json(request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test('are registered, listed, changed and deleted, and their headers are never returned', async () => {
  const token = randomUUID();
  const url = await startMcp(token);
  const headers = { Authorization: `Bearer ${token}` };
  const made = await api.call('POST', '/mcp-servers', { body: { name: 'Shop', url, headers } });
  expect(made.status).toBe(200);
  expect(made.body).toMatchObject({
    object: 'mcp_server',
    name: 'Shop',
    url,
    header_names: ['authorization'],
    allowed_tools: null,
    enabled: true,
    min_approval: 'never',
  });
  const path = `/mcp-servers/${made.body.id}`;
  const least = await api.call('PATCH', path, { body: { min_approval: 'sometimes' } });
  expect(least.body.error.details).toEqual([
    { path: 'body.min_approval', message: 'must be never, writes, or always' },
  ]);
  const changed = await api.call('PATCH', path, { body: { allowed_tools: ['look'], min_approval: 'writes' } });
  expect(changed.body.min_approval).toBe('writes');
  expect((await api.call('GET', path)).body).toEqual(changed.body);
  const tools = await api.call('GET', `${path}/tools`);
  expect(tools.body.data).toMatchObject([
    { name: 'look', description: 'Looks up', effect: 'read', allowed: true },
    { name: 'hide', effect: 'write', allowed: false },
  ]);
  const listed = await api.call('GET', '/mcp-servers');
  expect(listed.body.data).toEqual([changed.body]);
  const audit = await api.call('GET', '/audit?limit=10');
  for (const { body } of [made, changed, tools, listed, audit]) expect(JSON.stringify(body)).not.toContain(token);
  const stored = await api.services.database.mcpServers.open(ownerOf(made.body), made.body.id);
  expect(stored?.headers).toEqual({ authorization: `Bearer ${token}` });
  expect((await api.call('DELETE', path)).body).toMatchObject({ id: made.body.id, deleted: true });
  expect((await api.call('GET', path)).status).toBe(404);
  const actions = (await api.call('GET', '/audit?limit=10')).body.data.map(({ action }: { action: string }) => action);
  expect(actions.slice(0, 3)).toEqual(['mcp_server.deleted', 'mcp_server.changed', 'mcp_server.created']);
});

const ownerOf = ({ user_id }: { user_id: string }) => ({ scope: 'personal', user_id, workspace_id: null }) as const;

test('a server that cannot be used says why, without its secrets', async () => {
  const url = await startMcp('right-token');
  const body = { name: 'Shop', url, headers: { authorization: 'Bearer wrong-token' } };
  const { id } = (await api.call('POST', '/mcp-servers', { body })).body;
  const refused = await api.call('GET', `/mcp-servers/${id}/tools`);
  expect(refused.status).toBe(502);
  expect(refused.body.error).toMatchObject({ code: 'download_failed', message: expect.stringMatching(/headers/) });
  expect(JSON.stringify(refused.body)).not.toContain('wrong-token');
});

test('stored headers cannot be sent to another host by changing the address', async () => {
  const body = { name: 'Shop', url: 'https://mcp.example.org/', headers: { 'x-key': 'secret' } };
  const { id } = (await api.call('POST', '/mcp-servers', { body })).body;
  const path = `/mcp-servers/${id}`;
  const moved = await api.call('PATCH', path, { body: { url: 'https://elsewhere.example.org/' } });
  expect([moved.status, moved.body.error.details[0].path]).toEqual([400, 'body.headers']);
  // One host may serve several owners by path.
  const within = await api.call('PATCH', path, { body: { url: 'https://mcp.example.org/other' } });
  expect([within.status, within.body.error.details[0].path]).toEqual([400, 'body.headers']);
  expect((await api.call('PATCH', path, { body: { url: 'https://mcp.example.org/?v=2' } })).status).toBe(200);
  const again = { url: 'https://elsewhere.example.org/', headers: {} };
  expect((await api.call('PATCH', path, { body: again })).body).toMatchObject({ header_names: [] });
});

test.each([
  [{ url: 'http://10.0.0.1/' }, 'body.url'],
  [{ url: 'ftp://example.org/' }, 'body.url'],
  [{ headers: { Host: 'x' } }, 'body.headers'],
  [{ headers: { 'x-a': 'two\r\nlines' } }, 'body.headers'],
  [{ headers: { 'X-A': 'one', 'x-a': 'two' } }, 'body.headers'],
  [{ name: '' }, 'body.name'],
])('refuses %j', async (fields, path) => {
  const body = { name: 'Shop', url: 'https://mcp.example.org/', ...fields };
  const answer = await api.call('POST', '/mcp-servers', { body });
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, expect.stringContaining(path)]);
});

test('are erased with their workspace', async () => {
  const person = await freshPerson(api);
  const workspace_id = await freshWorkspace(api, person, []);
  const headers = {
    authorization: `Bearer ${person.token}`,
    'x-scope-type': 'workspace',
    'x-workspace-id': workspace_id,
  };
  const body = { name: 'Shop', url: 'https://mcp.example.org/', headers: { 'x-key': 'secret' } };
  expect((await api.call('POST', '/mcp-servers', { body, headers })).status).toBe(200);
  const counts = await api.services.database.erasure.erase({ workspace_id });
  expect(counts.mcp_servers).toBe(1);
});
