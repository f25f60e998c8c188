export { type DocumentStore, type DocumentStoreOptions, startDocumentStore } from './server.ts';
export { DataDirectoryError } from './storage/engine.ts';
