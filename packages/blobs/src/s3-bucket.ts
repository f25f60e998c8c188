import { CreateBucketCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import type { Logger } from '@chorus/log';
import type { S3Config } from './s3-client.ts';
import { isCausedBy } from './s3-errors.ts';
import type { Ask } from './s3-patience.ts';
import { storeUnavailable } from './store-errors.ts';

export interface S3Bucket {
  /** Does `work` once the bucket was found or made. While that fails, each call tries it again; one that finds it gone, too. */
  use<T>(work: () => Promise<T>): Promise<T>;
  /** Looks at it now, and makes it where it is missing. */
  check(): Promise<void>;
}

/**
 * The bucket, looked for at its first use. Listing says what is wrong, which a HEAD, an answer without a body, can't: a wrong secret, a wrong
 * region, a bucket of somebody else's.
 */
export function openBucket(client: S3Client, config: S3Config, ask: Ask, log: Logger): S3Bucket {
  const { bucket: Bucket, region, endpoint } = config;
  let found: Promise<void> | null = null;

  const make = async (): Promise<void> => {
    const elsewhere = endpoint === null && region !== 'us-east-1';
    const where = elsewhere && { CreateBucketConfiguration: { LocationConstraint: region as 'eu-west-1' } };
    try {
      await ask((options) => client.send(new CreateBucketCommand({ Bucket, ...where }), options), 'short');
      log.info({ bucket: Bucket }, 'bucket made');
    } catch (error) {
      if (isCausedBy(error, 'BucketAlreadyOwnedByYou')) return; // another process was quicker
      if (!isCausedBy(error, 'BucketAlreadyExists')) throw error;
      throw storeUnavailable('The bucket of the object storage belongs to somebody else.', (error as Error).cause);
    }
  };

  const check = async (): Promise<void> => {
    try {
      await ask((options) => client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }), options), 'short');
    } catch (error) {
      if (!isCausedBy(error, 'NoSuchBucket')) throw error;
      await make();
    }
  };

  const ready = (): Promise<void> => {
    found ??= check().catch((err) => {
      found = null;
      log.error({ err, bucket: Bucket }, 'the object storage cannot be used');
      throw err;
    });
    return found;
  };

  return {
    check,
    use: async (work) => {
      await ready();
      try {
        return await work();
      } catch (error) {
        if (isCausedBy(error, 'NoSuchBucket')) found = null;
        throw error;
      }
    },
  };
}
