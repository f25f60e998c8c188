export { DataDirectoryError } from './engine.ts';
export { type DocumentStore, type DocumentStoreOptions, startDocumentStore } from './server.ts';
