import type { S3Config } from './s3-client.ts';
import { notFound, storeUnavailable } from './store-errors.ts';

const REFUSALS = new Set([
  'AccessDenied',
  'AccountProblem',
  'ExpiredToken',
  'Forbidden',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
  'Unauthorized',
]);

/** What an error of the SDK's may have, among much that must not be shown: its own fields repeat who asked, and how that was signed. */
interface SdkError extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number; requestId?: string };
}

/** What is left of an error of the SDK's for logs. */
interface S3Cause extends Error {
  code?: string;
  status?: number;
  requestId?: string;
}

/** The platform's error for one of the SDK's, whose name and message are kept as its cause, and nothing else. */
export function fromS3(error: unknown, config: S3Config): Error {
  const { name, $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode;
  const cause = causeOf(error as SdkError, config);
  if (name === 'InvalidRange' || status === 416) return new RangeError('the blob has no byte in that range', { cause });
  if (name === 'NoSuchBucket') return storeUnavailable('The bucket of the object storage does not exist.', cause);
  if (status === 404 && name !== 'NoSuchUpload') return notFound(cause);
  if (REFUSALS.has(name) || status === 401 || status === 403)
    return storeUnavailable('The object storage refuses the access that is configured.', cause);
  if (status === undefined) return storeUnavailable('The object storage does not answer.', cause);
  return storeUnavailable('The object storage could not do what was asked.', cause);
}

/** Whether the SDK's error, which stands as the cause of ours, has that name. */
export function isCausedBy(error: unknown, ...names: string[]): boolean {
  const { cause } = error as Error;
  return cause instanceof Error && names.includes(cause.name);
}

function causeOf(error: SdkError, { accessKeyId, secretAccessKey }: S3Config): S3Cause {
  const message = [secretAccessKey, accessKeyId].reduce(
    (text, secret) => text.replaceAll(secret, '[redacted]'),
    messageOf(error),
  );
  const { httpStatusCode, requestId } = error.$metadata ?? {};
  return Object.assign(new Error(message), {
    name: error.name,
    ...(error.code !== undefined && { code: error.code }),
    ...(httpStatusCode !== undefined && { status: httpStatusCode }),
    ...(requestId !== undefined && { requestId }),
  });
}

/** A host with several addresses fails with one error for each, and no message of its own. */
function messageOf(error: SdkError): string {
  if (error instanceof AggregateError) return error.errors.map((each) => (each as Error).message).join('; ');
  return error.message;
}
