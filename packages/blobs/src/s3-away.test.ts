import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ChorusError } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { type OwnTestS3, S3_START_MS, s3IsGiven, startS3 } from '@chorus/testing';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Blobs } from './blobs.ts';
import { createS3Blobs } from './s3-blobs.ts';
import type { S3Config } from './s3-client.ts';
import { type S3Timeouts, TIMEOUTS } from './s3-timeouts.ts';

const log = createLogger({ name: 'test', level: 'silent' });

/** The real limits are too long for a test. */
const patience: S3Timeouts = {
  connectMs: 400,
  short: { tryMs: 700, totalMs: 1_000 },
  long: { tryMs: 700, totalMs: 1_000 },
  idleMs: 1_000,
};
/** Includes time for a busy machine. */
const BOUND_MS = 12_000;

const everyUse = (blobs: Blobs): [string, () => Promise<unknown>][] => [
  ['check', () => blobs.check()],
  ['put', () => blobs.put('a', Buffer.from('a'))],
  ['open', () => blobs.open('kept')],
  ['stat', () => blobs.stat('kept')],
  ['remove', () => blobs.remove('a')],
  ['removeMany', () => blobs.removeMany(['a', 'b'])],
  ['list', () => blobs.list()],
  ['removeUnfinished', () => blobs.removeUnfinished({ olderThan: new Date(0) })],
];

async function expectAway(blobs: Blobs): Promise<void> {
  await Promise.all(
    everyUse(blobs).map(async ([name, use]) => {
      const began = performance.now();
      const error: unknown = await use().catch((thrown) => thrown);
      expect(error, name).toBeInstanceOf(ChorusError);
      expect(error, name).toMatchObject({ code: 'store_unavailable', retryAfterS: 2 });
      expect(performance.now() - began, name).toBeLessThan(BOUND_MS);
    }),
  );
}

describe.skipIf(s3IsGiven)('a server that goes down and comes back', () => {
  let s3: OwnTestS3;
  let blobs: Blobs;
  /** Long timeouts, for a server that responds. */
  let patient: Blobs;

  beforeAll(async () => {
    s3 = await startS3();
    const { config } = s3.newBucket();
    [blobs, patient] = [createS3Blobs(config, log, patience), createS3Blobs(config, log)];
    await patient.put('kept', Buffer.from('kept'));
  }, S3_START_MS);
  afterAll(async () => {
    for (const each of [blobs, patient]) each?.close();
    await s3?.stop();
  });
  afterEach(() => s3.resume());

  test('a hanging server: each use fails with store_unavailable', async () => {
    s3.pause();
    await expectAway(blobs);
    s3.resume();
    await expect.poll(() => blobs.stat('kept').catch(() => null)).toMatchObject({ sizeBytes: 4 });
  });

  test('a silent stream fails its reader, but a slow reader is not a failure', async () => {
    const bytes = randomBytes(8_000_000);
    const own = createS3Blobs(s3.newBucket().config, log, { ...TIMEOUTS, idleMs: patience.idleMs });
    onTestFinished(() => own.close());
    await own.put('large', bytes);
    const slow = await own.open('large');
    const silent = await own.open('large');
    await Promise.all([once(slow, 'readable'), once(silent, 'readable')]);
    s3.pause();
    const began = performance.now();
    const error = await buffer(silent).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'store_unavailable', cause: { message: 'nothing came for 1000 ms' } });
    expect(performance.now() - began).toBeGreaterThan(900);
    s3.resume();
    expect((await buffer(slow)).equals(bytes)).toBe(true);
  });

  test('a server that dies during a put fails it and releases the source; later puts work again', async () => {
    const source = new PassThrough();
    const putting = blobs.put('broken', source).catch((error) => error);
    source.write(randomBytes(4_000_000));
    await s3.kill();
    source.on('error', () => undefined);
    const writing = setInterval(() => source.writable && source.write(randomBytes(1_000_000)), 5);
    onTestFinished(() => clearInterval(writing));
    expect(await putting).toMatchObject({ code: 'store_unavailable' });
    expect(source.destroyed).toBe(true);
    await expectAway(blobs);
    await s3.restart();
    expect(await patient.stat('broken')).toBeNull();
    expect(String(await buffer(await patient.open('kept')))).toBe('kept');
  });
});

/** Starts a server that sends the same answer to all. */
async function startPretender(answer: string, onFinished: typeof onTestFinished): Promise<S3Config> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    publicEndpoint: null,
    bucket: 'bucket',
    region: 'us-east-1',
    forcePathStyle: true,
    accessKeyId: 'id',
    secretAccessKey: 'secret',
  };
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/xml\r\n';

// They only wait, so they run concurrently.
test.concurrent.for([
  ['says nothing', ''],
  ['begins an answer and leaves it', `${head}content-length: 1000\r\n\r\n<ListBucketResult>`],
  ['is no S3', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'],
  ['does not speak HTTP', '-ERR unknown command\r\n'],
  ['fails', 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'],
  ['asks for an hour', 'HTTP/1.1 503 Slow Down\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n'],
  ['sends elsewhere', 'HTTP/1.1 301 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'],
])('a server that %s is unavailable, in bounded time', async ([, answer = ''], context) => {
  const config = await startPretender(answer, context.onTestFinished);
  const blobs = createS3Blobs(config, log, patience);
  context.onTestFinished(() => blobs.close());
  await expectAway(blobs);
});

test('a closed port makes the store unavailable immediately', async () => {
  const config = await startPretender('', onTestFinished);
  const blobs = createS3Blobs({ ...config, endpoint: 'http://127.0.0.1:1' }, log, patience);
  onTestFinished(() => blobs.close());
  await expectAway(blobs);
  const error = await blobs.check().catch((thrown) => thrown);
  expect(error.message).toBe('The object storage does not answer.');
  expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
});
