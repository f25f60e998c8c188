import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  ListObjectsV2Command,
  type MultipartUpload,
  type S3Client,
} from '@aws-sdk/client-s3';
import { assertPrefix, isKey } from './blob-key.ts';
import type { BlobStat } from './blobs.ts';
import type { Ask } from './s3-timeouts.ts';

const MAX_PAGE = 1_000;

export async function listObjects(
  client: S3Client,
  ask: Ask,
  Bucket: string,
  { prefix = '', after, limit = MAX_PAGE }: { prefix?: string; after?: string; limit?: number },
): Promise<{ blobs: BlobStat[]; next: string | null }> {
  assertPrefix(prefix);
  const command = new ListObjectsV2Command({
    Bucket,
    Prefix: prefix,
    MaxKeys: Math.min(limit, MAX_PAGE),
    ...(after !== undefined && { StartAfter: after }),
  });
  const { Contents = [], IsTruncated } = await ask((options) => client.send(command, options), 'short');
  const blobs = Contents.filter(({ Key = '' }) => isKey(Key)).map(({ Key = '', Size = 0, LastModified }) => ({
    key: Key,
    sizeBytes: Size,
    modifiedAt: LastModified ?? new Date(),
  }));
  return { blobs, next: (IsTruncated && Contents.at(-1)?.Key) || null };
}

export async function removeUnfinishedUploads(
  client: S3Client,
  ask: Ask,
  Bucket: string,
  { olderThan, prefix = '' }: { olderThan: Date; prefix?: string },
): Promise<number> {
  assertPrefix(prefix);
  let removed = 0;
  for (let from: Markers | null = {}; from !== null; ) {
    const { Uploads, next } = await listUploads(client, ask, { Bucket, Prefix: prefix, ...from });
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (!Initiated || Initiated >= olderThan) continue;
      const command = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
      await ask((options) => client.send(command, options), 'short');
      removed += 1;
    }
    from = next;
  }
  return removed;
}

type Markers = Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'>;

async function listUploads(
  client: S3Client,
  ask: Ask,
  input: ListMultipartUploadsCommandInput,
): Promise<{ Uploads: MultipartUpload[]; next: Markers | null }> {
  const command = new ListMultipartUploadsCommand(input);
  const page = await ask((options) => client.send(command, options), 'short');
  const { Uploads = [], IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
  return { Uploads, next: IsTruncated && KeyMarker ? { KeyMarker, ...(UploadIdMarker && { UploadIdMarker }) } : null };
}
