import type { ParsedDocument } from '../documents.ts';
import { type Chunk, type ChunkSettings, DEFAULT_SETTINGS } from './chunk.ts';
import { ChunkPacker } from './chunk-packer.ts';

export type { Chunk, ChunkSettings } from './chunk.ts';

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
