export { type DocumentStore, type DocumentStoreOptions, startDocumentStore } from './server.ts';
export { DataDirectoryError } from './storage/data-directory-error.ts';
