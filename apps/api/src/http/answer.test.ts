import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { accepts, chooseEncoding } from './accepts.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ CORS_ORIGINS: 'https://console.example.com' });
});
afterAll(() => api.stop());

/** Returns a response without decompressing it. */
async function raw(path: string, accepted?: string, method = 'GET') {
  const headers = {
    authorization: `Bearer ${api.accessToken}`,
    'x-scope-type': 'personal',
    ...(accepted !== undefined && { 'accept-encoding': accepted }),
  };
  const sent = request(api.url + path, { method, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { headers: response.headers, bytes: await buffer(response) };
}

test('compresses a long JSON response as the client accepts', async () => {
  const plain = await raw('/openapi.json');
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.headers.vary).toContain('Accept-Encoding');
  for (const [accepted, encoding, decompress] of [
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
  ] as const) {
    const { headers, bytes } = await raw('/openapi.json', accepted);
    expect(headers['content-encoding']).toBe(encoding);
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(headers.vary).toContain('Accept-Encoding');
    expect(headers.vary).toContain('Origin');
    expect(bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(decompress(bytes)).toEqual(plain.bytes);
  }
});

test('the OpenAPI document is sent again only if it has changed', async () => {
  const { status, headers } = await api.call('GET', '/openapi.json');
  expect(status).toBe(200);
  const again = (tag: string) => api.call('GET', '/openapi.json', { headers: { 'if-none-match': tag } });
  expect((await again(headers.get('etag') ?? '')).status).toBe(304);
  expect((await again('"another"')).status).toBe(200);
});

test('tells search engines to stay away', async () => {
  const { headers, bytes } = await raw('/robots.txt');
  expect([headers['content-type'], String(bytes)]).toEqual([
    'text/plain; charset=utf-8',
    'User-agent: *\nDisallow: /\n',
  ]);
});

test.each([undefined, 'br'])('answers HEAD with the headers of GET where %s is accepted', async (accepted) => {
  const varying = { date: null, 'x-request-id': null, 'content-length': null, ratelimit: null };
  const head = await raw('/openapi.json', accepted, 'HEAD');
  const { headers } = await raw('/openapi.json', accepted);
  expect({ ...head.headers, ...varying }).toEqual({ ...headers, ...varying });
  expect(head.headers['content-length']).toBe(accepted === undefined ? headers['content-length'] : undefined);
});

test('does not compress short responses, streams and files', async () => {
  const form = new FormData();
  form.set('file', new Blob(['words '.repeat(10_000)]), 'a.txt');
  const asset = (await api.call('POST', '/assets', { body: form })).body;
  for (const path of ['/api/v1/me', '/healthz', new URL(asset.url, api.url).href.slice(api.url.length)]) {
    const { headers } = await raw(path, 'gzip, br');
    expect([path, headers['content-encoding']]).toEqual([path, undefined]);
  }
  const headers = { authorization: `Bearer ${api.accessToken}`, 'x-scope-type': 'personal', 'accept-encoding': 'br' };
  const sent = request(`${api.url}/api/v1/events`, { headers }).end();
  const [stream] = (await once(sent, 'response')) as [IncomingMessage];
  expect(stream.headers['content-type']).toContain('text/event-stream');
  expect(stream.headers['content-encoding']).toBeUndefined();
  sent.destroy();
});

test.each<[string | undefined, ReturnType<typeof chooseEncoding>]>([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['deflate, zstd', null],
  ['gzip', 'gzip'],
  ['GZip;q=0.5', 'gzip'],
  ['gzip, br', 'br'],
  ['gzip, br;q=0.9', 'gzip'],
  ['br;q=0, gzip;q=0', null],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['*;q=0', null],
  ['gzip;q=nonsense', null],
])('%j asks for %j', (accepted, encoding) => {
  expect(chooseEncoding(accepted)).toBe(encoding);
});

test('reads a header of many spaces at once', () => {
  const started = process.cpuUsage();
  expect(accepts({ headers: { 'accept-encoding': `gzip${' '.repeat(100_000)}x` } }, 'gzip')).toBe(false);
  // A backtracking pattern would take half a minute.
  expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
});
