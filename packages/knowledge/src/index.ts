export { CitedText, citationOf } from './answering/cited-text.ts';
export { type Asking, changeableEntry, changeFacts, planRevision } from './change-entry.ts';
export { type EmbedTexts, embedRevision } from './embed-revision.ts';
export { readEntryText } from './entry-text.ts';
export { shortened } from './entry-title.ts';
export { indexRevision } from './index-revision.ts';
export { KnowledgeKeys } from './knowledge-keys.ts';
export { allSpaces, isCurrentSpace, knowledgeSpace, spaceOf } from './knowledge-space.ts';
export type { DocumentFacts, Piece } from './piece.ts';
export {
  ContentTaken,
  type EntryStore,
  type Ingestion,
  type Material,
  type NewEntry,
  planAgain,
  planEntry,
  planRetry,
} from './plan-entry.ts';
export { presentChunk, presentEntry } from './present-entry.ts';
export { type PublishParts, publishRevision, removeEarlierFiles, restoreIndex } from './publish-revision.ts';
export { blankQuotes, type QuotingParts } from './quotes/blank-quotes.ts';
export { readChunks } from './read-chunks.ts';
export { type DeletionParts, deleteEntry, finishDeletion, type RemovalParts, removeAll } from './remove-entry.ts';
export { PIECES_PER_PART, type ReadPage, RevisionFiles, type RevisionStore } from './revision-files.ts';
export { searchScope } from './search-scope.ts';
export { type KnowledgeSweepParts, sweepKnowledge, sweepOrphans } from './sweep-knowledge.ts';
