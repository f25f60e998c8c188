import { mkdir } from 'node:fs/promises';
import type { Connection } from '@lancedb/lancedb';
import { loadLanceDB } from './load-lancedb.ts';
import { probeBucket } from './probe-bucket.ts';
import { withRetries } from './with-retries.ts';

export interface SearchConfig {
  /** A folder, made at the first use for its owner alone, or `s3://bucket/path`. */
  location: string;
  /** What the engine is told of an object storage: `aws_access_key_id`, `aws_endpoint`, … */
  storageOptions?: Record<string, string> | undefined;
}

/** What each process keeps in memory of indexes, and of what tables are made of; the engine's own bounds are 6 and 1 GB. */
const INDEX_CACHE_BYTES = 512n * 1024n * 1024n;
const METADATA_CACHE_BYTES = 128n * 1024n * 1024n;

export const isInBucket = (location: string): boolean => location.startsWith('s3://');

/** Two views of one index, which share what they keep in memory. */
export interface IndexConnections {
  /** Each read sees what was committed before it. */
  latest: Connection;
  /** A table stays as it was when it was opened. */
  snapshots: Connection;
  close(): void;
}

/** Opens the place where an index is. */
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
