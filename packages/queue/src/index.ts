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
