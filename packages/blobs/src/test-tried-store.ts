import { createHash, randomUUID } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import type { Blobs } from './blobs.ts';

/** A store that is tried, and what its tests look at from behind. */
export interface TriedStore {
  blobs: Blobs;
  /** How many puts have left something that is no blob. */
  unfinished(): Promise<number>;
}

/** Of an upload to S3, in bytes. */
export const PART = 8 * 1024 * 1024;

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A prefix of one test's own. */
export const ownPrefix = () => `test/${randomUUID()}/`;

/** Bytes in chunks of an odd size, as a network brings them. */
export function* inChunks(bytes: Uint8Array, size = 70_001): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export const codeOf = (error: unknown) => (error instanceof ChorusError ? error.code : String(error));
