export { KnowledgeKeys } from './knowledge-keys.ts';
export {
  ContentTaken,
  type EntryPlan,
  type EntryStore,
  type IngestionPlan,
  type Material,
  type NewEntry,
  planEntry,
  planRetry,
} from './plan-entry.ts';
export { presentEntry } from './present-entry.ts';
