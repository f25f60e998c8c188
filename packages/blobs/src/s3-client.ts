import { S3Client } from '@aws-sdk/client-s3';

/** A bucket, and who comes to it. */
export interface S3Config {
  /** Null: Amazon's own of the region. */
  endpoint: string | null;
  /** Where those find it who get a presigned URL; null: at the same place. */
  publicEndpoint: string | null;
  bucket: string;
  region: string;
  forcePathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Tries of each request; between them the SDK waits a fraction of a second. */
const ATTEMPTS = 3;

/** More than anybody should have open: a stream to a slow client holds its connection. */
const MAX_CONNECTIONS = 512;

/** A client of the S3 API at one address. How long an answer may take is told with each request. */
export function createS3Client(config: S3Config, endpoint: string | null, connectMs: number): S3Client {
  const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  return new S3Client({
    ...(endpoint !== null && { endpoint }),
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
    maxAttempts: ATTEMPTS,
    retryMode: 'standard',
    // Else it sends checksums in a form that few servers but Amazon's know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A part is small and in memory: asking first would cost a connection of its own for each.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectMs,
      throwOnRequestTimeout: true,
      // A reader that is slow leaves its socket idle and must not lose it; who waits for bytes has a limit of its own.
      socketTimeout: 0,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}
