import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servedPath } from '../define-route.ts';
import { routes } from '../routes/index.ts';
import { startTestApi, type TestApi } from '../test-api.ts';

const LIMIT_BYTES = 100_000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    JSON_LIMIT_BYTES: String(LIMIT_BYTES),
    BATCH_LIMIT_BYTES: String(LIMIT_BYTES),
    BATCH_UPLOAD_LIMIT_BYTES: String(LIMIT_BYTES),
    UPLOAD_LIMIT_BYTES: '3000000',
    UPLOAD_IDLE_TIMEOUT_MS: '400',
    DEFAULT_MODEL: 'embedded/assistant',
  });
});
afterAll(() => api.stop());

const formType = { 'content-type': 'multipart/form-data; boundary=edge' };
const part = (name: string, value: string, filename?: string) =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"${filename ? `; filename="${filename}"` : ''}\r\n\r\n${value}`;
const END = '\r\n--edge--\r\n';

const uploads = routes.flatMap((route) =>
  route.file === undefined ? [] : [{ path: servedPath(route), name: route.file.parts?.[0] ?? 'file' }],
);

test('routes accept files', () => {
  expect(uploads.length).toBeGreaterThan(4);
});

describe.each(uploads)('a truncated form for $path', ({ path, name }) => {
  test.each([
    ['within its file', part(name, 'x'.repeat(200_000), 'a.txt')],
    ['after the first bytes of its file', part(name, '', 'a.txt')],
    ['within the headers of a part', '--edge\r\nContent-Disposition: form-da'],
    ['within a field', part('title', 'half')],
    ['after a file, within a field', `${part(name, 'words', 'a.txt')}\r\n${part('title', 'half')}`],
    ['before its first part', '--edge'],
  ])('%s is 400', async (_name, body) => {
    const answer = await api.call('POST', path, { body, headers: formType });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    expect((await api.services.database.assets.list(await me(), { limit: 1 })).data).toEqual([]);
  });
});

const me = async () =>
  ({ scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null }) as const;

const ENCODINGS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const;

describe.each(ENCODINGS)('a body in %s', (encoding, compress) => {
  const headers = { 'content-encoding': encoding };
  // Compressing blocks for seconds. During a test, the server would then close kept-alive connections.
  const bomb = compress(Buffer.alloc(50_000_000, ' '));
  const send = (path: string, text: string, more: Record<string, string> = {}) =>
    api.call('POST', path, { body: compress(text), headers: { ...headers, ...more } });

  test('is parsed as JSON', async () => {
    const { status, body } = await send('/sessions', JSON.stringify({ title: 'Packed' }));
    expect([status, body.title]).toEqual([200, 'Packed']);
  });

  test('is parsed as NDJSON and JSON of a batch', async () => {
    const item = { kind: 'chat.completion', body: { messages: [{ role: 'user', content: 'Hi' }] } };
    const lines = await send(
      '/batches',
      ['{}', item, item]
        .map((one) => JSON.stringify(one))
        .join('\n')
        .replace('"{}"', '{}'),
      {
        'content-type': 'application/x-ndjson',
      },
    );
    expect([lines.status, lines.body.counts?.total]).toEqual([200, 2]);
    const json = await send('/batches', JSON.stringify({ items: [item, item, item] }));
    expect([json.status, json.body.counts?.total]).toEqual([200, 3]);
  });

  test('is parsed as a form', async () => {
    const { status, body } = await send('/assets', part('file', 'words', 'a.txt') + END, formType);
    expect([status, body.size_bytes]).toEqual([200, 5]);
    await api.call('DELETE', `/assets/${body.id}`);
  });

  test.each([
    ['/sessions', 'application/json'],
    ['/batches', 'application/json'],
    ['/batches', 'application/x-ndjson'],
    ['/assets', formType['content-type']],
  ])('is 413 when it becomes too large: %s %s', async (path, type) => {
    const answer = await api.call('POST', path, { body: bomb, headers: { ...headers, 'content-type': type } });
    expect([answer.status, answer.body.error.code]).toEqual([413, 'payload_too_large']);
  });

  test.each([
    ['/sessions', 'application/json'],
    ['/batches', 'application/x-ndjson'],
    ['/assets', formType['content-type']],
  ])('is 400 when it is malformed or truncated: %s %s', async (path, type) => {
    const whole = compress(
      type.startsWith('multipart') ? part('file', 'x'.repeat(9_000), 'a') + END : '{"title":"whole"}',
    );
    for (const body of [whole.subarray(0, -3), Buffer.from('{"title":"plain"}')]) {
      const answer = await api.call('POST', path, { body, headers: { ...headers, 'content-type': type } });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
      expect(answer.body.error.message).toContain(`not valid ${encoding}`);
    }
  });
});

test('refuses an unknown compression and lists the supported ones', async () => {
  for (const encoding of ['zstd', 'gzip, gzip', 'constructor']) {
    const answer = await api.call('POST', '/sessions', { body: '{}', headers: { 'content-encoding': encoding } });
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate, br']);
    expect(answer.body.error.message).toContain('gzip, deflate, br');
  }
});

describe('refuses a structure that is too large', () => {
  const many = (length: number, element = '{}') => `[${Array(length).fill(element).join()}]`;
  test.each<[string, string, string, Record<string, string>?]>([
    ['in a body', '/chat/completions', `{"messages":[{"role":"user","content":${many(30_000)}}]}`],
    ['in the head of a batch', '/batches', `{"items":[],"defaults":{"a":${many(30_000)}}}`],
    ['in an item of a batch', '/batches', `{"items":[{"body":{"a":${many(30_000)}}}]}`],
    ['in a line of a batch', '/batches', `{}\n{"body":{"a":${many(30_000)}}}`, { 'content-type': 'application/jsonl' }],
    [
      'in a field of a form',
      '/console/knowledge/upload',
      `${part('tags', many(3_000, '1'))}\r\n${part('file', 'x', 'a')}${END}`,
      formType,
    ],
  ])('%s', async (_name, path, body, headers = {}) => {
    const answer = await api.call('POST', path, { body, headers });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.error.message).toMatch(/more than \d+ (elements|values)/);
  });

  test('a batch with too many fields', async () => {
    const body = `{${Array.from({ length: 1_000 }, (_, at) => `"f${at}":1`).join()}}`;
    expect((await api.call('POST', '/batches', { body })).body.error.message).toContain('at most 100 fields');
  });
});

test.each(['/auth/login', '/auth/refresh', '/me/password', '/api-keys', '/workspaces', '/voice/tickets'])(
  '%s accepts at most 16 KB',
  async (path) => {
    const send = (length: number) => api.call('POST', path, { body: '{}'.padEnd(length, ' ') });
    expect((await send(16_385)).body.error.code).toBe('payload_too_large');
    expect((await send(16_384)).body.error?.code).not.toBe('payload_too_large');
  },
);

describe('a slow body', () => {
  const bodies: [method: string, path: string, type: string][] = [
    ['POST', '/api/v1/sessions', 'application/json'],
    ['POST', '/api/v1/auth/login', 'application/json'],
    ['POST', '/api/v1/batches', 'application/json'],
    ['POST', '/api/v1/batches', 'application/x-ndjson'],
    ['POST', '/api/v1/assets', formType['content-type']],
  ];
  test.each(bodies)(
    'answers a body that trickles in, and closes its connection: %s %s %s',
    async (method, path, type) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      const head = [
        `${method} ${path} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${api.accessToken}`,
        'X-Scope-Type: personal',
        `Content-Type: ${type}`,
        'Content-Length: 9000',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      const drip = setInterval(() => socket.write(' '), 50);
      socket.on('error', () => undefined);
      let answer = '';
      socket.on('data', (data) => {
        answer += data;
      });
      await once(socket, 'close');
      clearInterval(drip);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain('too slowly');
    },
  );
});
