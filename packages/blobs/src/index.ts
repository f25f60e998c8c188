export type { BlobSource, BlobStat, Blobs, ByteRange, PresignOptions, PutOptions, PutResult } from './blobs.ts';
export { type BlobsConfig, createBlobs } from './create-blobs.ts';
