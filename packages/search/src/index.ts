export { analyse } from './analysis/analyse.ts';
export { analysedSlices } from './analysis/analysed-slices.ts';
export { queryTerms } from './analysis/query-terms.ts';
export { type CopiedIndex, copyIndex, restoreIndex } from './backup/copy-index.ts';
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
