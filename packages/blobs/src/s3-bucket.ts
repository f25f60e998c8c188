import { CreateBucketCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import type { Logger } from '@chorus/runtime/log';
import type { S3Config } from './s3-client.ts';
import { isCausedBy } from './s3-errors.ts';
import type { Ask } from './s3-timeouts.ts';
import { storeUnavailable } from './store-errors.ts';

export interface S3Bucket {
  /** Finds or creates the bucket, then runs `work`. Checks again after a failure, or if the bucket was deleted. */
  use<T>(work: () => Promise<T>): Promise<T>;
  check(): Promise<void>;
}

/**
 * Opens the bucket on first use.
 *
 * Lists objects, since a failed HEAD request does not say whether the secret, the region, or the owner is wrong.
 */
export function openBucket(client: S3Client, config: S3Config, ask: Ask, log: Logger): S3Bucket {
  const { bucket: Bucket, region, endpoint } = config;
  let found: Promise<void> | null = null;

  const make = async (): Promise<void> => {
    const elsewhere = endpoint === null && region !== 'us-east-1';
    const where = elsewhere && { CreateBucketConfiguration: { LocationConstraint: region as 'eu-west-1' } };
    try {
      await ask((options) => client.send(new CreateBucketCommand({ Bucket, ...where }), options), 'short');
      log.info({ bucket: Bucket }, 'bucket created');
    } catch (error) {
      if (isCausedBy(error, 'BucketAlreadyOwnedByYou')) return;
      if (!isCausedBy(error, 'BucketAlreadyExists')) throw error;
      throw storeUnavailable('The bucket of the object storage belongs to another account.', (error as Error).cause);
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
      log.error({ err, bucket: Bucket }, 'the object storage does not work');
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
