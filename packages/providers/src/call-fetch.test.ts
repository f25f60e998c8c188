import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { callFetch } from './call-fetch.ts';
import { CallWatch } from './call-watch.ts';

test('streams an answer that is compressed without a request for it', async () => {
  const gzip = createGzip();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    gzip.pipe(response);
    gzip.write('one');
    gzip.flush();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { body } = await callFetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const next = async () => Buffer.from((await reader.read()).value ?? []).toString();
  expect(await next()).toBe('one');
  gzip.end(' two');
  expect(await next()).toBe(' two');
  expect(await next()).toBe('');
  server.close();
});

test('reports the status and headers of each answer to the watch of its call', async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/first' ? 429 : 200, { 'retry-after': '2', 'x-path': request.url });
    response.end(request.url === '/first' ? '' : 'body');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const watch = new CallWatch(new AbortController().signal, 60_000);
  const seen: unknown[] = [];
  watch.onFirstByte = (status) => seen.push(status);
  watch.onAnswer = (status, headers) => seen.push([status, headers['x-path'], headers['retry-after']]);
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of ['/first', '/second']) await (await callFetch(base + path, { signal: watch.signal })).text();
  expect(seen).toEqual([[429, '/first', '2'], [200, '/second', '2'], 200]);
  watch.close();
  server.close();
});

test('cuts off endless JSON, but no other answers', async () => {
  const piece = Buffer.alloc(1_000_000, ' ');
  const server = createServer(async (request, response) => {
    response.writeHead(200, {
      'content-type': request.url === '/json' ? 'application/json; charset=utf-8' : 'video/mp4',
    });
    const pieces = function* () {
      for (let sent = 0; sent < 140; sent += 1) yield piece;
    };
    pipeline(Readable.from(pieces()), response, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bytesOf = async (path: string) => {
    let bytes = 0;
    for await (const chunk of (await callFetch(base + path)).body ?? []) bytes += chunk.length;
    return bytes;
  };
  await expect(bytesOf('/json')).rejects.toMatchObject({ cause: { message: 'The answer is too long' } });
  expect(await bytesOf('/video')).toBe(140_000_000);
  server.closeAllConnections();
  server.close();
});
