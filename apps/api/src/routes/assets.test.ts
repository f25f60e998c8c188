import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { newId, type Owner } from '@chorus/contract';
import { CLIP_MP4, TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson } from '../test-people.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    UPLOAD_LIMIT_BYTES: '3000000',
    UPLOAD_LIMIT_IMAGE_BYTES: '500000',
    UPLOAD_IDLE_TIMEOUT_MS: '400',
  });
});
afterAll(() => api.stop());

interface Part {
  name?: string;
  filename?: string;
  type?: string;
}

function formOf(bytes: Uint8Array | string, { name = 'file', filename = 'a.bin', type = '' }: Part = {}): FormData {
  const form = new FormData();
  form.append(name, new Blob([bytes as string], { type }), filename);
  return form;
}

const upload = (bytes: Uint8Array | string, part?: Part, headers: Record<string, string> = {}): Promise<Answer> =>
  api.call('POST', '/assets', { body: formOf(bytes, part), headers });

/** Fetches a URL as shown in a response, without credentials. */
const fetchSigned = (address: string, init: RequestInit = {}) => fetch(new URL(address, api.url), init);

const held = () => api.services.database.assets.list(owner(), { limit: 100 }).then(({ data }) => data.length);
/** Counts stored blobs, referenced or not. */
const blobs = async () => (await api.services.blobs.list()).blobs.length;
/** Counts blobs after earlier refusals have been cleaned up in the background. */
async function blobsOnceAtRest(): Promise<number> {
  await expect.poll(() => api.services.assets.sweep(new Date(Date.now() + 60_000))).toBe(0);
  return blobs();
}
const owner = (): Owner => ({ scope: 'personal', user_id: me, workspace_id: null });
let me = '';
beforeAll(async () => {
  me = (await api.call('GET', '/me')).body.id;
});

describe('an upload', () => {
  test('becomes an asset described by its content, whatever its name and part claim', async () => {
    const { status, body } = await upload(TINY_PNG, { filename: 'page.html', type: 'text/html' });
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'asset',
      id: expect.stringMatching(/^ast_/),
      kind: 'image',
      mime_type: 'image/png',
      size_bytes: TINY_PNG.length,
      sha256: createHash('sha256').update(TINY_PNG).digest('hex'),
      filename: 'page.html',
      width: 8,
      height: 6,
      duration_ms: null,
      execution_id: null,
      created_at: expect.stringMatching(/Z$/),
      url: expect.stringMatching(`^${api.url}/api/v1/assets/${body.id}/content\\?expires=\\d+&signature=`),
      thumbnail_url: expect.stringMatching(`^${api.url}/api/v1/assets/${body.id}/thumbnail\\?expires=\\d+&signature=`),
      user_id: me,
    });
    const read = await api.call('GET', `/assets/${body.id}`);
    expect({ ...read.body, url: null, thumbnail_url: null }).toEqual({ ...body, url: null, thumbnail_url: null });
    const words = await upload('Just words.', { filename: 'photo.png', type: 'image/png' });
    expect(words.body).toMatchObject({ kind: 'document', mime_type: 'text/plain', thumbnail_url: null });
  });

  test.each([
    ['../../../etc/passwd', 'passwd'],
    ['C:\\a\\b.txt', 'b.txt'],
    ['naïve 北京 😀.txt', 'naïve 北京 😀.txt'],
    [`${'x'.repeat(5_000)}.txt`, `${'x'.repeat(251)}.txt`],
    ['"quoted"\r\nX: y.txt', '_quoted_X_ y.txt'],
  ])('keeps a safe name for %j', async (filename, expected) => {
    const { body } = await upload('words', { filename });
    expect(body.filename).toBe(expected);
    const content = await fetchSigned(body.url);
    expect(content.headers.get('content-disposition')).toMatch(/^attachment; filename="[\x20-\x7e]+"/);
    await content.arrayBuffer();
  });

  const twoFiles = () => {
    const form = formOf('one');
    form.append('file', new Blob(['two']), 'b.bin');
    return form;
  };
  const withField = () => {
    const form = new FormData();
    form.set('kind', 'image');
    form.append('file', new Blob(['one']), 'a.bin');
    return form;
  };
  const manyFields = () => {
    const form = formOf('one');
    for (let index = 0; index < 200; index++) form.append(`f${index}`, 'x');
    return form;
  };
  const hugeField = () => {
    const form = formOf('one');
    form.append('note', 'x'.repeat(200_000));
    return form;
  };
  test.each<[string, () => FormData, string]>([
    ['two files', twoFiles, 'body.file'],
    ['no file', () => new FormData(), 'body.file'],
    ['a file elsewhere', () => formOf('one', { name: 'document' }), 'body.document'],
    ['an unknown field', withField, 'body.kind'],
    ['too many fields', manyFields, 'body'],
    ['a field that is too long', hugeField, 'body.note'],
    ['an empty file', () => formOf(''), 'body.file'],
    ['a truncated image', () => formOf(TINY_PNG.subarray(0, 60)), 'body.file'],
  ])('is refused, and leaves nothing: %s', async (_, form, path) => {
    const before = await held();
    const { status, body } = await api.call('POST', '/assets', { body: form() });
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'invalid_request', path]);
    expect(await held()).toBe(before);
  });

  test('is refused if it is not a form', async () => {
    for (const headers of [{ 'content-type': 'application/json' }, { 'content-type': 'application/octet-stream' }]) {
      const { status, body } = await api.call('POST', '/assets', { body: '{}', headers });
      expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
    }
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
      const { status, body } = await api.call('POST', '/assets', { body: '{}', headers: { 'content-type': type } });
      expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    }
  });

  test('over the limit is refused: by its declared length, while it arrives, and by its kind', async () => {
    const noise = randomBytes(3_000_001);
    noise[0] = 1;
    const declared = await upload(Buffer.alloc(12_000_000, 1));
    const onTheWay = await upload(noise);
    const picture = await upload(Buffer.concat([TINY_PNG, Buffer.alloc(500_000)]));
    for (const { status, body } of [declared, onTheWay, picture]) {
      expect([status, body.error.code, body.error.details[0].path]).toEqual([413, 'payload_too_large', 'body.file']);
    }
    expect((await upload(noise.subarray(0, 3_000_000))).status).toBe(200);
  });

  test('with an Idempotency-Key is stored once: requests are equal if fields and bytes are', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const [before, kept] = [await held(), await blobsOnceAtRest()];
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => upload('once', { filename: 'a.txt' }, key)));
    const again = await upload('once', { filename: 'b.txt' }, key);
    expect(again.status).toBe(200);
    const made = [first, ...others].filter((answer) => answer?.status === 200);
    expect(made.length).toBeGreaterThan(0);
    for (const answer of made) expect(answer?.body.id).toBe(again.body.id);
    for (const answer of others) expect([200, 409]).toContain(answer.status);
    expect((await fetchSigned(again.body.url)).status).toBe(200);
    const other = await upload('something else', {}, key);
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_mismatch']);
    expect(await held()).toBe(before + 1);
    expect(await blobs()).toBe(kept + 1);
  });
});

/** Sends the start of an upload, and leaves the connection open. */
async function beginUpload(content: string) {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    'POST /api/v1/assets HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${api.accessToken}`,
    'X-Scope-Type: personal',
    'Content-Type: multipart/form-data; boundary=edge',
    'Content-Length: 1000000',
  ];
  const served = once(api.server, 'request');
  socket.write(`${head.join('\r\n')}\r\n\r\n${content}`);
  const [request] = await served;
  return { socket, request };
}

const PART = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';

describe('an unfinished upload', () => {
  test.each([
    ['within its file', `${PART}some of it`],
    ['after its file', `${PART}all of it\r\n--edge\r\nContent-Disposition: form-data; name="x"\r\n\r\n`],
  ])('leaves nothing when the client disconnects %s', async (_, content) => {
    const [before, kept] = [await held(), await blobsOnceAtRest()];
    const { assets } = api.services;
    const { stage } = assets;
    const staging: Promise<unknown>[] = [];
    assets.stage = (...args) => {
      const staged = stage(...args);
      staging.push(staged.catch(() => undefined));
      return staged;
    };
    const { socket, request } = await beginUpload(content);
    const gone = new Promise((resolve) => request.on('close', resolve));
    await expect.poll(() => staging.length).toBe(1);
    if (content.includes('all of it')) await staging[0];
    socket.destroy();
    await gone;
    await staging[0];
    assets.stage = stage;
    // Cleaning up may take long on a busy machine.
    await expect.poll(blobs).toBe(kept);
    expect(await held()).toBe(before);
  });

  test('is answered and cut when no more data arrives', async () => {
    const { socket } = await beginUpload(`${PART}some of it`);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
    expect(String(answer)).toMatch(/Connection: close/i);
    expect(String(answer)).toContain('"code":"invalid_request"');
    socket.destroy();
  });
});

describe('content', () => {
  const text = 'abcdefghijklmnopqrstuvwxyz';
  let asset: Answer['body'];
  beforeAll(async () => {
    asset = (await upload(text, { filename: 'letters.txt' })).body;
  });

  test('is served by its signed URL without a credential, and with one without a signature', async () => {
    for (const answer of [
      await fetchSigned(asset.url),
      await fetch(`${api.url}/api/v1/assets/${asset.id}/content`, {
        headers: { authorization: `Bearer ${api.accessToken}`, 'x-scope-type': 'personal' },
      }),
    ]) {
      expect([answer.status, await answer.text()]).toEqual([200, text]);
      const headers = Object.fromEntries(answer.headers);
      expect(headers).toMatchObject({
        'content-type': 'text/plain',
        'content-length': '26',
        'content-disposition': 'attachment; filename="letters.txt"',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(/default-src 'none';.*sandbox$/),
        'accept-ranges': 'bytes',
        etag: `"${asset.sha256}"`,
        'cache-control': expect.stringMatching(/^private, max-age=\d+, immutable$/),
      });
    }
  });

  test('is shown in the browser only if its type is plain', async () => {
    const shown = async (bytes: Uint8Array | string) => {
      const { body } = await upload(bytes, { filename: 'x' });
      const answer = await fetchSigned(body.url);
      await answer.arrayBuffer();
      return [answer.headers.get('content-type'), answer.headers.get('content-disposition')?.split(';')[0]];
    };
    expect(await shown(TINY_PNG)).toEqual(['image/png', 'inline']);
    expect(await shown('%PDF-1.4\n')).toEqual(['application/pdf', 'inline']);
    expect(await shown('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')).toEqual([
      'image/svg+xml',
      'attachment',
    ]);
    expect(await shown('<!doctype html><script>alert(1)</script>')).toEqual(['text/html', 'attachment']);
  });

  test.each([
    ['bytes=0-4', 206, 'abcde', 'bytes 0-4/26'],
    ['bytes=20-', 206, 'uvwxyz', 'bytes 20-25/26'],
    ['bytes=-3', 206, 'xyz', 'bytes 23-25/26'],
    ['bytes=0-4,6-7', 200, text, null],
    ['bytes=26-', 416, null, 'bytes */26'],
  ])('in ranges: %s', async (range, status, body, contentRange) => {
    const answer = await fetchSigned(asset.url, { headers: { range } });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange]);
    const read = await answer.text();
    if (body !== null) expect([read, answer.headers.get('content-length')]).toEqual([body, String(body.length)]);
    else expect(JSON.parse(read).error.code).toBe('range_not_satisfiable');
  });

  test('only for the requested version, and not again to clients that have it', async () => {
    const etag = `"${asset.sha256}"`;
    const ask = async (headers: Record<string, string>, method = 'GET') => {
      const answer = await fetchSigned(asset.url, { headers, method });
      return [answer.status, (await answer.text()).length, answer.headers.get('content-length')];
    };
    expect(await ask({ range: 'bytes=0-4', 'if-range': etag })).toEqual([206, 5, '5']);
    expect(await ask({ range: 'bytes=0-4', 'if-range': '"old"' })).toEqual([200, 26, '26']);
    expect((await ask({ 'if-none-match': `W/${etag}` })).slice(0, 2)).toEqual([304, 0]);
    expect((await ask({ 'if-none-match': '"old"' })).slice(0, 2)).toEqual([200, 26]);
    expect(await ask({}, 'HEAD')).toEqual([200, 0, '26']);
    expect(await ask({ range: 'bytes=0-4' }, 'HEAD')).toEqual([206, 0, '5']);
  });

  test('is refused without a credential or a valid signature', async () => {
    const bare = `/api/v1/assets/${asset.id}/content`;
    const signed = new URL(asset.url, api.url).search;
    const ask = async (path: string) => {
      const answer = await fetchSigned(path);
      return [answer.status, ((await answer.json()) as Answer['body']).error.code];
    };
    expect(await ask(bare)).toEqual([401, 'unauthorized']);
    expect(await ask(`${bare}?expires=1900000000&signature=${'A'.repeat(43)}`)).toEqual([403, 'forbidden']);
    expect(await ask(`${bare}?expires=1&signature=x&signature=y`)).toEqual([403, 'forbidden']);
    expect(await ask(`/api/v1/assets/${asset.id}/thumbnail${signed}`)).toEqual([403, 'forbidden']);
    expect(await ask(`/api/v1/assets/${newId('asset')}/content${signed}`)).toEqual([403, 'forbidden']);
    expect(await ask(`/api/v1/assets/nonsense/content${signed}`)).toEqual([403, 'forbidden']);
    expect(await ask(`${asset.url}&more=1`)).toEqual([400, 'invalid_request']);
    // The signature opens nothing else.
    expect(await ask(`/api/v1/assets/${asset.id}${signed}`)).toEqual([401, 'unauthorized']);
  });

  test('of another user is unknown', async () => {
    const { token } = await freshPerson(api);
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['', '/content', '/thumbnail'])
      expect((await api.call('GET', `/assets/${asset.id}${path}`, { headers })).status).toBe(404);
    expect((await api.call('DELETE', `/assets/${asset.id}`, { headers })).status).toBe(404);
  });

  test('reports missing bytes', async () => {
    const { body } = await upload('soon gone');
    await api.services.assets.removeBytes([body.id]);
    const answer = await fetchSigned(body.url);
    expect([answer.status, ((await answer.json()) as Answer['body']).error]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found' }),
    ]);
  });
});

describe('thumbnails', () => {
  test.each([
    ['an image', TINY_PNG],
    ['a video', CLIP_MP4],
  ])('of %s', async (_, bytes) => {
    const { body } = await upload(bytes);
    const answer = await fetchSigned(body.thumbnail_url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const content = Buffer.from(await answer.arrayBuffer());
    expect(content.subarray(8, 12).toString()).toBe('WEBP');
    const etag = answer.headers.get('etag') ?? '';
    expect((await fetchSigned(body.thumbnail_url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const part = await fetchSigned(body.thumbnail_url, { headers: { range: 'bytes=8-11' } });
    expect([part.status, await part.text()]).toEqual([206, 'WEBP']);
  });

  test('has no thumbnail if it is not visual', async () => {
    const { body } = await upload('words');
    const answer = await api.call('GET', `/assets/${body.id}/thumbnail`);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
  });
});

test('lists assets by kind and by execution', async () => {
  const { services } = api;
  const executionId = newId('job');
  const made = await services.assets.create({
    owner: owner(),
    body: TINY_PNG,
    filename: null,
    executionId,
    outputIndex: 0,
  });
  const ids = async (query: string) =>
    (await api.call('GET', `/assets${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await ids(`?execution_id=${executionId}`)).toEqual([made.id]);
  expect((await ids('?kind=image'))[0]).toBe(made.id);
  expect(await ids('?kind=audio')).toEqual([]);
  const page = await api.call('GET', '/assets?limit=1');
  expect(page.body).toMatchObject({ has_more: true, next_cursor: made.id });
  expect(page.body.data[0].url).toContain(made.id);
  for (const query of ['?kind=film', '?execution_id=x', '?after=x', '?limit=0'])
    expect((await api.call('GET', `/assets${query}`)).status).toBe(400);
});

test('deletes the bytes and the URL, and adds an audit entry', async () => {
  const { body } = await upload('to be deleted');
  const gone = await api.call('DELETE', `/assets/${body.id}`);
  expect(gone.body).toEqual({ id: body.id, object: 'asset', deleted: true });
  expect((await api.call('DELETE', `/assets/${body.id}`)).status).toBe(404);
  expect((await fetchSigned(body.url)).status).toBe(404);
  const { body: audit } = await api.call('GET', '/audit?action=asset.deleted');
  expect(audit.data[0].target).toEqual({ type: 'asset', id: body.id });
});
