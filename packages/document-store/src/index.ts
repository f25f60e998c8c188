export { DataDirectoryError } from './errors.ts';
export { type DocumentStore, type DocumentStoreOptions, startDocumentStore } from './server.ts';
