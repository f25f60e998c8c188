import { ChunkMemory } from './chunk-memory.ts';
import { ScopeSizes } from './scope-sizes.ts';
import { VectorMemory } from './vector-memory.ts';

/** What searches of one table leave to those that follow. */
export interface SearchMemory {
  sizes: Pick<ScopeSizes, 'rowsOf'>;
  vectors: VectorMemory;
  chunks: ChunkMemory;
}

export const searchMemory = (dimensions: number): SearchMemory => ({
  sizes: new ScopeSizes(),
  vectors: new VectorMemory(dimensions),
  chunks: new ChunkMemory(),
});
