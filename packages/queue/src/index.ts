export { connectProducer } from './connect-producer.ts';
export { type DecisionParts, decideCall } from './decide-call.ts';
export { createDeletions, type Deletions } from './deletion/deletions.ts';
export { type DeletionParts, recordingOf } from './deletion/purge-executions.ts';
export {
  createDispatcher,
  type Dispatched,
  type Dispatcher,
  type DispatchRequest,
} from './dispatcher.ts';
export { type ErasureParts, erase } from './erase.ts';
export { eraseLeaving } from './erase-leaving.ts';
export type { QueuedLane, QueuedLanes } from './queued-lanes.ts';
export { sweep } from './sweep.ts';
export { createWorkerRegistry, type KnownWorker, type WorkerRegistry } from './worker-registry.ts';
