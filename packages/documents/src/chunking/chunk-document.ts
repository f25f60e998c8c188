import { setImmediate } from 'node:timers/promises';
import type { ParsedDocument } from '../documents.ts';
import { type Chunk, type ChunkSettings, DEFAULT_SETTINGS } from './chunk.ts';
import { ChunkPacker } from './chunk-packer.ts';

export type { Chunk, ChunkSettings } from './chunk.ts';

/** Maximum time to block the event loop. */
const TURN_MS = 10;

/**
 * Cuts a document into chunks that follow its structure.
 *
 * Chunks do not cross sections unless a section is very short. Tables are cut between rows and repeat their header,
 * code stays whole if it fits, and text is cut between sentences.
 */
export function chunkDocument(
  { blocks }: Pick<ParsedDocument, 'blocks'>,
  settings: Partial<ChunkSettings> = {},
): Chunk[] {
  const packer = new ChunkPacker({ ...DEFAULT_SETTINGS, ...settings });
  for (const block of blocks) packer.add(block);
  return packer.end();
}

/** Cuts documents of any length without blocking the event loop. @throws the signal's reason */
export async function chunkInTurns(
  { blocks }: Pick<ParsedDocument, 'blocks'>,
  { signal, ...settings }: Partial<ChunkSettings> & { signal?: AbortSignal } = {},
): Promise<Chunk[]> {
  const packer = new ChunkPacker({ ...DEFAULT_SETTINGS, ...settings });
  let began = performance.now();
  for (const block of blocks) {
    packer.add(block);
    if (performance.now() - began < TURN_MS) continue;
    await setImmediate();
    signal?.throwIfAborted();
    began = performance.now();
  }
  return packer.end();
}
