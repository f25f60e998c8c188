export { ANALYSIS_VERSION, analyze, queryTerms, queryWords, stemsOf } from './analysis/analyze.ts';
export { analyzedSlices } from './analysis/analyzed-slices.ts';
export { type Language, languageOf } from './analysis/languages.ts';
export { type CopiedIndex, copyIndex, restoreIndex } from './backup/copy-index.ts';
export { LruCache } from './cache/lru-cache.ts';
export { openSearch } from './open-search.ts';
export type {
  ChunkQuery,
  ChunkRow,
  ChunkTable,
  Hit,
  MaintenanceReport,
  Search,
  StoredChunk,
  TextHit,
  TextQuery,
  TextRow,
  TextTable,
  VectorSpace,
} from './search.ts';
export type { SearchConfig } from './store/connect-index.ts';
