import { join } from 'node:path';
import { issueMessage } from '@chorus/contract/errors';
import { z } from 'zod';
import { optionalFlag, text, webUrl } from './variables.ts';

export type BlobsConfig =
  | { kind: 'files'; folder: string }
  | {
      kind: 's3';
      /** Null: Amazon's endpoint for the region. */
      endpoint: string | null;
      /** For presigned URLs. Null: the same endpoint. */
      publicEndpoint: string | null;
      bucket: string;
      region: string;
      /** Whether to put the bucket into the path instead of the host name. */
      forcePathStyle: boolean;
      accessKeyId: string;
      secretAccessKey: string;
    };

const REQUIRED = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
export const BLOB_VARIABLES = ['S3_ENDPOINT', 'S3_PUBLIC_ENDPOINT', 'S3_REGION', 'S3_FORCE_PATH_STYLE', ...REQUIRED];

/** An endpoint without path and credentials: a path would be lost, and credentials would be shown. */
const endpoint = webUrl.refine((value) => value === null || value === new URL(value).origin, {
  error: 'must be no more than http:// or https:// with a host and a port',
});

const required = z.string().trim().min(1).nullable().default(null);

const variables = z.object({
  S3_ENDPOINT: endpoint,
  S3_PUBLIC_ENDPOINT: endpoint,
  S3_BUCKET: required.refine((value) => value === null || /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value), {
    error: 'must have 3 to 63 characters: small letters, digits, dots and hyphens',
  }),
  S3_REGION: text('us-east-1'),
  S3_FORCE_PATH_STYLE: optionalFlag,
  S3_ACCESS_KEY_ID: required,
  S3_SECRET_ACCESS_KEY: required,
});

/** Reads all `S3_…` variables, or none for files in `dataDir`. Adds problems to `problems`. */
export function readBlobs(
  given: Record<string, string | undefined>,
  dataDir: string,
  problems: string[],
): BlobsConfig | null {
  if (BLOB_VARIABLES.every((name) => given[name] === undefined))
    return { kind: 'files', folder: join(dataDir, 'blobs') };
  const { success, data, error } = variables.safeParse(given, { error: issueMessage });
  if (!success) problems.push(...error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
  const missing = REQUIRED.filter((name) => !given[name]?.trim());
  problems.push(...missing.map((name) => `${name} is required where another S3_ variable is set`));
  if (!success || missing.length > 0) return null;
  return {
    kind: 's3',
    endpoint: data.S3_ENDPOINT,
    publicEndpoint: data.S3_PUBLIC_ENDPOINT,
    bucket: data.S3_BUCKET ?? '',
    region: data.S3_REGION,
    // Amazon has a host name for each bucket, but self-hosted servers rarely do.
    forcePathStyle: data.S3_FORCE_PATH_STYLE ?? data.S3_ENDPOINT !== null,
    accessKeyId: data.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: data.S3_SECRET_ACCESS_KEY ?? '',
  };
}
