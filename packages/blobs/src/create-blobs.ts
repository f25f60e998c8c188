import type { Logger } from '@chorus/log';
import type { Blobs } from './blobs.ts';
import { createFileBlobs } from './file-blobs.ts';

/** Where blobs lie; the configuration's `blobs` is one. */
export type BlobsConfig = { kind: 'files'; folder: string };

/** The store of blobs that the configuration names. Nothing is opened or asked before the first use. */
export function createBlobs(config: BlobsConfig, _log: Logger): Blobs {
  return createFileBlobs(config.folder);
}
