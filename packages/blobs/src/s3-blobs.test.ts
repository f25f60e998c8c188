import { inspect } from 'node:util';
import {
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { ChorusError } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { S3_START_MS, sharedS3, type TestBucket, type TestS3 } from '@chorus/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Blobs } from './blobs.ts';
import { createBlobs } from './create-blobs.ts';
import { createS3Client } from './s3-client.ts';
import { describePort } from './test-port.ts';

const log = createLogger({ name: 'test', level: 'silent' });
let s3: TestS3;
let bucket: TestBucket;
let blobs: Blobs;

beforeAll(async () => {
  s3 = await sharedS3();
  bucket = s3.newBucket();
  blobs = createBlobs(bucket.config, log);
}, S3_START_MS);
afterAll(() => blobs?.close());

function bareClient({ config }: TestBucket) {
  const client = createS3Client(config, config.endpoint, 3_000);
  onTestFinished(() => client.destroy());
  return client;
}

async function unfinishedIn(tried: TestBucket): Promise<number> {
  const client = createS3Client(tried.config, tried.config.endpoint, 3_000);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: tried.config.bucket }));
  client.destroy();
  return Uploads.length;
}

function open(config: TestBucket['config']): Blobs {
  const opened = createBlobs(config, log);
  onTestFinished(() => opened.close());
  return opened;
}

describePort('S3', () => ({ blobs, unfinished: () => unfinishedIn(bucket) }));

test('the bucket is created on first use', async () => {
  const { config } = s3.newBucket();
  const several = [open(config), open(config), open(config)];
  await Promise.all(several.map((each, n) => each.put(`a/${n}`, Buffer.from('a'))));
  expect((await open(config).list()).blobs.map(({ key }) => key)).toEqual(['a/0', 'a/1', 'a/2']);
});

test('a deleted bucket fails one use, and is created again', async () => {
  const own = s3.newBucket();
  const opened = open(own.config);
  await opened.check();
  await opened.stat('a');
  await bareClient(own).send(new DeleteBucketCommand({ Bucket: own.config.bucket }));
  await expect(opened.list()).rejects.toMatchObject({
    code: 'store_unavailable',
    message: 'The bucket of the object storage does not exist.',
  });
  expect(await opened.list()).toEqual({ blobs: [], next: null });
});

test.each([
  ['secretAccessKey', 'another-secret'],
  ['accessKeyId', 'nobody:known'],
])('a wrong %s is refused with a clear error that contains no credentials', async (name, value) => {
  const refused = open({ ...s3.newBucket().config, [name]: value });
  const failures = [
    await refused.check().catch((error) => error),
    await refused.put('a', Buffer.from('a')).catch((error) => error),
    await refused.open('a').catch((error) => error),
    await refused.stat('a').catch((error) => error),
    await refused.remove('a').catch((error) => error),
  ];
  for (const error of failures) {
    expect(error).toBeInstanceOf(ChorusError);
    expect(error.code).toBe('store_unavailable');
    expect(error.message).toBe('The object storage refuses the configured credentials.');
    expect(error.cause).toMatchObject({ name: 'SignatureDoesNotMatch', status: 403 });
    const shown = inspect(error, { depth: 10, showHidden: true });
    expect(shown).not.toMatch(/another-secret|secret-of-the-tests|nobody:known|chorus:tester|AWS4-HMAC/);
  }
});

test('a presigned URL serves the content with the requested headers', async () => {
  await blobs.put('signed/cat', Buffer.from('a cat'), { contentType: 'image/png' });
  const contentDisposition = `attachment; filename="k.txt"; filename*=UTF-8''k%C3%A4tzchen.txt`;
  const url = await blobs.presign('signed/cat', { expiresInS: 60, contentType: 'text/plain', contentDisposition });
  const answer = await fetch(url as string);
  expect(await answer.text()).toBe('a cat');
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(answer.headers.get('content-disposition')).toBe(contentDisposition);
  const plain = await fetch((await blobs.presign('signed/cat', { expiresInS: 60 })) as string, {
    headers: { range: 'bytes=2-4' },
  });
  expect([plain.status, await plain.text()]).toEqual([206, 'cat']);
  expect(plain.headers.get('content-type')).toBe('image/png');
});

test('a presigned URL is limited to one key, its headers, and a time', async () => {
  await blobs.put('signed/one', Buffer.from('one'));
  await blobs.put('signed/two', Buffer.from('two'));
  const url = (await blobs.presign('signed/one', { expiresInS: 1, contentType: 'text/plain' })) as string;
  const statusOf = async (address: string) => (await fetch(address)).status;
  expect(await statusOf(url.replace('signed/one', 'signed/two'))).toBe(403);
  expect(await statusOf(url.replace('text%2Fplain', 'text%2Fhtml'))).toBe(403);
  expect(await statusOf(url.replace('X-Amz-Expires=1', 'X-Amz-Expires=1000'))).toBe(403);
  await expect.poll(() => statusOf(url), { timeout: 10_000, interval: 250 }).toBe(403);
  expect(await (await fetch(url)).text()).toContain('expired');
  for (const expiresInS of [0, -1, 0.5, 604_801, Number.NaN])
    await expect(blobs.presign('signed/one', { expiresInS })).rejects.toThrow(RangeError);
});

test('a presigned URL uses the public endpoint', async () => {
  const opened = open({ ...bucket.config, publicEndpoint: 'https://files.example' as unknown as null });
  const url = new URL((await opened.presign('a', { expiresInS: 60 })) as string);
  expect([url.origin, url.pathname]).toEqual(['https://files.example', `/${bucket.config.bucket}/a`]);
  const virtual = open({ ...bucket.config, endpoint: 'https://s3.example', forcePathStyle: false as unknown as true });
  expect((await virtual.presign('a', { expiresInS: 60 }))?.split('/')[2]).toBe(`${bucket.config.bucket}.s3.example`);
});

test('old uploads of dead processes are removed', async () => {
  const own = s3.newBucket();
  const opened = open(own.config);
  await opened.check();
  const client = bareClient(own);
  for (const Key of ['assets/a', 'assets/b', 'other/c']) {
    const target = { Bucket: own.config.bucket, Key };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
    await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: Buffer.from('part') }));
  }
  const hour = 3_600_000;
  expect(await opened.removeUnfinished({ olderThan: new Date(Date.now() - hour) })).toBe(0);
  expect(await opened.removeUnfinished({ olderThan: new Date(Date.now() + hour), prefix: 'assets/' })).toBe(2);
  expect(await unfinishedIn(own)).toBe(1);
  expect(await opened.removeUnfinished({ olderThan: new Date(Date.now() + hour) })).toBe(1);
  expect((await opened.list()).blobs).toEqual([]);
});
