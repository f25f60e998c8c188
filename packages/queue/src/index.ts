export type { DeletionParts } from './deletion/deletion-parts.ts';
export { createDeletions, type Deletions } from './deletion/deletions.ts';
export { recordingOf } from './deletion/purge-executions.ts';
export {
  createDispatcher,
  type Dispatched,
  type Dispatcher,
  type DispatchRequest,
  type Prepared,
} from './dispatcher.ts';
export { type ErasureParts, erase } from './erase.ts';
export { sweep } from './sweep.ts';
export { createWorkerRegistry, type KnownWorker, type WorkerRegistry } from './worker-registry.ts';
