import { addAbortSignal, type Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import { assertKey, assertRange, removeEach } from './blob-key.ts';
import type { Blobs, ByteRange } from './blobs.ts';
import { meterSource } from './metered-source.ts';
import { openBucket } from './s3-bucket.ts';
import { createS3Client, type S3Config } from './s3-client.ts';
import { fromS3 } from './s3-errors.ts';
import { listObjects, removeUnfinishedUploads } from './s3-list.ts';
import { askWithin, guardIdle, type S3Timeouts, TIMEOUTS } from './s3-timeouts.ts';
import { upload } from './s3-upload.ts';
import { storeUnavailable } from './store-errors.ts';

const MAX_EXPIRY_S = 604_800;

const UNKNOWN_TYPE = 'application/octet-stream';

export function createS3Blobs(config: S3Config, log: Logger, timeouts: S3Timeouts = TIMEOUTS): Blobs {
  const { bucket: Bucket } = config;
  const client = createS3Client(config, config.endpoint, timeouts.connectMs);
  const publicClient = createS3Client(config, config.publicEndpoint ?? config.endpoint, timeouts.connectMs);
  const ask = askWithin(timeouts, config);
  const bucket = openBucket(client, config, ask, log);

  const open = async (Key: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable> => {
    const Range = range && `bytes=${range.start}-${range.end ?? ''}`;
    const command = new GetObjectCommand({ Bucket, Key, ...(Range && { Range }) });
    const { Body, ContentRange } = await ask((options) => client.send(command, options), 'short', signal);
    const body = Body as Readable;
    if (range && ContentRange === undefined) {
      body.on('error', () => undefined).destroy();
      throw storeUnavailable('The object storage does not support ranges.', null);
    }
    const stream = guardIdle(body, timeouts.idleMs, (cause) => fromS3(cause, config));
    return signal ? addAbortSignal(signal, stream) : stream;
  };

  const remove = async (Key: string): Promise<void> => {
    assertKey(Key);
    const command = new DeleteObjectCommand({ Bucket, Key });
    await bucket.use(() => ask((options) => client.send(command, options), 'short'));
  };

  return {
    kind: 's3',
    put: async (Key, source, options = {}) => {
      const metered = meterSource(source, options);
      try {
        assertKey(Key);
        const target = { Bucket, Key, ContentType: options.contentType ?? UNKNOWN_TYPE };
        await bucket.use(() => upload({ client, ask, log }, target, metered, options.signal));
        return metered.result();
      } finally {
        metered.destroy();
      }
    },
    open: async (key, { range, signal } = {}) => {
      assertKey(key);
      if (range) assertRange(range);
      return bucket.use(() => open(key, range, signal));
    },
    stat: async (key) => {
      assertKey(key);
      const command = new HeadObjectCommand({ Bucket, Key: key });
      try {
        const found = await bucket.use(() => ask((options) => client.send(command, options), 'short'));
        return { key, sizeBytes: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date() };
      } catch (error) {
        if (error instanceof ChorusError && error.code === 'not_found') return null;
        throw error;
      }
    },
    remove,
    // One by one: some servers refuse the SDK's request that removes many.
    removeMany: (keys) => removeEach(keys, remove),
    list: (page = {}) => bucket.use(() => listObjects(client, ask, Bucket, page)),
    removeUnfinished: (which) => bucket.use(() => removeUnfinishedUploads(client, ask, Bucket, which)),
    presign: async (key, { expiresInS, contentType, contentDisposition }) => {
      assertKey(key);
      if (!Number.isInteger(expiresInS) || expiresInS < 1 || expiresInS > MAX_EXPIRY_S)
        throw new RangeError(`expiresInS must be an integer from 1 to ${MAX_EXPIRY_S}, not ${expiresInS}`);
      const command = new GetObjectCommand({
        Bucket,
        Key: key,
        ...(contentType !== undefined && { ResponseContentType: contentType }),
        ...(contentDisposition !== undefined && { ResponseContentDisposition: contentDisposition }),
      });
      return getSignedUrl(publicClient, command, { expiresIn: expiresInS });
    },
    check: () => bucket.check(),
    close: () => {
      client.destroy();
      publicClient.destroy();
    },
  };
}
