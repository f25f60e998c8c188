import { setImmediate } from 'node:timers/promises';
import type { ParsedDocument } from '../documents.ts';
import { type Chunk, type ChunkSettings, DEFAULT_SETTINGS } from './chunk.ts';
import { ChunkPacker } from './chunk-packer.ts';

export type { Chunk, ChunkSettings } from './chunk.ts';

/** How long the event loop waits for it at once, in milliseconds. */
const TURN_MS = 10;

/**
 * The document in chunks that follow its structure: none goes over the beginning of a section unless that is a very short one, tables are cut between
 * rows and begin with their header, code stays whole where it fits, text is cut between sentences.
 */
export function chunkDocument(
  { blocks }: Pick<ParsedDocument, 'blocks'>,
  settings: Partial<ChunkSettings> = {},
): Chunk[] {
  const packer = new ChunkPacker({ ...DEFAULT_SETTINGS, ...settings });
  for (const block of blocks) packer.add(block);
  return packer.end();
}

/** The same for documents of any length: whatever else the process does has its turn in between. @throws the signal's reason */
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
