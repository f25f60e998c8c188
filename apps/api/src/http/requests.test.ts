import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { newId } from '@chorus/contract';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { startTestApi, type TestApi } from '../test-api.ts';
import { answerError } from './answer-error.ts';
import { beginRequest } from './begin-request.ts';
import { serveRoute } from './serve-route.ts';

const LIMIT_BYTES = 10_000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ JSON_LIMIT_BYTES: String(LIMIT_BYTES) });
});
afterAll(() => api.stop());

test.each<[string, unknown, string, string?]>([
  ['broken JSON', '{"title": ', 'invalid_json'],
  ['invalid JSON', 'title=x', 'invalid_json'],
  ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'invalid_json'],
  ['half of a surrogate pair', '{"title": "a\\ud83d"}', 'invalid_json'],
  ['the other half', '{"title": "a\\n\\uDE00"}', 'invalid_json'],
  ['halves that are not adjacent', '{"title": "\\ud83d\\n\\ude00"}', 'invalid_json'],
  ['a half after an escaped backslash', '{"title": "\\\\\\ud83d"}', 'invalid_json'],
  ['half of a pair in a name', '{"metadata": {"\\ud83d": "x"}}', 'invalid_json'],
  ['a list', [], 'invalid_request', 'body'],
  ['null', 'null', 'invalid_request', 'body'],
  ['a number', '1', 'invalid_request', 'body'],
  ['deep nesting', `${'['.repeat(4_000)}${']'.repeat(4_000)}`, 'invalid_request', 'body'],
  ['a wrong type', { title: 1 }, 'invalid_request', 'body.title'],
  ['a text that is too long', { title: 'x'.repeat(201) }, 'invalid_request', 'body.title'],
  ['an empty text', { title: '  ' }, 'invalid_request', 'body.title'],
  ['an unknown field', { name: 'x' }, 'invalid_request', 'body.name'],
  ['a prototype as a field', '{"__proto__": {"admin": true}}', 'invalid_request', 'body.__proto__'],
  ['a wrong type inside', { metadata: { a: 1 } }, 'invalid_request', 'body.metadata.a'],
])('refuses a body: %s', async (_name, body, code, path) => {
  const answer = await api.call('POST', '/sessions', { body });
  expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  expect(answer.body.error).toMatchObject({ status: 400, request_id: answer.headers.get('x-request-id') });
  expect(answer.body.error.docs).toBe(`/docs/api#errors-${code}`);
  if (path) expect(answer.body.error.details[0].path).toBe(path);
});

test.each([
  ['{"title": "\\ud83d\\uDE00"}', '😀'],
  ['{"title": "\\\\ud83d"}', '\\ud83d'],
  ['{"title": "\\u005cud83d \\ud7ff"}', '\\ud83d \ud7ff'],
])('accepts escapes that are not lone surrogates: %s', async (body, title) => {
  const answer = await api.call('POST', '/sessions', { body });
  expect([answer.status, answer.body.title]).toEqual([200, title]);
});

test('lists the allowed fields with an unknown one', async () => {
  const answer = await api.call('PATCH', `/sessions/${newId('session')}`, { body: { name: 'x', colour: 'y' } });
  const message = 'is not a known field; allowed: title, pinned, starred, archived, temporary, folder_id, metadata';
  expect(answer.body.error.details.slice(0, 2)).toEqual([
    { path: 'body.name', message },
    { path: 'body.colour', message },
  ]);
});

test.each(['$set', 'a.b', '.', '$', 'constructor', 'ключ', 'a\0b'])(
  'accepts any name in metadata: %j',
  async (name) => {
    const opened = await api.call('POST', '/sessions', { body: { metadata: { [name]: 'x' } } });
    if (opened.status === 400) return expect(opened.body.error.code).toBe('invalid_request');
    expect([opened.status, opened.body.metadata]).toEqual([200, { [name]: 'x' }]);
    const changed = await api.call('PATCH', `/sessions/${opened.body.id}`, { body: { metadata: { [name]: 'y' } } });
    expect([changed.status, changed.body.metadata]).toEqual([200, { [name]: 'y' }]);
    const read = await api.call('GET', `/sessions/${opened.body.id}`);
    expect(read.body.metadata).toEqual({ [name]: 'y' });
  },
);

test.each(['$where', '.*(a+)+$', '"', '\\0', '%25', '[', '()'])('treats a search as words: %j', async (words) => {
  const answer = await api.call('GET', `/sessions?q=${encodeURIComponent(words)}`);
  expect([answer.status, answer.body.data]).toEqual([200, []]);
});

test('answers a body with thousands of mistakes briefly', async () => {
  const body = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
  const answer = await api.call('POST', '/sessions', { body });
  expect(answer.body.error.details.length).toBe(20);
});

test.each<[string, string]>([
  ['?limit=0', 'query.limit'],
  ['?limit=101', 'query.limit'],
  ['?q=a%00b', 'query.q'],
  ['?q=%00', 'query.q'],
  ['?a%00b=1', 'query.ab'],
  ['?limit=ten', 'query.limit'],
  ['?limit=1&limit=2', 'query.limit'],
  ['?pinned=yes', 'query.pinned'],
  ['?unknown=1', 'query.unknown'],
])('refuses a query: %s', async (query, path) => {
  const answer = await api.call('GET', `/sessions${query}`);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
  expect(answer.body.error.details[0].path).toBe(path);
});

test.each<[string, Record<string, string>]>([
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['plain text', { 'content-type': 'text/plain' }],
  ['another charset', { 'content-type': 'application/json; charset=latin1' }],
  ['an unknown compression', { 'content-encoding': 'zstd' }],
])('refuses a media type: %s', async (_name, headers) => {
  const answer = await api.call('POST', '/sessions', { body: '{}', headers });
  expect([answer.status, answer.body.error.code]).toEqual([415, 'unsupported_media_type']);
});

test.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'application/merge-patch+json'])(
  'accepts a media type: %s',
  async (type) => {
    const answer = await api.call('POST', '/sessions', { body: '{}', headers: { 'content-type': type } });
    expect(answer.status).toBe(200);
  },
);

test('answers 413 to a body over the limit, with or without a declared length, and keeps the connection', async () => {
  const large = JSON.stringify({ title: 'x'.repeat(1_000_000) });
  const declared = await api.call('POST', '/sessions', { body: large });
  expect([declared.status, declared.body.error.code]).toEqual([413, 'payload_too_large']);

  const stream = new ReadableStream({
    start(controller) {
      for (let index = 0; index < 20; index += 1) controller.enqueue(new TextEncoder().encode(large));
      controller.close();
    },
  });
  const chunked = await fetch(`${api.url}/api/v1/sessions`, {
    method: 'POST',
    body: stream,
    duplex: 'half',
    headers: {
      authorization: `Bearer ${api.accessToken}`,
      'x-scope-type': 'personal',
      'content-type': 'application/json',
    },
  });
  expect(chunked.status).toBe(413);
  expect(await chunked.json()).toMatchObject({ error: { code: 'payload_too_large' } });

  const exact = JSON.stringify({ title: 'x' }).padEnd(LIMIT_BYTES, ' ');
  expect((await api.call('POST', '/sessions', { body: exact })).status).toBe(200);
  expect((await api.call('POST', '/sessions', { body: `${exact} ` })).status).toBe(413);
});

test.each([
  'nonsense',
  'ses_',
  `ses_${'z'.repeat(26)}`,
  newId('job'),
  '..%2Fsessions',
  '%00',
  'ses_01h455vb4pex5vsknk084sn02q%20',
  'x'.repeat(5_000),
])('answers a malformed id like an unknown one: %s', async (id) => {
  const unknown = await api.call('GET', `/sessions/${newId('session')}`);
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found']);
  for (const [method, body] of [['GET'], ['PATCH', { pinned: true }], ['DELETE']] as const) {
    const answer = await api.call(method, `/sessions/${id}`, { body });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
    expect(answer.body.error.message).toBe(unknown.body.error.message);
  }
});

test.each<[string, (id: string) => object]>([
  ['/voice/chat/meta', (session_id) => ({ session_id })],
  ['/voice/chat/meta', (execution_id) => ({ execution_id })],
  ['/archive/units', (id) => ({ from: { type: 'message', id } })],
])('answers a malformed id in a body like an unknown one: %s %o', async (path, bodyOf) => {
  for (const id of ['nonsense', `ses_${'z'.repeat(26)}`, newId('asset'), 'a\0b']) {
    const answer = await api.call('POST', path, { body: bodyOf(id) });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
  }
});

test('treats every field as unknown if no body is declared', async () => {
  const { id } = (await api.call('POST', '/api-keys', { body: { name: 'x' } })).body;
  const revoke = (body?: unknown) => api.call('POST', `/api-keys/${id}/revoke`, { body });
  expect((await revoke({ reason: 'x' })).body.error.details).toEqual([
    { path: 'body.reason', message: 'is not a known field' },
  ]);
  expect((await revoke('{')).body.error.code).toBe('invalid_json');
  expect((await revoke({})).body.status).toBe('revoked');
  expect((await revoke()).body.status).toBe('revoked');
});

test('answers an undecodable path', async () => {
  const answer = await api.call('GET', '/sessions/%E0%A4%A');
  expect([answer.status, answer.body.error.code]).toEqual([404, 'route_not_found']);
});

test.each(['/api/v1', '/api/v1/nothing', '/api/v2/sessions', '/nothing', '/API/V1/SESSIONS', '/docs/nothing.js'])(
  'answers an unknown path: %s',
  async (path) => {
    const response = await fetch(api.url + path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'route_not_found', status: 404 } });
  },
);

test.each<[string, string, string]>([
  ['PUT', '/sessions', 'POST, GET, HEAD, OPTIONS'],
  ['POST', `/sessions/${newId('session')}`, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  ['DELETE', '/auth/login', 'POST, OPTIONS'],
  ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
  ['HEAD', `/jobs/${newId('job')}/events`, 'GET, OPTIONS'],
])('answers a method that a path does not allow: %s %s', async (method, path, allow) => {
  const answer = await api.call(method, path);
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe(allow);
  if (method !== 'HEAD') expect(answer.body.error.code).toBe('method_not_allowed');
});

test('HEAD returns the headers of GET, OPTIONS the allowed methods', async () => {
  const head = await api.call('HEAD', '/me');
  expect([head.status, head.body]).toEqual([200, '']);
  const options = await api.call('OPTIONS', '/me');
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
});

test('answers an internal failure with a 500 without details', async () => {
  const fails = defineRoute({
    method: 'get',
    path: '/fails',
    area: 'operations',
    summary: 'Fails',
    needs: 'none',
    answer: z.unknown(),
    handle: () => Promise.reject(new Error('secret detail')),
  });
  const app = express();
  app.use(beginRequest(api.services));
  app.get('/fails', serveRoute(fails));
  app.use(answerError);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/fails`);
    const text = await response.text();
    expect([response.status, JSON.parse(text).error.code]).toEqual([500, 'internal_error']);
    expect(JSON.parse(text).error.request_id).toBe(response.headers.get('x-request-id'));
    expect(text).not.toContain('secret');
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('survives a client that disconnects in the middle of its body', async () => {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    'POST /api/v1/sessions HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${api.accessToken}`,
    'X-Scope-Type: personal',
    'Content-Type: application/json',
    'Content-Length: 100',
  ];
  const served = once(api.server, 'request');
  socket.write(`${head.join('\r\n')}\r\n\r\n{"title"`);
  const [request] = await served;
  const gone = new Promise((resolve) => request.on('close', resolve));
  socket.destroy();
  await gone;
  expect((await api.call('GET', '/me')).status).toBe(200);
});
