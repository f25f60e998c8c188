import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/**
 * An in-memory S3 server for the index: objects, ranges, lists, and conditional writes, without authentication.
 * No installable server supports conditional writes. With `honours: false` it ignores the condition, as some
 * servers do.
 */
export async function startConditionalS3({
  honours,
}: {
  honours: boolean;
}): Promise<{ endpoint: string; keys(): string[] }> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    answer(objects, honours, request, response).catch(() => response.writeHead(500).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, keys: () => [...objects.keys()] };
}

async function answer(
  objects: Map<string, Buffer>,
  honours: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://s3');
  const key = decodeURIComponent(url.pathname).replace(/^\/[^/]+\/?/, '');
  const body = await buffer(request);
  if (request.method === 'PUT') {
    if (honours && request.headers['if-none-match'] === '*' && objects.has(key))
      return fail(response, 412, 'PreconditionFailed');
    objects.set(key, body);
    return void response.writeHead(200, { ETag: tagOf(body) }).end();
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    return void response.writeHead(204).end();
  }
  if (request.method === 'POST' && url.searchParams.has('delete')) {
    const names = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = '']) => name);
    for (const name of names) objects.delete(name);
    const deleted = names.map((name) => `<Deleted><Key>${name}</Key></Deleted>`).join('');
    response.writeHead(200, { 'Content-Type': 'application/xml' });
    return void response.end(`<DeleteResult>${deleted}</DeleteResult>`);
  }
  if (key === '') return list(objects, url.searchParams, response);
  const found = objects.get(key);
  if (found === undefined) return fail(response, 404, 'NoSuchKey');
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const start = from ? Number(from) : to ? Math.max(0, found.length - Number(to)) : 0;
  const end = from && to ? Math.min(Number(to) + 1, found.length) : found.length;
  const headers = {
    ETag: tagOf(found),
    'Last-Modified': new Date().toUTCString(),
    'Content-Length': end - start,
    ...(request.headers.range && { 'Content-Range': `bytes ${start}-${end - 1}/${found.length}` }),
  };
  response.writeHead(request.headers.range ? 206 : 200, headers);
  response.end(request.method === 'HEAD' ? undefined : found.subarray(start, end));
}

function list(objects: Map<string, Buffer>, query: URLSearchParams, response: ServerResponse): void {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const after = query.get('start-after') ?? '';
  const folders = new Set<string>();
  let contents = '';
  for (const key of [...objects.keys()].sort()) {
    if (!key.startsWith(prefix) || key <= after) continue;
    const rest = key.slice(prefix.length);
    if (delimiter && rest.includes(delimiter)) folders.add(prefix + rest.slice(0, rest.indexOf(delimiter) + 1));
    else
      contents += `<Contents><Key>${key}</Key><LastModified>${new Date().toISOString()}</LastModified><ETag>${tagOf(objects.get(key))}</ETag><Size>${objects.get(key)?.length}</Size></Contents>`;
  }
  const prefixes = [...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`).join('');
  response.writeHead(200, { 'Content-Type': 'application/xml' });
  response.end(
    `<ListBucketResult><Prefix>${prefix}</Prefix><IsTruncated>false</IsTruncated>${contents}${prefixes}</ListBucketResult>`,
  );
}

const tagOf = (body: Buffer | undefined) =>
  `&quot;${createHash('md5')
    .update(body ?? '')
    .digest('hex')}&quot;`.replaceAll('&quot;', '"');

function fail(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code></Error>`);
}
