export { type Chunk, type ChunkSettings, chunkDocument, chunkInTurns } from './chunking/chunk-document.ts';
export { createDocuments, type DocumentsOptions } from './create-documents.ts';
export * from './documents.ts';
