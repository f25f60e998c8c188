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

/** Other fields of the SDK's errors must not be shown: they repeat credentials and signatures. */
interface SdkError extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number; requestId?: string };
}

interface S3Cause extends Error {
  code?: string;
  status?: number;
  requestId?: string;
}

/** Translates an error of the SDK. Keeps only its name and message, as the cause. */
export function fromS3(error: unknown, config: S3Config): Error {
  const { name, $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode;
  const cause = causeOf(error as SdkError, config);
  if (name === 'InvalidRange' || status === 416)
    return new RangeError('the blob has no bytes in that range', { cause });
  if (name === 'NoSuchBucket') return storeUnavailable('The bucket of the object storage does not exist.', cause);
  if (status === 404 && name !== 'NoSuchUpload') return notFound(cause);
  if (REFUSALS.has(name) || status === 401 || status === 403)
    return storeUnavailable('The object storage refuses the configured credentials.', cause);
  if (status === undefined) return storeUnavailable('The object storage does not answer.', cause);
  return storeUnavailable('The object storage failed.', cause);
}

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

/** Joins the messages of a host with several addresses, whose error has no message. */
function messageOf(error: SdkError): string {
  if (error instanceof AggregateError) return error.errors.map((each) => (each as Error).message).join('; ');
  return error.message;
}
