export { analyse } from './analysis/analyse.ts';
export { analysedSlices } from './analysis/analysed-slices.ts';
export { queryTerms } from './analysis/query-terms.ts';
export { openSearch, type SearchConfig } from './open-search.ts';
export type {
  ChunkQuery,
  ChunkRow,
  ChunkTable,
  Hit,
  Search,
  StoredChunk,
  TextHit,
  TextQuery,
  TextRow,
  TextTable,
  VectorSpace,
} from './search.ts';
