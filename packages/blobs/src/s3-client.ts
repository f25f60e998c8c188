import { S3Client } from '@aws-sdk/client-s3';

export interface S3Config {
  /** Null: Amazon's endpoint for the region. */
  endpoint: string | null;
  /** For presigned URLs. Null: the same endpoint. */
  publicEndpoint: string | null;
  bucket: string;
  region: string;
  forcePathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

const ATTEMPTS = 3;

/** High, since a stream to a slow client holds its connection. */
const MAX_CONNECTIONS = 512;

export function createS3Client(config: S3Config, endpoint: string | null, connectMs: number): S3Client {
  const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  return new S3Client({
    ...(endpoint !== null && { endpoint }),
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
    maxAttempts: ATTEMPTS,
    retryMode: 'standard',
    // Few servers other than Amazon's support the SDK's form of checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Parts are small and in memory. Asking first would cost a connection for each.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectMs,
      throwOnRequestTimeout: true,
      // A slow reader leaves its socket idle and must not lose it. `guardIdle` limits waits for bytes.
      socketTimeout: 0,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}
