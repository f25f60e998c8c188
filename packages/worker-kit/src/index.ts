export { connectWorker, onShutdown } from './connect-worker.ts';
export {
  type Caller,
  type CallToDecide,
  type Checkpoint,
  type Continuation,
  createHandlers,
  type Handler,
  type HandlersFor,
  type JobContext,
  type JobResult,
  type Place,
  persist,
  Stop,
} from './handler.ts';
export { publishHealth } from './health.ts';
export { createWorkerMetrics, type PoolMetrics } from './metrics.ts';
export { type ProcessParts, runProcess, type Started } from './run-process.ts';
export { type PoolOptions, type RunningPool, startPool } from './start-pool.ts';
