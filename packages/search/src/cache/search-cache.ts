import { ChunkCache } from './chunk-cache.ts';
import { ScopeSizes } from './scope-sizes.ts';
import { VectorCache } from './vector-cache.ts';

export interface SearchCache {
  sizes: Pick<ScopeSizes, 'rowsOf'>;
  vectors: VectorCache;
  chunks: ChunkCache;
}

export const createSearchCache = (dimensions: number): SearchCache => ({
  sizes: new ScopeSizes(),
  vectors: new VectorCache(dimensions),
  chunks: new ChunkCache(),
});
