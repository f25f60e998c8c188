export { connectWorker } from './connect-worker.ts';
export type { Checkpoint, Handler, HandlersFor, JobContext, JobResult, Place } from './handler.ts';
export { publishHealth } from './health.ts';
export { createWorkerMetrics } from './metrics.ts';
export { onShutdown } from './on-shutdown.ts';
export { persist } from './persist.ts';
export { type PoolOptions, type RunningPool, startPool } from './start-pool.ts';
export { Stop } from './stop.ts';
