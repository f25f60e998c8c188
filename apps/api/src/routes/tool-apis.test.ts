import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ OUTBOUND_ALLOW: '127.0.0.1/32' });
});
afterAll(() => api.stop());

const document = JSON.stringify({
  openapi: '3.1.0',
  servers: [{ url: '/v2' }],
  paths: { '/items': { get: { operationId: 'listItems', summary: 'Lists items' }, post: {} } },
});
const base_url = 'https://api.example.org/v1';

test('are registered, listed, changed and deleted, and their credentials are never returned', async () => {
  const auth = { type: 'header', name: 'X-Key', value: 'very-secret' };
  const made = await api.call('POST', '/tool-apis', { body: { name: 'Shop', document, base_url, auth } });
  expect(made.status).toBe(200);
  expect(made.body).toMatchObject({
    object: 'tool_api',
    base_url,
    auth: { type: 'header', name: 'X-Key' },
    operations: [
      { name: 'listItems', method: 'GET', path: '/items', description: 'Lists items', effect: 'read' },
      { name: 'post_items', method: 'POST', effect: 'write' },
    ],
    warnings: [],
    enabled: true,
  });
  const path = `/tool-apis/${made.body.id}`;
  const changed = await api.call('PATCH', path, { body: { enabled: false } });
  expect((await api.call('GET', path)).body).toEqual(changed.body);
  const listed = await api.call('GET', '/tool-apis');
  expect(listed.body.data).toEqual([changed.body]);
  for (const { body } of [made, changed, listed]) expect(JSON.stringify(body)).not.toContain('very-secret');
  const owner = { scope: 'personal', user_id: made.body.user_id, workspace_id: null } as const;
  const stored = await api.services.database.toolApis.open(owner, made.body.id);
  expect(JSON.parse(stored?.credentials ?? '')).toEqual(auth);

  for (const base_url of ['https://elsewhere.example.org/v1', 'https://api.example.org/v2']) {
    const moved = await api.call('PATCH', path, { body: { base_url } });
    expect([moved.status, moved.body.error.details[0].path]).toEqual([400, 'body.auth']);
  }
  const none = { base_url: 'https://elsewhere.example.org/', auth: { type: 'none' } };
  expect((await api.call('PATCH', path, { body: none })).body).toMatchObject({ auth: { type: 'none', name: null } });
  expect((await api.call('DELETE', path)).body).toMatchObject({ deleted: true });
  expect((await api.call('GET', path)).status).toBe(404);

  const audited: { action: string; target: object }[] = (await api.call('GET', '/audit?limit=10')).body.data;
  expect(audited.slice(0, 4)).toMatchObject(
    ['deleted', 'changed', 'changed', 'created'].map((what) => ({
      ...{ action: `tool_api.${what}`, target: { type: 'tool_api', id: made.body.id } },
    })),
  );
  expect(JSON.stringify(audited)).not.toContain('very-secret');
});

test('a document is read from its address, which its relative server follows', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/large') return void response.end(' '.repeat(2_000_001));
    response.writeHead(request.url === '/openapi.json' ? 200 : 500).end(document);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made = await api.call('POST', '/tool-apis', { body: { name: 'Shop', document_url: `${origin}/openapi.json` } });
  expect(made.body).toMatchObject({ base_url: `${origin}/v2`, document_url: `${origin}/openapi.json` });
  const broken = await api.call('POST', '/tool-apis', { body: { name: 'Shop', document_url: `${origin}/none` } });
  expect([broken.status, broken.body.error.message]).toEqual([502, expect.stringContaining('status 500')]);
  const large = await api.call('POST', '/tool-apis', { body: { name: 'Shop', document_url: `${origin}/large` } });
  expect(large.body.error).toMatchObject({ code: 'payload_too_large' });
});

test.each([
  [{}, 'body.document'],
  [{ document, document_url: 'https://example.org/' }, 'body.document'],
  [{ document }, 'body.base_url'],
  [{ document, base_url: 'http://10.0.0.1/' }, 'body.base_url'],
  [{ document: 'swagger: "2.0"', base_url }, 'body.document'],
  [{ document_url: 'http://10.0.0.1/' }, 'body.document_url'],
  [{ document, base_url, auth: { type: 'header', name: 'Host', value: 'x' } }, 'body.auth.name'],
])('refuses %j', async (fields, path) => {
  const answer = await api.call('POST', '/tool-apis', { body: { name: 'Shop', ...fields } });
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
});
