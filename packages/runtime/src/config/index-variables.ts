import { join, resolve } from 'node:path';
import type { BlobsConfig } from './blob-variables.ts';

/** A folder, or a path in a bucket with the engine's S3 options. */
export interface IndexConfig {
  location: string;
  storageOptions?: Record<string, string>;
}

const BUCKET_PATH = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/[^\s?#]*[^\s?#/]\/?$/;

/** Reads KNOWLEDGE_INDEX_URL. `S3_…` variables describe its S3. Adds problems to `problems`. */
export function readIndex(
  given: Record<string, string | undefined>,
  dataDir: string,
  blobs: BlobsConfig | null,
  problems: string[],
): IndexConfig {
  const value = given.KNOWLEDGE_INDEX_URL?.trim();
  if (!value) return { location: join(dataDir, 'index') };
  if (!value.includes('://')) return { location: resolve(value) };
  if (!BUCKET_PATH.test(value)) {
    problems.push('KNOWLEDGE_INDEX_URL must be a folder, or s3://<bucket>/<path>');
    return { location: '' };
  }
  if (blobs?.kind === 's3') return { location: value.replace(/\/$/, ''), storageOptions: storageOptions(blobs) };
  problems.push('KNOWLEDGE_INDEX_URL needs S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, where it is in an S3');
  return { location: '' };
}

function storageOptions(s3: Extract<BlobsConfig, { kind: 's3' }>): Record<string, string> {
  return {
    aws_access_key_id: s3.accessKeyId,
    aws_secret_access_key: s3.secretAccessKey,
    aws_region: s3.region,
    // Otherwise the engine expects the bucket in the host name, even for a self-hosted server.
    aws_virtual_hosted_style_request: String(s3.endpoint === null && !s3.forcePathStyle),
    ...(s3.endpoint !== null && { aws_endpoint: s3.endpoint, allow_http: String(s3.endpoint.startsWith('http:')) }),
  };
}
