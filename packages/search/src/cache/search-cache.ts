import { ChunkCache } from './chunk-cache.ts';
import { ScopeCache } from './scope-cache.ts';

export interface SearchCache {
  /** Whole scopes, if they are small. */
  scopes: ScopeCache;
  /** Hits of large scopes. */
  chunks: ChunkCache;
}

export const createSearchCache = (dimensions: number): SearchCache => ({
  scopes: new ScopeCache(dimensions),
  chunks: new ChunkCache(),
});
