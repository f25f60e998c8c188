import { createHash, randomUUID } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import type { Blobs } from './blobs.ts';

export interface TriedStore {
  blobs: Blobs;
  unfinished(): Promise<number>;
}

export const PART = 8 * 1024 * 1024;

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export const ownPrefix = () => `test/${randomUUID()}/`;

export function* inChunks(bytes: Uint8Array, size = 70_001): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export const codeOf = (error: unknown) => (error instanceof ChorusError ? error.code : String(error));
