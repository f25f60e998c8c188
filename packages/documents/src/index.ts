export { type Chunk, type ChunkSettings, chunkDocument, chunkInTurns } from './chunking/chunk-document.ts';
export { createDocuments, type DocumentsOptions, isShortText } from './create-documents.ts';
export * from './documents.ts';
