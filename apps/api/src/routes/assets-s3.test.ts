import { randomBytes } from 'node:crypto';
import { type OwnTestS3, S3_START_MS, s3IsGiven, startS3, TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, startTestApi, type TestApi } from '../test-api.ts';

let s3: OwnTestS3;
let api: TestApi;
beforeAll(async () => {
  if (s3IsGiven) return;
  s3 = await startS3();
  const { config, env } = s3.newBucket();
  api = await startTestApi({ ...env, S3_PUBLIC_ENDPOINT: config.endpoint });
}, S3_START_MS);
afterAll(async () => {
  await api?.stop();
  await s3?.stop();
});

function upload(bytes: Uint8Array | string, filename = 'a.bin'): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([bytes as string]), filename);
  return api.call('POST', '/assets', { body: form });
}

const fetchSigned = (address: string, init: RequestInit = {}) => fetch(new URL(address, api.url), init);

test.skipIf(s3IsGiven)('redirects plain content to the bucket, with its type and name', async () => {
  const { body } = await upload(TINY_PNG, 'été.png');
  const answer = await fetchSigned(body.url, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  expect(answer.headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
  const location = answer.headers.get('location') ?? '';
  expect(location).toMatch(/X-Amz-Signature=/);
  const found = await fetch(location);
  expect(Buffer.from(await found.arrayBuffer())).toEqual(TINY_PNG);
  expect(found.headers.get('content-type')).toBe('image/png');
  expect(found.headers.get('content-disposition')).toMatch(/^inline; filename="_t_\.png"/);
  const part = await fetchSigned(body.url, { headers: { range: 'bytes=1-3' } });
  expect([part.status, await part.text()]).toEqual([206, 'PNG']);
  const small = await fetchSigned(body.thumbnail_url, { redirect: 'manual' });
  expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp']);
  await small.arrayBuffer();
});

test.skipIf(s3IsGiven)('serves other content through the API, whole and in ranges', async () => {
  const bytes = randomBytes(20_000_000);
  bytes[0] = 1;
  const { status, body } = await upload(bytes);
  expect([status, body.size_bytes]).toEqual([200, bytes.length]);
  const whole = await fetchSigned(body.url, { redirect: 'error' });
  expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
  const part = await fetchSigned(body.url, { redirect: 'error', headers: { range: 'bytes=9999990-10000009' } });
  expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(9_999_990, 10_000_010));
  expect((await api.call('DELETE', `/assets/${body.id}`)).status).toBe(200);
  expect((await fetchSigned(body.url)).status).toBe(404);
});

test.skipIf(s3IsGiven)('reports a store that is down without waiting forever', async () => {
  const { body } = await upload('some words');
  await s3.kill();
  const before = (await api.call('GET', '/assets')).body.data.length;
  const [refused, gone] = await Promise.all([upload('more words'), fetchSigned(body.url)]);
  expect([refused.status, refused.body.error.code]).toEqual([503, 'store_unavailable']);
  expect(gone.status).toBe(503);
  await gone.text();
  expect((await api.call('GET', `/assets/${body.id}`)).status).toBe(200);
  await s3.restart();
  expect(await (await fetchSigned(body.url)).text()).toBe('some words');
  expect((await upload('more words')).status).toBe(200);
  expect((await api.call('GET', '/assets')).body.data.length).toBe(before + 1);
});

test.skipIf(s3IsGiven)('lets the console load from this bucket only', async () => {
  const page = await fetch(`${api.url}/`, { headers: { accept: 'text/html' } });
  const policy = page.headers.get('content-security-policy') ?? '';
  const { endpoint, bucket } = api.config.blobs as { endpoint: string; bucket: string };
  const { origin } = new URL(endpoint);
  expect(policy).toContain(`img-src 'self' ${origin}/${bucket}/ blob: data:;`);
  expect(policy).toContain(`connect-src 'self' ${origin}/${bucket}/;`);
  expect(policy).not.toContain('*');
});
