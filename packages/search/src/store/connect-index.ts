import { mkdir } from 'node:fs/promises';
import type { Connection } from '@lancedb/lancedb';
import { loadLanceDB } from './load-lancedb.ts';
import { probeBucket } from './probe-bucket.ts';
import { withRetries } from './with-retries.ts';

export interface SearchConfig {
  /** A folder, created on first use and private to its owner, or `s3://bucket/path`. */
  location: string;
  /** Object storage options of the engine: `aws_access_key_id`, `aws_endpoint`, … */
  storageOptions?: Record<string, string> | undefined;
}

/** Memory per process for index data and table metadata; the engine's defaults are 6 and 1 GB. */
const INDEX_CACHE_BYTES = 512n * 1024n * 1024n;
const METADATA_CACHE_BYTES = 128n * 1024n * 1024n;

export const isInBucket = (location: string): boolean => location.startsWith('s3://');

export interface IndexConnections {
  /** Each read sees the latest commit. */
  latest: Connection;
  /** A table stays at the version it was opened at. */
  snapshots: Connection;
  close(): void;
}

export function connectIndex({ location, storageOptions = {} }: SearchConfig): Promise<IndexConnections> {
  return withRetries(async () => {
    if (isInBucket(location)) await probeBucket(location, storageOptions);
    else await mkdir(location, { recursive: true, mode: 0o700 });
    const lancedb = await loadLanceDB();
    const shared = { storageOptions, session: new lancedb.Session(INDEX_CACHE_BYTES, METADATA_CACHE_BYTES) };
    const [latest, snapshots] = await Promise.all([
      lancedb.connect(location, { ...shared, readConsistencyInterval: 0 }),
      lancedb.connect(location, shared),
    ]);
    return {
      latest,
      snapshots,
      close: () => {
        latest.close();
        snapshots.close();
      },
    };
  });
}
