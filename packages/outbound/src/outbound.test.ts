import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { ChorusError, type ErrorCode } from '@chorus/contract';
import { expect, test } from 'vitest';
import { createOutbound, type Outbound } from './outbound.ts';
import { namesOf, ONLY_LOOPBACK, serve, serveBytes, serveSecurely } from './test-servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'chorus-outbound-'));
let files = 0;
const newPath = () => {
  files += 1;
  return join(folder, String(files));
};

const outboundTo = (names: Parameters<typeof namesOf>[0] = {}, limits = {}) => {
  const lookup = namesOf(names);
  return { ...createOutbound({ allow: ONLY_LOOPBACK, lookup, limits }), asked: lookup.asked };
};

/** Returns the error of a download, which must leave no file. */
async function refusal(outbound: ReturnType<typeof outboundTo>, url: string, maxBytes = 1_000): Promise<ChorusError> {
  const path = newPath();
  const error = await outbound.download(url, path, { maxBytes, timeoutMs: 60_000 }).catch((cause: unknown) => cause);
  expect(existsSync(path)).toBe(false);
  if (!(error instanceof ChorusError)) throw error;
  return error;
}

const code = (error: ChorusError): ErrorCode => error.code;

test.each([
  ['ftp://a.test/x', /http:/],
  ['file:///etc/passwd', /http:/],
  ['javascript:alert(1)', /http:/],
  ['not a url', /whole URL/],
  [`http://a.test/${'x'.repeat(2_000)}`, /2000/],
  ['http://me:secret@a.test/', /user name or password/],
  ['http://me@a.test/', /user name or password/],
  ['http://a.test:22/', /port/],
  ['http://a.test:25/', /port/],
  ['http://a.test:6000/', /port/],
  ['http://a.test:0/', /port/],
  ['http://10.0.0.1/', /public/],
  ['http://2130706434/', /public/],
  ['http://0x7f.2/', /public/],
  ['http://0177.0.0.02/', /public/],
  ['http://[::1]/', /public/],
  ['http://[::ffff:127.0.0.2]/', /public/],
  ['http://169.254.169.254/latest/meta-data', /public/],
  ['http://①②⑦.⓪.⓪.②/', /public/],
])('the text of %s is refused', async (url, rule) => {
  const outbound = outboundTo();
  expect(() => outbound.check(url)).toThrow(
    expect.objectContaining({ code: 'url_not_allowed', message: expect.stringMatching(rule) }),
  );
  const error = await refusal(outbound, url);
  expect([error.code, error.message]).toEqual(['url_not_allowed', expect.stringMatching(rule)]);
  expect(error.message).not.toContain('secret');
  expect(outbound.asked).toEqual([]);
});

test('a download is stored with its type and name', async () => {
  const server = await serve((request, response) => {
    expect(request.headers).toEqual({
      host: `files.test:${server.port}`,
      accept: 'application/pdf',
      'accept-encoding': 'identity',
      'user-agent': 'Chorus',
      connection: 'close',
    });
    response.setHeader('content-type', 'Application/PDF; charset=binary');
    response.setHeader('content-disposition', "attachment; filename*=UTF-8''..%2F..%2Fetc%2Fm%C3%BCll%00.pdf");
    response.end('%PDF-');
  });
  const outbound = outboundTo({ 'files.test': ['127.0.0.1'] });
  const path = newPath();
  const url = `http://files.test:${server.port}/a%20b.bin?sig=1#part`;
  const found = await outbound.download(url, path, { maxBytes: 5, accept: 'application/pdf' });
  expect(found).toEqual({
    bytes: 5,
    contentType: 'application/pdf',
    filename: 'müll.pdf',
    url: `http://files.test:${server.port}/a%20b.bin?sig=1`,
  });
  expect(readFileSync(path, 'utf8')).toBe('%PDF-');
});

test.each([
  ['/dir/a%20b.png', 'a b.png'],
  ['/dir/', null],
  ['/..%2f', null],
  ['/%zz', '%zz'],
])('without a header, the file name comes from the path %s', async (path, filename) => {
  const { port } = await serve((_request, response) => response.end('x'));
  const found = await outboundTo().download(`http://127.0.0.1:${port}${path}`, newPath(), { maxBytes: 9 });
  expect(found).toMatchObject({ filename, contentType: null });
});

test('a host with one private address is refused without any connection', async () => {
  const inside = await serve((_request, response) => response.end('secret'), '127.0.0.2');
  const outbound = outboundTo({
    'in.test': ['127.0.0.2'],
    'both.test': ['127.0.0.1', '127.0.0.2'],
    'six.test': ['::1'],
  });
  const errors = await Promise.all(
    ['in', 'both', 'six', 'unknown'].map((name) => refusal(outbound, `http://${name}.test:${inside.port}/`)),
  );
  expect(inside.connections).toBe(0);
  // Private and unknown hosts get the same message.
  expect(new Set(errors.map((error) => `${error.code}: ${error.message}`))).toEqual(
    new Set(['url_not_allowed: The URL must name a host with a public address.']),
  );
});

test('DNS rebinding between check and connection has no effect', async () => {
  const inside = await serve((_request, response) => response.end('secret'), '127.0.0.2');
  const outside = await serve((_request, response) => response.writeHead(302, { location: '/again' }).end());
  const outbound = outboundTo({ 'rebind.test': [['127.0.0.1'], ['127.0.0.2']] });
  expect(code(await refusal(outbound, `http://rebind.test:${outside.port}/`))).toBe('url_not_allowed');
  expect([outside.connections, inside.connections, outbound.asked.length]).toEqual([1, 0, 2]);
});

test('a few redirects are followed, each checked', async () => {
  const { port } = await serve((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('here');
    else
      response
        .writeHead([301, 302, 303, 307, 308][left % 5] ?? 302, { location: `./${left - 1}`, 'set-cookie': 'a=b' })
        .end();
    expect(request.headers.cookie).toBeUndefined();
  });
  const outbound = outboundTo({ 'a.test': ['127.0.0.1'] });
  const found = await outbound.download(`http://a.test:${port}/5`, newPath(), { maxBytes: 9 });
  expect(found).toMatchObject({ bytes: 4, url: `http://a.test:${port}/0` });
  expect(code(await refusal(outbound, `http://a.test:${port}/6`))).toBe('download_failed');
  const vague = await serve((_request, response) => response.writeHead(302).end());
  const refused = await refusal(outbound, `http://a.test:${vague.port}/`);
  expect([code(refused), vague.connections]).toEqual(['download_failed', 1]);
});

test.each([
  'http://127.0.0.2:8080/',
  'http://in.test:8080/',
  'http://me:pw@a.test:8080/',
  'file:///etc/passwd',
  '//169.254.169.254/',
  'http://a.test:25/',
])('a redirect to %s is refused', async (location) => {
  const { port } = await serve((_request, response) => response.writeHead(302, { location }).end());
  const outbound = outboundTo({ 'a.test': ['127.0.0.1'], 'in.test': ['127.0.0.2'] });
  expect(code(await refusal(outbound, `http://a.test:${port}/`))).toBe('url_not_allowed');
});

test('https does not redirect to http, and certificates are checked', async () => {
  const plain = await serve((_request, response) => response.end('open'));
  const secure = await serveSecurely((request, response) => {
    if (request.url === '/stays') response.end('safe');
    else response.writeHead(302, { location: `http://secure.test:${plain.port}/` }).end();
  });
  const outbound = outboundTo({ 'secure.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] });
  const found = await outbound.download(`https://secure.test:${secure.port}/stays`, newPath(), { maxBytes: 9 });
  expect(found.bytes).toBe(4);
  expect((await refusal(outbound, `https://secure.test:${secure.port}/`)).message).toMatch(/from https to http/);
  expect(plain.connections).toBe(0);
  for (const url of [`https://other.test:${secure.port}/stays`, `https://secure.test:${plain.port}/`])
    expect(await refusal(outbound, url)).toMatchObject({
      code: 'download_failed',
      message: expect.stringMatching(/secure/),
    });
});

test('content that is too large is refused, announced or not, compressed or not', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const { port } = await serve((request, response) => {
    if (request.url === '/said') response.writeHead(200, { 'content-length': 1_001 }).write('x');
    else if (request.url === '/unsaid') response.write(Buffer.alloc(1_001));
    else response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  for (const path of ['said', 'unsaid', 'bomb'])
    expect(
      code(await refusal(outboundTo(), `http://127.0.0.1:${port}/${path}`, path === 'bomb' ? 100_000 : 1_000)),
    ).toBe('payload_too_large');
});

test('known compression is decoded, other encodings are refused', async () => {
  const { port } = await serve((request, response) => {
    const coding = request.url?.slice(1) ?? '';
    response.writeHead(200, { 'content-encoding': coding }).end(coding === 'gzip' ? gzipSync('hello') : 'hello');
  });
  const path = newPath();
  const found = await outboundTo().download(`http://127.0.0.1:${port}/gzip`, path, { maxBytes: 5 });
  expect([found.bytes, readFileSync(path, 'utf8')]).toEqual([5, 'hello']);
  for (const coding of ['gzip,gzip', 'zstd', 'constructor', 'br'])
    expect(code(await refusal(outboundTo(), `http://127.0.0.1:${port}/${coding}`)), coding).toBe('download_failed');
});

test.each([404, 500, 204, 206, 304, 101])('a response with status %d is not a download', async (status) => {
  const { port } = await serveBytes(`HTTP/1.1 ${status} Whatever\r\ncontent-length: 0\r\n\r\n`);
  expect(code(await refusal(outboundTo(), `http://127.0.0.1:${port}/`))).toBe('download_failed');
});

test.each([
  ['nothing', '', /too long/, { idleMs: 150 }],
  ['half an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', /too long/, { stallMs: 150 }],
  ['no HTTP', 'SSH-2.0-OpenSSH\r\n', /broke/, {}],
  ['endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, /broke/, {}],
])('a server that sends %s times out', async (_what, bytes, message, limits) => {
  const { port } = await serveBytes(bytes);
  const error = await refusal(outboundTo({}, limits), `http://127.0.0.1:${port}/`);
  expect(error).toMatchObject({ code: 'download_failed', message: expect.stringMatching(message) });
});

test('a slow download has a total time limit', async () => {
  const { port } = await serve((_request, response) => {
    const drops = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(drops));
  });
  const path = newPath();
  const failing = outboundTo().download(`http://127.0.0.1:${port}/`, path, { maxBytes: 1e6, timeoutMs: 300 });
  await expect(failing).rejects.toMatchObject({ code: 'download_failed', message: expect.stringMatching(/too long/) });
  expect(existsSync(path)).toBe(false);
});

test('an incomplete body is not a download', async () => {
  const { port } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('half', () => response.destroy());
  });
  expect((await refusal(outboundTo(), `http://127.0.0.1:${port}/`)).message).toMatch(/broke/);
});

test('a refused connection and a silent name server have the same message', async () => {
  const closed = await outboundTo({ 'a.test': ['127.0.0.1'] })
    .download('http://a.test:1024/', newPath(), { maxBytes: 9 })
    .catch(String);
  const silent = createOutbound({ allow: [], lookup: () => new Promise(() => {}), limits: { connectMs: 100 } });
  expect(await silent.download('http://a.test/', newPath(), { maxBytes: 9 }).catch(String)).toBe(closed);
  expect(closed).toMatch(/could not be reached/);
});

test('a download can be aborted, and reports a missing folder', async () => {
  const { port } = await serveBytes('HTTP/1.1 200 OK\r\n\r\nx');
  const gone = new AbortController();
  const path = newPath();
  const failing = outboundTo().download(`http://127.0.0.1:${port}/`, path, { maxBytes: 9, signal: gone.signal });
  setTimeout(() => gone.abort(new Error('changed my mind')), 100);
  await expect(failing).rejects.toThrow('changed my mind');
  expect(existsSync(path)).toBe(false);
  const nowhere = join(folder, 'no', 'such', 'folder');
  await expect(outboundTo().download(`http://127.0.0.1:${port}/`, nowhere, { maxBytes: 9 })).rejects.toThrow('ENOENT');
});

test('sends any request, and streams the response with any status', async () => {
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(Number(request.url?.slice(1)), { location: 'http://127.0.0.2/', 'content-encoding': 'gzip' });
    response.end(gzipSync(`${request.method} ${Buffer.concat(chunks)}`));
  });
  const send = (path: string, options: Partial<Parameters<Outbound['request']>[1]> = {}) =>
    outboundTo().request(`http://127.0.0.1:${server.port}${path}`, {
      method: 'PUT',
      headers: { 'x-a': 'b' },
      body: 'ü',
      maxBytes: 10,
      signal: new AbortController().signal,
      ...options,
    });
  for (const status of [200, 302, 503]) {
    const answer = await send(`/${status}`);
    expect([answer.status, (await buffer(answer.body)).toString()]).toEqual([status, 'PUT ü']);
  }
  await expect(send('/200', { maxBytes: 3 }).then(({ body }) => buffer(body))).rejects.toMatchObject({
    code: 'payload_too_large',
  });
  await expect(outboundTo().request('http://127.0.0.2/', REQUEST)).rejects.toMatchObject({
    code: 'url_not_allowed',
  });
});

const REQUEST = { method: 'GET', headers: {}, maxBytes: 10, signal: new AbortController().signal } as const;
