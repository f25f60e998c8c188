import { isTerminal, type Pool } from '@chorus/contract';
import type { BatchRecord, ExecutionState } from '@chorus/database';
import { expiryError } from './batch-expiry.ts';
import { formParts, MAX_PART_ITEMS } from './batch-parts.ts';
import { BatchProgress } from './batch-progress.ts';
import { dispatchItems } from './dispatch-items.ts';
import { type Ended, endItems, endSkipped } from './end-items.ts';
import { forEachConcurrently } from './for-each-concurrently.ts';
import { readBatch } from './read-batch.ts';
import { type RunnerParts, RunningBatch } from './running-batch.ts';

/** Interval of repeated cancels. They reach executions that were just starting, or that wait again. */
const STOP_RETRY_MS = 5_000;

/** Interval of checks of executions that wait for decisions. Their ends are reported immediately. */
const CHECK_ALL_MS = 5_000;

/**
 * A running batch. Each change is an idempotent step in the store, then a change in memory, so that a batch resumes
 * from its stored state after a crash.
 */
export class BatchRunner {
  readonly #running: RunningBatch;
  readonly progress: BatchProgress;
  #stopAskedAt = Number.NEGATIVE_INFINITY;
  #checkedAllAt = Number.NEGATIVE_INFINITY;

  private constructor(running: RunningBatch) {
    this.#running = running;
    this.progress = new BatchProgress(running);
  }

  /** Loads a stored batch. `look` then updates it from its executions. */
  static async open(parts: RunnerParts, batch: BatchRecord): Promise<BatchRunner> {
    const { batches, batchItems } = parts.database;
    if (batch.retry_pending) {
      parts.checkLeader();
      await batchItems.reset(batch.id, batch.retries);
    }
    const read = await readBatch(parts.database, batch);
    if (batch.retry_pending) {
      parts.checkLeader();
      await batches.saveRetry(batch.id, batch.retries, read.state.counts);
    }
    const running = new RunningBatch(parts, { ...batch, retry_pending: false }, read);
    const runner = new BatchRunner(running);
    await endSkipped(running, read.state.blockedItems());
    return runner;
  }

  get batch(): BatchRecord {
    return this.#running.batch;
  }

  set batch(batch: BatchRecord) {
    this.#running.batch = batch;
  }

  get pools(): readonly Pool[] {
    return this.#running.pools;
  }

  /** The lane of the item that was dispatched last. Null: it waits for a place. Undefined: none was dispatched. */
  get lastLane(): string | null | undefined {
    return this.#running.lastLane;
  }

  /** Whether an item can be dispatched now. */
  get hasReadyItems(): boolean {
    return this.#running.hasReadyItems;
  }

  /** Whether its items may no longer start, because it is being cancelled or has expired. */
  get isStopping(): boolean {
    return this.#running.isStopping;
  }

  get ended(): boolean {
    return this.#running.state.ended;
  }

  async recordEnds(states: readonly ExecutionState[]): Promise<void> {
    const now = new Date();
    const ended = states.flatMap(({ id, status, error, finished_at }): Ended[] => {
      const index = this.#running.state.outstanding.get(id);
      if (index === undefined || !isTerminal(status)) return [];
      const ending = status === 'cancelled' && error?.code === 'expired' ? 'expired' : status;
      return [{ index, status: ending, error, finished_at: finished_at ?? now, executionId: id }];
    });
    await endItems(this.#running, ended);
  }

  /** Checks which executions run or wait for decisions, and whether ends were missed. */
  async checkExecutions(): Promise<void> {
    const { database, checkLeader } = this.#running.parts;
    const checked = this.#toCheck();
    if (checked.length === 0) return;
    const states = await database.executions.listStates(checked);
    for (const { id, economy, awaited_lane } of states) {
      if (economy === undefined) this.#running.held.delete(id);
      if (awaited_lane !== undefined) this.#running.awaited.set(id, awaited_lane);
    }
    for (const marked of ['queued', 'running', 'requires_action'] as const) {
      const changed = states.flatMap(({ id, status }) => {
        if (isTerminal(status) || (status === 'cancelling' ? 'running' : status) !== marked) return [];
        const index = this.#running.state.outstanding.get(id) as number;
        // Executions are queued again after a decision, and while their provider takes no calls.
        return this.#running.state.statusOf(index) === marked ? [] : [index];
      });
      if (changed.length === 0) continue;
      checkLeader();
      await database.batchItems.mark(this.batch.id, changed, marked);
      for (const index of changed) this.#running.state.mark(index, marked);
    }
    await this.recordEnds(states);
  }

  /** Returns the executions to check. Many may wait for decisions, and these rarely change. */
  #toCheck(): string[] {
    const now = performance.now();
    const all = now - this.#checkedAllAt >= CHECK_ALL_MS;
    if (all) this.#checkedAllAt = now;
    return [...this.#running.state.outstanding].flatMap(([id, index]) =>
      all || this.#running.state.statusOf(index) !== 'requires_action' ? [id] : [],
    );
  }

  /** Dispatches up to `count` items and returns how many were handled, failures included. */
  feed(count: number): Promise<number> {
    return dispatchItems(this.#running, count);
  }

  /** Puts held executions into parts once there are enough, or no more can follow soon. */
  async formParts(): Promise<void> {
    const loose = [...this.#running.held].filter(([, { inPart }]) => !inPart);
    if (loose.length === 0 || this.isStopping) return;
    if (loose.length < MAX_PART_ITEMS && this.hasReadyItems) return;
    const { database, checkLeader } = this.#running.parts;
    checkLeader();
    await formParts(
      database,
      this.batch,
      loose.map(([id, { model }]) => ({ id, model })),
    );
    for (const [, execution] of loose) execution.inPart = true;
  }

  /** Ends what has not started. Running executions are cancelled, too, unless the batch has only expired. */
  async stop(): Promise<void> {
    const expired = this.batch.status === 'running' ? expiryError(this.batch) : undefined;
    const ending = { error: expired ?? null, finished_at: new Date() };
    const status = expired ? 'expired' : 'cancelled';
    const ready = this.#running.state.take(Number.POSITIVE_INFINITY);
    // Items that depend on others follow them: they are skipped, or expire when they could start.
    const waiting = expired ? ready : this.#running.state.waiting();
    await endItems(
      this.#running,
      waiting.map((index) => ({ index, status, ...ending })),
    );
    const ids = new Map(Array.from(this.#running.state.outstanding, ([id, index]) => [index, id]));
    const unbegun = this.#running.undispatched.splice(0);
    await endItems(
      this.#running,
      unbegun.map((index) => ({ index, status, ...ending, executionId: ids.get(index) ?? null })),
    );
    if (performance.now() - this.#stopAskedAt < STOP_RETRY_MS) return;
    this.#stopAskedAt = performance.now();
    // The providers may have answered some of these already.
    if (this.batch.economy !== null) await this.#running.parts.database.batchParts.stop(this.batch.id, status);
    await forEachConcurrently([...this.#running.state.outstanding.keys()], async (id) => {
      if (this.#running.held.get(id)?.inPart) return;
      await this.#running.parts.dispatcher.cancel(this.batch.owner, id, expired && { expired });
    });
  }

  /** Ends the batch when all items have ended. Returns null if a change in the store lets it continue. */
  async finish(): Promise<BatchRecord | null> {
    const { parts, batch } = this.#running;
    parts.checkLeader();
    const status = batch.status === 'cancelling' ? 'cancelled' : 'completed';
    return parts.database.batches.finish(batch, { ...this.progress.final(), status });
  }
}
