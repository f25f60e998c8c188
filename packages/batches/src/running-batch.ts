import type { EndedItemStatus, Pool } from '@chorus/contract';
import type { BatchRecord, Database } from '@chorus/database';
import type { Dispatcher } from '@chorus/queue';
import type { Logger } from '@chorus/runtime/log';
import { hasExpired } from './batch-expiry.ts';
import type { BatchState } from './batch-state.ts';
import type { Planner } from './plan-item.ts';
import type { HeldExecution, LoadedBatch } from './read-batch.ts';

export interface RunnerParts {
  database: Pick<Database, 'agents' | 'batches' | 'batchItems' | 'batchParts' | 'executions'>;
  dispatcher: Pick<Dispatcher, 'dispatchMany' | 'cancel'>;
  planner: Planner;
  /** Returns whether the provider of a model has a batch endpoint. Default: none has. */
  hasBatches?: (model: string) => Promise<boolean>;
  log: Logger;
  /** Observes stored ends of items, for metrics. */
  onItemEnded?: (status: EndedItemStatus) => void;
  /** Called before each change; throws if another process leads. */
  checkLeader: () => void;
}

/** The stored batch was changed by another process and must be reloaded. */
export class BatchChanged extends Error {}

/** A running batch in memory. Only its runner and the steps of the runner change it. */
export class RunningBatch {
  readonly parts: RunnerParts;
  readonly state: BatchState;
  readonly defaults: Record<string, unknown>;
  readonly pools: readonly Pool[];
  batch: BatchRecord;
  /** The last sequence number of an ended item. */
  seq: number;
  startedAt: Date | null;
  /** The lane of each outstanding execution, by id. Null: it waits for a place. */
  readonly lanes: Map<string, string | null>;
  /** The lane that has put off an execution, by id. */
  readonly awaited: Map<string, string>;
  /** Executions that are held for a batch endpoint. They are in no queue. */
  readonly held: Map<string, HeldExecution>;
  /** The lane of the item that was dispatched last. Null: it waits for a place. Undefined: none was dispatched. */
  lastLane: string | null | undefined;
  /** Items whose execution has an id but may not be stored yet. */
  readonly undispatched: number[];
  /** No item is dispatched before this time: the store, workers, or the budget did not allow it. */
  pausedUntil = 0;

  constructor(parts: RunnerParts, batch: BatchRecord, read: LoadedBatch) {
    this.parts = parts;
    this.batch = batch;
    this.state = read.state;
    this.pools = read.pools;
    this.defaults = read.defaults;
    this.seq = read.seq;
    this.lanes = read.lanes;
    this.awaited = read.awaited;
    this.held = read.held;
    this.undispatched = read.undispatched;
    this.startedAt = batch.started_at;
  }

  /** Whether an item can be dispatched now. */
  get hasReadyItems(): boolean {
    if (this.isStopping || performance.now() < this.pausedUntil) return false;
    return this.undispatched.length > 0 || this.state.ready > 0;
  }

  /** Whether its items may no longer start, because it is being cancelled or has expired. */
  get isStopping(): boolean {
    return this.batch.status !== 'running' || hasExpired(this.batch);
  }
}
