import {
  type BatchCounts,
  ChorusError,
  type EndedItemStatus,
  type ErrorBody,
  isTerminal,
  newId,
  type Pool,
  toErrorBody,
} from '@chorus/contract';
import type { BatchItemRecord, BatchRecord, Database, ExecutionStanding, ItemEnding } from '@chorus/database';
import type { Logger } from '@chorus/log';
import type { Dispatcher } from '@chorus/queue';
import type { BatchState, SkippedItem } from './batch-state.ts';
import { dispatchEach } from './dispatch-each.ts';
import { asChorusError, type PlannedItem, type Planner, planItem } from './plan-item.ts';
import { type ReadBatch, readBatch } from './read-batch.ts';
import { readPredecessors } from './read-predecessors.ts';
import { sideBySide } from './side-by-side.ts';

export interface RunnerParts {
  database: Pick<Database, 'batches' | 'batchItems' | 'executions'>;
  dispatcher: Pick<Dispatcher, 'dispatchMany' | 'cancel'>;
  planner: Planner;
  log: Logger;
  /** Asked before each change; throws where another process leads now. */
  mayChange: () => void;
}

/** Items that are ended in one round trip. */
const ENDED_AT_ONCE = 500;

/** A cancel is asked for again after so long, in milliseconds: of what was just being begun. */
const CANCEL_AGAIN_MS = 5_000;

type Ended = Pick<ItemEnding, 'index' | 'status' | 'error' | 'finished_at'> & { executionId?: string | null };

/** What a batch found in the store that it did not expect: another process has changed it. It is read anew. */
export class BatchChanged extends Error {}

/**
 * One batch that runs. Each change goes to the store first by a step that changes nothing where it was done already, then into the state in memory; so whatever
 * dies in between, the batch goes on from what is stored.
 */
export class BatchRunner {
  readonly #parts: RunnerParts;
  readonly #state: BatchState;
  readonly #defaults: Record<string, unknown>;
  /** Where its items run. */
  readonly pools: readonly Pool[];
  batch: BatchRecord;
  #seq: number;
  #startedAt: Date | null;
  /** Items that were given an execution whose beginning was not stored. */
  #unbegun: number[];
  #cancelAskedAt = Number.NEGATIVE_INFINITY;
  /** Until when nothing is tried, since no worker or store could say what an item runs. */
  #pausedUntil = 0;
  #noted: string;
  #told = '';

  private constructor(parts: RunnerParts, batch: BatchRecord, read: ReadBatch) {
    this.#parts = parts;
    this.batch = batch;
    this.#state = read.state;
    this.pools = read.pools;
    this.#defaults = read.defaults;
    this.#seq = read.seq;
    this.#unbegun = read.unbegun;
    this.#startedAt = batch.started_at;
    this.#noted = this.#summary();
  }

  /** Reads a batch as it is stored. What its items' executions have become meanwhile follows. */
  static async open(parts: RunnerParts, batch: BatchRecord): Promise<BatchRunner> {
    const { batches, batchItems } = parts.database;
    if (batch.retry_pending) {
      parts.mayChange();
      await batchItems.reset(batch.id, batch.retries);
    }
    const read = await readBatch(parts.database, batch);
    if (batch.retry_pending) {
      parts.mayChange();
      await batches.noteRetried(batch.id, batch.retries, read.state.counts);
    }
    const runner = new BatchRunner(parts, { ...batch, retry_pending: false }, read);
    await runner.#endSkipped(runner.#state.hopeless());
    return runner;
  }

  /** Executions under way. */
  get outstanding(): number {
    return this.#state.outstanding.size - this.#unbegun.length;
  }

  /** Whether something can be handed to the workers now. */
  get hungry(): boolean {
    if (this.batch.status !== 'running' || performance.now() < this.#pausedUntil) return false;
    return this.#unbegun.length > 0 || this.#state.ready > 0;
  }

  get ended(): boolean {
    return this.#state.ended;
  }

  /** Takes note of executions of this batch that have ended. */
  async noteEnds(standings: readonly ExecutionStanding[]): Promise<void> {
    const now = new Date();
    const ended = standings.flatMap(({ id, status, error, finished_at }): Ended[] => {
      const index = this.#state.outstanding.get(id);
      if (index === undefined || !isTerminal(status)) return [];
      return [{ index, status, error, finished_at: finished_at ?? now, executionId: id }];
    });
    await this.#end(ended);
  }

  /** Looks how its executions stand: which run, and whether an end was missed. */
  async look(): Promise<void> {
    const { database, mayChange } = this.#parts;
    if (this.#state.outstanding.size === 0) return;
    const standings = await database.executions.standings([...this.#state.outstanding.keys()]);
    const running = standings.flatMap(({ id, status }) => {
      const index = this.#state.outstanding.get(id) as number;
      const begun = (status === 'running' || status === 'cancelling') && this.#state.statusOf(index) === 'queued';
      return begun ? [index] : [];
    });
    if (running.length > 0) {
      mayChange();
      await database.batchItems.markRunning(this.batch.id, running);
      for (const index of running) this.#state.run(index);
    }
    await this.noteEnds(standings);
  }

  /** Hands up to `count` items to the workers. Answers how many it has handed over, or could not. */
  async feed(count: number): Promise<number> {
    const again = this.#unbegun.splice(0, count);
    const indexes = [...again, ...this.#state.take(count - again.length)];
    if (indexes.length === 0) return 0;
    const items = await this.#parts.database.batchItems.getMany(this.batch.id, indexes);
    const executionsOf = await readPredecessors(this.#parts.database, this.batch, items, this.#state);
    const planned: { item: BatchItemRecord; plan: PlannedItem }[] = [];
    const failed: Ended[] = [];
    const later: number[] = [];
    await sideBySide(items, async (item) => {
      const outcome = await planItem(this.#parts.planner, this.batch, this.#defaults, item, executionsOf(item));
      if (outcome === 'later') later.push(item.index);
      else if ('plan' in outcome) planned.push({ item, plan: outcome.plan });
      else failed.push(this.#failedItem(item.index, outcome.error, outcome.cause));
    });
    planned.sort((one, other) => one.item.index - other.item.index);
    if (later.length > 0) this.#putOff(later, new Set(again));
    failed.push(...(await this.#begin(planned, new Set(again))));
    await this.#end(failed);
    return indexes.length - later.length;
  }

  #putOff(later: number[], again: ReadonlySet<number>): void {
    this.#pausedUntil = performance.now() + 1_000;
    later.sort((one, other) => one - other);
    this.#unbegun.push(...later.filter((index) => again.has(index)));
    this.#state.putBack(later.filter((index) => !again.has(index)));
  }

  /** Stores which execution each item gets, and begins them. Answers those that can't be begun. */
  async #begin(
    planned: readonly { item: BatchItemRecord; plan: PlannedItem }[],
    again: ReadonlySet<number>,
  ): Promise<Ended[]> {
    if (planned.length === 0) return [];
    const { database, dispatcher, mayChange } = this.#parts;
    const { id: batch_id, owner, api_key_id, request_id } = this.batch;
    const begun = planned.map(({ item, plan }) => {
      const isAgain = again.has(item.index);
      const id = isAgain ? (item.execution_id as string) : newId('job');
      const retry_of = isAgain ? item.retry_of : item.execution_id;
      return { index: item.index, execution: { ...plan, id, retry_of } };
    });
    const claims = begun.filter(({ index }) => !again.has(index));
    mayChange();
    const claimed = await database.batchItems.claim(
      batch_id,
      claims.map(({ index, execution: { id, retry_of } }) => ({ index, execution_id: id, retry_of })),
    );
    if (claimed !== claims.length) throw new BatchChanged();
    for (const { index, execution } of claims) this.#state.queue(index, execution.id);
    this.#startedAt ??= new Date();
    mayChange();
    const common = { owner, batch_id, api_key_id, request_id, session_id: null, message_id: null };
    const unfit = await dispatchEach(
      dispatcher,
      begun.map(({ index, execution }) => ({ index, execution: { ...execution, ...common } })),
    );
    return unfit.map(({ item: { index, execution }, cause }) => {
      const error = toErrorBody(asChorusError(cause), request_id);
      return { ...this.#failedItem(index, error, cause), executionId: execution.id };
    });
  }

  #failedItem(index: number, error: ErrorBody, cause: unknown): Ended {
    if (error.code === 'internal_error')
      this.#parts.log.error({ err: cause, batch_id: this.batch.id, index }, 'an item of a batch could not be begun');
    return { index, status: 'failed', error, finished_at: new Date() };
  }

  /** Ends what waits, and has what runs asked to stop. */
  async cancel(): Promise<void> {
    this.#state.take(Number.POSITIVE_INFINITY);
    const finished_at = new Date();
    const waiting = this.#state.waiting();
    await this.#end(waiting.map((index) => ({ index, status: 'cancelled', error: null, finished_at })));
    await this.#endUnbegun(finished_at);
    if (performance.now() - this.#cancelAskedAt < CANCEL_AGAIN_MS) return;
    this.#cancelAskedAt = performance.now();
    await sideBySide([...this.#state.outstanding.keys()], async (id) => {
      await this.#parts.dispatcher.cancel(this.batch.owner, id);
    });
  }

  async #endUnbegun(finished_at: Date): Promise<void> {
    const ids = new Map(Array.from(this.#state.outstanding, ([id, index]) => [index, id]));
    const unbegun = this.#unbegun.splice(0);
    await this.#end(
      unbegun.map((index) => ({
        index,
        status: 'cancelled',
        error: null,
        finished_at,
        executionId: ids.get(index) ?? null,
      })),
    );
  }

  /** Ends items, and then those that come after what did not succeed, and so on. */
  async #end(ended: readonly Ended[]): Promise<void> {
    const skipped: SkippedItem[] = [];
    for (let from = 0; from < ended.length; from += ENDED_AT_ONCE)
      skipped.push(...(await this.#store(ended.slice(from, from + ENDED_AT_ONCE))));
    if (skipped.length > 0) await this.#endSkipped(skipped);
  }

  async #endSkipped(skipped: readonly SkippedItem[]): Promise<void> {
    const finished_at = new Date();
    const status: EndedItemStatus = 'skipped';
    await this.#end(
      skipped.map(({ index, because }) => ({ index, status, error: this.#skipError(because), finished_at })),
    );
  }

  #skipError(because: string): ErrorBody {
    const message = `Not run, since item ${JSON.stringify(because)}, which it comes after, did not succeed.`;
    return toErrorBody(new ChorusError('item_not_run', message), this.batch.request_id);
  }

  async #store(ended: readonly Ended[]): Promise<SkippedItem[]> {
    if (ended.length === 0) return [];
    this.#parts.mayChange();
    const seq = this.#seq + 1;
    const endings = ended.map(({ index, status, error, finished_at }) => ({ index, status, error, finished_at }));
    const stored = await this.#parts.database.batchItems.end(this.batch.id, seq, endings);
    if (stored !== ended.length) throw new BatchChanged();
    this.#seq = seq;
    return ended.flatMap(({ index, status, executionId }) => this.#state.end(index, status, executionId));
  }

  /** Whether how far it is differs from what was stored of it. */
  get hasNews(): boolean {
    return this.#summary() !== this.#noted;
  }

  /** How far it is, if that differs from what this gave last; else null. */
  untoldCounts(): BatchCounts | null {
    const { counts } = this.#state;
    const text = JSON.stringify(counts);
    if (text === this.#told) return null;
    this.#told = text;
    return counts;
  }

  /** Stores how far it is, if that has changed. */
  async noteProgress(): Promise<void> {
    if (!this.hasNews) return;
    const summary = this.#summary();
    this.#parts.mayChange();
    await this.#parts.database.batches.noteProgress(this.batch.id, this.#progress());
    this.#noted = summary;
  }

  /** Ends the batch, whose items have all ended. Null: it is not to end yet; what is stored of it has changed. */
  async finish(): Promise<BatchRecord | null> {
    this.#parts.mayChange();
    const status = this.batch.status === 'cancelling' ? 'cancelled' : 'completed';
    return this.#parts.database.batches.finish(this.batch, { ...this.#progress(), status });
  }

  #progress() {
    return { counts: this.#state.counts, ended_seq: this.#seq, started_at: this.#startedAt };
  }

  #summary(): string {
    return JSON.stringify(this.#progress());
  }
}
