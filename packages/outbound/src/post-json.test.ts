import { expect, test } from 'vitest';
import { createOutbound } from './outbound.ts';
import { namesOf, ONLY_LOOPBACK, serve, serveBytes } from './test-servers.ts';

const outboundWith = (idleMs: number) =>
  createOutbound({
    allow: ONLY_LOOPBACK,
    lookup: namesOf({ 'hook.test': ['127.0.0.1'], 'in.test': ['127.0.0.2'] }),
    limits: { idleMs },
  });
/** Long, for busy machines. Tests of silence use shorter ones. */
const outbound = outboundWith(60_000);

test('a post arrives unchanged, and returns the beginning of the response', async () => {
  const seen: unknown[] = [];
  const { port } = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push(
      request.method,
      request.headers['content-type'],
      request.headers['x-signed'],
      Buffer.concat(chunks).toString(),
    );
    response.writeHead(503, { 'retry-after': '7' });
    // Never ends, since the beginning is enough.
    response.write('é'.repeat(50_000));
  });
  const answer = await outbound.postJson(`http://hook.test:${port}/`, '{"a":"ü"}', { headers: { 'x-signed': 'yes' } });
  expect(seen).toEqual(['POST', 'application/json', 'yes', '{"a":"ü"}']);
  expect(answer).toEqual({ status: 503, retryAfter: '7', body: 'é'.repeat(2_048) });
});

test('redirects are returned, not followed', async () => {
  const { port } = await serve((_request, response) =>
    response.writeHead(307, { location: 'http://hook.test/' }).end(),
  );
  const answer = await outbound.postJson(`http://hook.test:${port}/`, '{}', { headers: {} });
  expect(answer).toEqual({ status: 307, retryAfter: null, body: '' });
});

test('a status is a response, even with a broken body', async () => {
  const { port } = await serveBytes('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
  const answer = await outboundWith(1_500).postJson(`http://hook.test:${port}/`, '{}', { headers: {} });
  expect(answer).toEqual({ status: 200, retryAfter: null, body: 'half' });
});

test('a missing response has a reason, and forbidden addresses get no request', async () => {
  const silent = await serveBytes('');
  const inside = await serve((_request, response) => response.end(), '127.0.0.2');
  const post = (url: string, timeoutMs?: number) =>
    outboundWith(300).postJson(url, '{}', { headers: {}, ...(timeoutMs && { timeoutMs }) });
  await expect(post(`http://hook.test:${silent.port}/`)).rejects.toMatchObject({ reason: 'timeout' });
  await expect(post(`http://hook.test:${silent.port}/`, 100)).rejects.toMatchObject({ reason: 'timeout' });
  await expect(post('http://hook.test:1024/')).rejects.toMatchObject({ reason: 'unreachable' });
  await expect(post(`http://in.test:${inside.port}/`)).rejects.toMatchObject({ code: 'url_not_allowed' });
  await expect(post(`http://127.0.0.2:${inside.port}/`)).rejects.toMatchObject({ code: 'url_not_allowed' });
  expect(inside.connections).toBe(0);
});
