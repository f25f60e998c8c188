import { Readable } from 'node:stream';
import type { Logger } from '@chorus/runtime/log';
import type { Blobs } from './blobs.ts';
import { createFileBlobs } from './file-blobs.ts';
import type { S3Config } from './s3-client.ts';

export type BlobsConfig = { kind: 'files'; folder: string } | ({ kind: 's3' } & S3Config);

export function createBlobs(config: BlobsConfig, log: Logger): Blobs {
  if (config.kind === 'files') return createFileBlobs(config.folder);
  // Loading the SDK costs half a second and 23 MB.
  return loadedAtFirstUse('s3', async () => (await import('./s3-blobs.ts')).createS3Blobs(config, log));
}

function loadedAtFirstUse(kind: Blobs['kind'], load: () => Promise<Blobs>): Blobs {
  let loading: Promise<Blobs> | null = null;
  const loaded = (): Promise<Blobs> => {
    loading ??= load();
    return loading;
  };
  return {
    kind,
    put: async (key, source, options) => {
      // A source may fail during loading, and an error without a listener would end the process.
      if (source instanceof Readable) source.on('error', () => undefined);
      return (await loaded()).put(key, source, options);
    },
    open: async (...args) => (await loaded()).open(...args),
    stat: async (...args) => (await loaded()).stat(...args),
    remove: async (...args) => (await loaded()).remove(...args),
    removeMany: async (...args) => (await loaded()).removeMany(...args),
    list: async (...args) => (await loaded()).list(...args),
    removeUnfinished: async (...args) => (await loaded()).removeUnfinished(...args),
    presign: async (...args) => (await loaded()).presign(...args),
    check: async () => (await loaded()).check(),
    close: () => void loading?.then((blobs) => blobs.close()),
  };
}
