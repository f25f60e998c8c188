import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../test-server.ts';
import { send } from './test-mcp.ts';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ PUBLIC_URL: 'https://chorus.example.com', CORS_ORIGINS: 'https://app.example.com' });
});
afterAll(() => api.stop());

const rpc = (method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params !== undefined && { params }),
});
const called = (name: unknown, args?: unknown, more = {}) => rpc('tools/call', { name, arguments: args, ...more });

test.each([
  ['no JSON', '{"jsonrpc":', 400, -32_700],
  ['a batch', [rpc('ping'), rpc('ping')], 400, -32_600],
  ['an empty batch', [], 400, -32_600],
  ['a text', '"ping"', 400, -32_600],
  ['null', 'null', 400, -32_600],
  ['no version', { id: 1, method: 'ping' }, 400, -32_600],
  ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32_600],
  ['an id that is an object', { jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }, 400, -32_600],
  ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32_600],
  ['a huge id', { jsonrpc: '2.0', id: 'x'.repeat(1_000), method: 'ping' }, 400, -32_600],
  ['params that are a list', rpc('ping', [1]), 400, -32_600],
])('refuses %s', async (_, body, status, code) => {
  const answer = await send(api, body);
  expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([status, code, null]);
  expect(answer.body.error.data.request_id).toBeTruthy();
});

test.each([
  ['an unknown method', rpc('resources/list'), -32_601],
  ['a method of every object', rpc('constructor'), -32_601],
  ['no protocol version', rpc('initialize', {}), -32_602],
  ['a call without a name', rpc('tools/call', { arguments: {} }), -32_602],
  ['arguments that are a list', called('get_job', [1]), -32_602],
  ['an unknown tool', called('__proto__', {}), -32_602],
  ['a progress token that is an object', called('get_job', {}, { _meta: { progressToken: {} } }), -32_602],
])('answers %s with an error of the protocol', async (_, body, code) => {
  const answer = await send(api, body);
  expect([answer.status, answer.body.id, answer.body.error.code]).toEqual([200, 1, code]);
});

test.each([
  ['fields of the prototype', '{"query":"x","__proto__":{"top_k":50}}', 'arguments.__proto__: is not a known field'],
  ['a constructor', '{"query":"x","constructor":{"prototype":{"a":1}}}', 'arguments.constructor: is not a known field'],
  ['a long query', `{"query":"${'x'.repeat(20_000)}"}`, 'arguments.query: '],
  [
    'a thousand tags',
    `{"query":"x","tags":${JSON.stringify(Array.from({ length: 1_000 }, (_, n) => `${n}`))}}`,
    'arguments.tags',
  ],
  ['a query that is a number', '{"query":7}', 'arguments.query: '],
])('refuses %s', async (_, args, message) => {
  const answer = await send(
    api,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_knowledge","arguments":${args}}}`,
  );
  const text = answer.body.result?.content[0].text ?? answer.body.error.message;
  expect(answer.status).toBeLessThan(500);
  expect(answer.body.result?.isError ?? true).toBe(true);
  expect(text).toContain(message);
  expect(Object.getOwnPropertyDescriptor(Object.prototype, 'top_k')).toBeUndefined();
});

test('refuses bodies that are too large or too deep', async () => {
  const large = await send(api, rpc('ping', { text: 'x'.repeat(api.config.limits.jsonBytes) }));
  expect([large.status, large.body.error.data.code]).toEqual([413, 'payload_too_large']);
  const deep = await send(
    api,
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_001)}`,
  );
  expect(deep.status).toBe(400);
  const type = await send(api, 'ping', { 'content-type': 'text/plain' });
  expect(type.status).toBe(415);
});

test('accepts notifications and answers that nothing waits for', async () => {
  for (const body of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/unknown', params: {} },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } },
    { jsonrpc: '2.0', id: 5, result: {} },
  ]) {
    const answer = await send(api, body);
    expect([answer.status, answer.body]).toEqual([202, '']);
  }
});

test('refuses pages of other origins and unknown versions of the protocol', async () => {
  const from = async (origin: string) => (await send(api, rpc('ping'), { origin })).status;
  expect(await from('https://evil.example.com')).toBe(403);
  expect(await from('null')).toBe(403);
  expect(await from('https://app.example.com')).toBe(200);
  expect(await from('https://chorus.example.com')).toBe(200);
  expect(await from(api.url)).toBe(200); // a page of this address
  const version = await send(api, rpc('ping'), { 'mcp-protocol-version': '1999-01-01' });
  expect([version.status, version.body.error.data.details[0].path]).toEqual([400, 'headers.mcp-protocol-version']);
});

test('offers no stream without a call to resume', async () => {
  const get = (headers = {}) =>
    api.call('GET', '/mcp', { headers: { 'x-scope-type': null, accept: 'text/event-stream', ...headers } });
  for (const headers of [
    {},
    { 'last-event-id': 'nonsense' },
    { 'last-event-id': Buffer.from('{"job":"x"}').toString('base64url') },
  ]) {
    const answer = await get(headers);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, DELETE']);
  }
  expect((await api.call('PATCH', '/mcp')).status).toBe(405);
});
