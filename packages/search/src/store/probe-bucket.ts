import { randomUUID } from 'node:crypto';
import { ChorusError } from '@chorus/contract/errors';

const REQUEST_MS = 10_000;

/**
 * Checks that the object storage supports conditional writes (`If-None-Match: *`), which commits rely on. A
 * server that ignores the condition would let two processes commit the same version, and rows would be lost
 * silently.
 *
 * @throws {ChorusError} store_unavailable if it does not, or cannot be reached
 */
export async function probeBucket(location: string, options: Record<string, string>): Promise<void> {
  const { S3Client, PutObjectCommand, DeleteObjectCommand } = await import('@aws-sdk/client-s3');
  const { hostname: Bucket, pathname } = new URL(location);
  const Key = `${pathname.slice(1)}/probe-${randomUUID()}`;
  const client = new S3Client({
    ...(options.aws_endpoint && { endpoint: options.aws_endpoint }),
    region: options.aws_region ?? 'us-east-1',
    forcePathStyle: options.aws_virtual_hosted_style_request !== 'true',
    credentials: {
      accessKeyId: options.aws_access_key_id ?? '',
      secretAccessKey: options.aws_secret_access_key ?? '',
    },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { requestTimeout: REQUEST_MS, connectionTimeout: REQUEST_MS, throwOnRequestTimeout: true },
  });
  const put = () => client.send(new PutObjectCommand({ Bucket, Key, Body: 'probe', IfNoneMatch: '*' }));
  try {
    await put();
    const refused = await put().then(
      () => false,
      (error: { $metadata?: { httpStatusCode?: number } }) => error.$metadata?.httpStatusCode === 412,
    );
    if (!refused) throw unsupported();
  } catch (error) {
    if (error instanceof ChorusError) throw error;
    if (isUnknownCondition(error)) throw unsupported(safeError(error));
    throw safeError(error);
  } finally {
    await client.send(new DeleteObjectCommand({ Bucket, Key })).catch(() => undefined);
    client.destroy();
  }
}

/** Keeps the parts of an SDK error that are safe to log, since the rest contains signing data. */
const safeError = (error: unknown): Error =>
  error instanceof Error ? new Error(`${error.name}: ${error.message}`) : new Error('the object storage failed');

function isUnknownCondition(error: unknown): boolean {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return status === 501 || status === 400;
}

const unsupported = (cause?: unknown): ChorusError =>
  new ChorusError(
    'store_unavailable',
    'The object storage in KNOWLEDGE_INDEX_URL does not support conditional writes, which the search index needs. Use another one, or a folder.',
    { cause },
  );
