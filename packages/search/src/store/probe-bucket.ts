import { randomUUID } from 'node:crypto';
import { ChorusError } from '@chorus/contract';

/** How long each of three small requests may take, in milliseconds. */
const REQUEST_MS = 10_000;

/**
 * Makes sure that an object storage refuses to overwrite where it is told not to (`If-None-Match: *`): the index's commits rest on it. One that
 * ignores the condition, as some servers do, lets two processes commit the same version, and rows are lost without a word.
 *
 * @throws ChorusError store_unavailable: it does not, or it can't be reached
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
    if (!refused) throw unfit();
  } catch (error) {
    if (error instanceof ChorusError) throw error;
    if (isUnknownCondition(error)) throw unfit(nameOf(error));
    throw nameOf(error);
  } finally {
    await client.send(new DeleteObjectCommand({ Bucket, Key })).catch(() => undefined);
    client.destroy();
  }
}

/** What of an SDK's error may be logged: the rest of it holds what the request was signed with. */
const nameOf = (error: unknown): Error =>
  error instanceof Error ? new Error(`${error.name}: ${error.message}`) : new Error('the object storage failed');

/** A server that answers the condition with "not implemented" or "bad request" does not know it. */
function isUnknownCondition(error: unknown): boolean {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return status === 501 || status === 400;
}

const unfit = (cause?: unknown): ChorusError =>
  new ChorusError(
    'store_unavailable',
    'The object storage of KNOWLEDGE_INDEX_URL does not honour conditional writes, which a search index needs: use another one, or a folder.',
    { cause },
  );
