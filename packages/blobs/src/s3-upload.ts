import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Logger } from '@chorus/runtime/log';
import type { MeteredSource } from './metered-source.ts';
import { PartBuffers } from './part-buffers.ts';
import type { Ask } from './s3-timeouts.ts';

/** S3 accepts 10,000 parts: 83 GB. */
const PART_BYTES = 8 * 1024 * 1024;

const PARTS_AT_ONCE = 2;

export interface UploadParts {
  client: S3Client;
  ask: Ask;
  log: Logger;
}

interface Target {
  Bucket: string;
  Key: string;
  ContentType: string;
}

/**
 * Uploads a source: in one request if it is smaller than a part, otherwise in parts. The first error ends the upload
 * and removes its parts.
 *
 * The SDK's own `Upload` keeps sending after a part has failed, and returns from an abort before the parts are gone.
 */
export async function upload(
  parts: UploadParts,
  target: Target,
  source: MeteredSource,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { client, ask } = parts;
  const buffers = new PartBuffers(PART_BYTES);
  const pieces = buffers.of(source);
  const first = await pieces.next();
  signal?.throwIfAborted();
  const Body = first.value ?? Buffer.alloc(0);
  // Without the signal, since after a late abort the blob might exist or not.
  if (Body.length < PART_BYTES)
    await ask((options) => client.send(new PutObjectCommand({ ...target, Body }), options), 'long');
  else await uploadInParts(parts, target, source, buffers, [Body, pieces], signal);
}

async function uploadInParts(
  { client, ask, log }: UploadParts,
  target: Target,
  source: MeteredSource,
  buffers: PartBuffers,
  [first, others]: [Buffer, AsyncIterable<Buffer>],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { Bucket, Key } = target;
  // Without the signal, since the parts of an upload without a known id could not be removed.
  const { UploadId } = await ask((options) => client.send(new CreateMultipartUploadCommand(target), options), 'short');
  const done: CompletedPart[] = [];
  const underWay = new Set<Promise<void>>();
  const stop = new AbortController();
  const fail = (error: unknown) => {
    stop.abort(error);
    source.destroy();
  };

  const send = async (Body: Buffer, PartNumber: number): Promise<void> => {
    const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body });
    const { ETag } = await ask((options) => client.send(command, options), 'long', stop.signal);
    done.push({ PartNumber, ...(ETag !== undefined && { ETag }) });
    buffers.giveBack(Body);
  };
  const begin = async (part: Buffer, number: number): Promise<void> => {
    const sending: Promise<void> = send(part, number)
      .catch(fail)
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
    if (underWay.size >= PARTS_AT_ONCE) await Promise.race(underWay);
  };

  const onAbort = () => fail(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    let number = 1;
    await begin(first, number);
    for await (const part of others) {
      if (stop.signal.aborted) break;
      number += 1;
      await begin(part, number);
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(underWay);
  signal?.removeEventListener('abort', onAbort);
  if (!stop.signal.aborted) {
    const Parts = done.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
    const command = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    await ask((options) => client.send(command, options), 'long').catch(fail);
  }
  if (!stop.signal.aborted) return;
  const command = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
  await ask((options) => client.send(command, options), 'short').catch((err) => {
    log.warn({ err, key: Key }, 'parts of a failed upload may be left');
  });
  throw stop.signal.reason;
}
