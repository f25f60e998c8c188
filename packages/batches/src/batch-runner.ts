import {
  type BatchCounts,
  ChorusError,
  type EndedItemStatus,
  type ErrorBody,
  isTerminal,
  MAX_BATCH_WAITS,
  newId,
  type Pool,
  toErrorBody,
} from '@chorus/contract';
import type {
  BatchItemRecord,
  BatchPace,
  BatchRecord,
  Database,
  ExecutionState,
  ItemEnding,
  LaneItems,
} from '@chorus/database';
import { laneOfExecution } from '@chorus/executions';
import type { Dispatcher } from '@chorus/queue';
import type { Logger } from '@chorus/runtime/log';
import { expiryError, hasExpired } from './batch-expiry.ts';
import { formParts, MAX_PART_ITEMS, mayHold } from './batch-parts.ts';
import type { BatchState, SkippedItem } from './batch-state.ts';
import { type DispatchedItem, dispatchEach, isOverBudget } from './dispatch-each.ts';
import { forEachConcurrently } from './for-each-concurrently.ts';
import { Pace } from './pace.ts';
import { asChorusError, type PlannedItem, type Planner, planItem } from './plan-item.ts';
import { type HeldExecution, type LoadedBatch, readBatch } from './read-batch.ts';
import { readPredecessors } from './read-predecessors.ts';
import { isUnrelatedError } from './unrelated-error.ts';

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

/** Maximum number of items to end in one round trip. */
const MAX_ENDS_PER_STEP = 500;

/** Interval of repeated cancels, which reach executions that were just starting, or wait again. */
const STOP_RETRY_MS = 5_000;

/** Maximum pause before a batch checks its budget again. */
const BUDGET_PAUSE_MS = 15_000;

/** Interval of checks of executions that wait for decisions. Their ends are reported immediately. */
const CHECK_ALL_MS = 5_000;

type Ended = Pick<ItemEnding, 'index' | 'status' | 'error' | 'finished_at'> & { executionId?: string | null };

/** The stored batch was changed by another process and must be reloaded. */
export class BatchChanged extends Error {}

/**
 * A running batch. Each change is an idempotent step in the store, then a change in memory, so that a batch resumes
 * from its stored state after a crash.
 */
export class BatchRunner {
  readonly #parts: RunnerParts;
  readonly #state: BatchState;
  readonly #defaults: Record<string, unknown>;
  readonly pools: readonly Pool[];
  batch: BatchRecord;
  #seq: number;
  #startedAt: Date | null;
  /** The lane of each outstanding execution, by id. Null: it waits for a place. */
  readonly #lanes: Map<string, string | null>;
  /** Executions that are held for a batch endpoint. They are in no queue. */
  readonly #held: Map<string, HeldExecution>;
  /** The lane of the item that was dispatched last. Null: it waits for a place. Undefined: none was dispatched. */
  lastLane: string | null | undefined;
  /** Items whose execution has an id but may not be stored yet. */
  #undispatched: number[];
  #stopAskedAt = Number.NEGATIVE_INFINITY;
  /** End of a pause, while no worker or store can plan an item. */
  #pausedUntil = 0;
  #noted: string;
  #reported = '';
  #checkedAllAt = Number.NEGATIVE_INFINITY;
  readonly #pace = new Pace();
  #isWaiting = false;

  private constructor(parts: RunnerParts, batch: BatchRecord, read: LoadedBatch) {
    this.#parts = parts;
    this.batch = batch;
    this.#state = read.state;
    this.pools = read.pools;
    this.#defaults = read.defaults;
    this.#seq = read.seq;
    this.#lanes = read.lanes;
    this.#held = read.held;
    this.#undispatched = read.undispatched;
    this.#startedAt = batch.started_at;
    this.#noted = this.#summary();
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
    const runner = new BatchRunner(parts, { ...batch, retry_pending: false }, read);
    await runner.#endSkipped(runner.#state.blockedItems());
    return runner;
  }

  /** Counts queued and running executions by lane. Those that are held or wait for decisions hold no place. */
  outstandingByLane(): Map<string | null, number> {
    return this.#countByLane((index) => this.#state.statusOf(index) !== 'requires_action');
  }

  /** Counts queued executions by lane, those with the most first. */
  #laneItems(): LaneItems[] {
    const counts = this.#countByLane((index) => this.#state.statusOf(index) === 'queued');
    return [...counts]
      .flatMap(([lane, items]) => (lane === null ? [] : [{ lane, items }]))
      .sort((one, other) => other.items - one.items)
      .slice(0, MAX_BATCH_WAITS);
  }

  #countByLane(isCounted: (index: number) => boolean): Map<string | null, number> {
    const counts = new Map<string | null, number>();
    const undispatched = new Set(this.#undispatched);
    for (const [id, index] of this.#state.outstanding) {
      if (undispatched.has(index) || this.#held.has(id) || !isCounted(index)) continue;
      const lane = this.#lanes.get(id) ?? null;
      counts.set(lane, (counts.get(lane) ?? 0) + 1);
    }
    return counts;
  }

  /** Notes whether all its work waits for providers that are not called now, so that its pace leaves that time out. */
  noteClosedLanes(isClosed: (lane: string) => boolean): void {
    const { queued, running } = this.#state.counts;
    const lanes = queued === 0 || running > 0 ? [] : [...this.outstandingByLane().keys()];
    this.#isWaiting = lanes.length > 0 && lanes.every((lane) => lane !== null && isClosed(lane));
    this.#pace.note(this.#isWaiting);
  }

  /** Whether an item can be dispatched now. */
  get hasReadyItems(): boolean {
    if (this.isStopping || performance.now() < this.#pausedUntil) return false;
    return this.#undispatched.length > 0 || this.#state.ready > 0;
  }

  /** Whether its items no longer start: it is being cancelled, or has expired. */
  get isStopping(): boolean {
    return this.batch.status !== 'running' || hasExpired(this.batch);
  }

  get ended(): boolean {
    return this.#state.ended;
  }

  async recordEnds(states: readonly ExecutionState[]): Promise<void> {
    const now = new Date();
    const ended = states.flatMap(({ id, status, error, finished_at }): Ended[] => {
      const index = this.#state.outstanding.get(id);
      if (index === undefined || !isTerminal(status)) return [];
      const ending = status === 'cancelled' && error?.code === 'expired' ? 'expired' : status;
      return [{ index, status: ending, error, finished_at: finished_at ?? now, executionId: id }];
    });
    await this.#end(ended);
  }

  /** Checks its executions for ones that run or wait for decisions, and for missed ends. */
  async checkExecutions(): Promise<void> {
    const { database, checkLeader } = this.#parts;
    const checked = this.#toCheck();
    if (checked.length === 0) return;
    const states = await database.executions.listStates(checked);
    for (const { id, economy } of states) if (economy === undefined) this.#held.delete(id);
    for (const marked of ['queued', 'running', 'requires_action'] as const) {
      const changed = states.flatMap(({ id, status }) => {
        if (isTerminal(status) || (status === 'cancelling' ? 'running' : status) !== marked) return [];
        const index = this.#state.outstanding.get(id) as number;
        // It is queued again after a decision, and while its provider takes no call.
        return this.#state.statusOf(index) === marked ? [] : [index];
      });
      if (changed.length === 0) continue;
      checkLeader();
      await database.batchItems.mark(this.batch.id, changed, marked);
      for (const index of changed) this.#state.mark(index, marked);
    }
    await this.recordEnds(states);
  }

  /** Returns the executions to check. Many may wait for decisions, and these rarely change. */
  #toCheck(): string[] {
    const now = performance.now();
    const all = now - this.#checkedAllAt >= CHECK_ALL_MS;
    if (all) this.#checkedAllAt = now;
    return [...this.#state.outstanding].flatMap(([id, index]) =>
      all || this.#state.statusOf(index) !== 'requires_action' ? [id] : [],
    );
  }

  /** Dispatches up to `count` items and returns how many were handled, failures included. */
  async feed(count: number): Promise<number> {
    const again = this.#undispatched.splice(0, count);
    const indexes = [...again, ...this.#state.take(count - again.length)];
    if (indexes.length === 0) return 0;
    const items = await this.#parts.database.batchItems.getMany(this.batch.id, indexes);
    const executionsOf = await readPredecessors(this.#parts.database, this.batch, items, this.#state);
    const planned: { item: BatchItemRecord; plan: PlannedItem }[] = [];
    const failed: Ended[] = [];
    const later: number[] = [];
    const { agents } = this.#parts.database;
    const { agent_id, owner } = this.batch;
    const agent = agent_id === null ? null : await agents.get(owner, agent_id);
    const planning = { planner: this.#parts.planner, batch: this.batch, defaults: this.#defaults, agent };
    const undispatched = new Set(again);
    await forEachConcurrently(items, async (item) => {
      const earlier = undispatched.has(item.index)
        ? { retryOf: item.retry_of, begunAs: item.execution_id }
        : { retryOf: item.execution_id, begunAs: null };
      const outcome = await planItem(planning, item, executionsOf(item), earlier);
      if (outcome === 'later') later.push(item.index);
      else if ('plan' in outcome) planned.push({ item, plan: outcome.plan });
      else failed.push(this.#failedItem(item.index, outcome.error, outcome.cause));
    });
    planned.sort((one, other) => one.item.index - other.item.index);
    if (later.length > 0) this.#putOff(later, undispatched);
    failed.push(...(await this.#begin(planned, undispatched)));
    await this.#end(failed);
    return indexes.length - later.length;
  }

  /** Puts held executions into parts once there are enough, or no more can follow soon. */
  async formParts(): Promise<void> {
    const loose = [...this.#held].filter(([, { inPart }]) => !inPart);
    if (loose.length === 0 || this.isStopping) return;
    if (loose.length < MAX_PART_ITEMS && this.hasReadyItems) return;
    const { database, checkLeader } = this.#parts;
    checkLeader();
    await formParts(
      database,
      this.batch,
      loose.map(([id, { model }]) => ({ id, model })),
    );
    for (const [, execution] of loose) execution.inPart = true;
  }

  #putOff(later: number[], again: ReadonlySet<number>): void {
    this.#pausedUntil = performance.now() + 1_000;
    later.sort((one, other) => one - other);
    this.#undispatched.push(...later.filter((index) => again.has(index)));
    this.#state.putBack(later.filter((index) => !again.has(index)));
  }

  /** Stores the execution ids of items and dispatches them. Returns the items that failed. */
  async #begin(
    planned: readonly { item: BatchItemRecord; plan: PlannedItem }[],
    again: ReadonlySet<number>,
  ): Promise<Ended[]> {
    if (planned.length === 0) return [];
    const { database, dispatcher, checkLeader } = this.#parts;
    const { id: batch_id, owner, api_key_id, request_id } = this.batch;
    const claimed = planned.map(({ item, plan }) => {
      const isAgain = again.has(item.index);
      const execution_id = isAgain ? (item.execution_id as string) : newId('job');
      return { index: item.index, execution_id, retry_of: isAgain ? item.retry_of : item.execution_id, plan };
    });
    const claims = claimed.filter(({ index }) => !again.has(index));
    checkLeader();
    const stored = await database.batchItems.claim(
      batch_id,
      claims.map(({ index, execution_id, retry_of }) => ({ index, execution_id, retry_of })),
    );
    if (stored !== claims.length) throw new BatchChanged();
    for (const { index, execution_id } of claims) this.#state.queue(index, execution_id);
    for (const { execution_id, plan } of claimed) {
      this.lastLane = laneOfExecution({ kind: plan.work.kind, model: plan.work.model ?? null });
      this.#lanes.set(execution_id, this.lastLane);
    }
    this.#startedAt ??= new Date();
    checkLeader();
    const common = { owner, batch_id, api_key_id, request_id, session_id: null, message_id: null };
    const begun: DispatchedItem[] = [];
    const held = new Map<string, HeldExecution>();
    const failed: Ended[] = [];
    const fail = (index: number, executionId: string, cause: unknown) => {
      const error = toErrorBody(asChorusError(cause), request_id);
      failed.push({ ...this.#failedItem(index, error, cause), executionId });
    };
    await forEachConcurrently(claimed, async ({ index, execution_id: id, retry_of, plan }) => {
      const { work, ...facts } = plan;
      try {
        const { input } = 'begin' in work ? await work.begin(id) : work;
        const holds = await mayHold(this.batch, { ...work, input }, this.#parts.hasBatches);
        if (holds && work.model !== null) held.set(id, { model: work.model, inPart: false });
        const economy = holds && { economy: { part: null } };
        begun.push({
          index,
          execution: { kind: work.kind, model: work.model, input, ...facts, id, retry_of, ...common, ...economy },
        });
      } catch (cause) {
        if (isUnrelatedError(cause)) throw cause;
        fail(index, id, cause);
      }
    });
    begun.sort((one, other) => one.index - other.index);
    checkLeader();
    for (const { item, cause } of await dispatchEach(dispatcher, begun)) {
      held.delete(item.execution.id);
      if (isOverBudget(cause)) this.#awaitBudget(item.index, cause);
      else fail(item.index, item.execution.id, cause);
    }
    for (const [id, execution] of held) this.#held.set(id, execution);
    return failed;
  }

  /** Pauses the batch until the budget is reset or raised. */
  #awaitBudget(index: number, { retryAfterS = 0 }: ChorusError): void {
    this.#undispatched.push(index);
    this.#pausedUntil = performance.now() + Math.min(retryAfterS * 1_000, BUDGET_PAUSE_MS);
  }

  #failedItem(index: number, error: ErrorBody, cause: unknown): Ended {
    if (error.code === 'internal_error')
      this.#parts.log.error({ err: cause, batch_id: this.batch.id, index }, 'item of a batch not dispatched');
    return { index, status: 'failed', error, finished_at: new Date() };
  }

  /** Ends what has not started. Running executions are cancelled, too, unless the batch has only expired. */
  async stop(): Promise<void> {
    const expired = this.batch.status === 'running' ? expiryError(this.batch) : undefined;
    const ending = { error: expired ?? null, finished_at: new Date() };
    const status = expired ? 'expired' : 'cancelled';
    const ready = this.#state.take(Number.POSITIVE_INFINITY);
    // Items that depend on others follow them: they are skipped, or expire when they could start.
    const waiting = expired ? ready : this.#state.waiting();
    await this.#end(waiting.map((index) => ({ index, status, ...ending })));
    const ids = new Map(Array.from(this.#state.outstanding, ([id, index]) => [index, id]));
    const unbegun = this.#undispatched.splice(0);
    await this.#end(unbegun.map((index) => ({ index, status, ...ending, executionId: ids.get(index) ?? null })));
    if (performance.now() - this.#stopAskedAt < STOP_RETRY_MS) return;
    this.#stopAskedAt = performance.now();
    // The providers may have answered some of these already.
    if (this.batch.economy !== null) await this.#parts.database.batchParts.stop(this.batch.id, status);
    await forEachConcurrently([...this.#state.outstanding.keys()], async (id) => {
      if (this.#held.get(id)?.inPart) return;
      await this.#parts.dispatcher.cancel(this.batch.owner, id, expired && { expired });
    });
  }

  /** Ends items, then skips those that depend on failures, transitively. */
  async #end(ended: readonly Ended[]): Promise<void> {
    const skipped: SkippedItem[] = [];
    for (let from = 0; from < ended.length; from += MAX_ENDS_PER_STEP)
      skipped.push(...(await this.#store(ended.slice(from, from + MAX_ENDS_PER_STEP))));
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
    const message = `Skipped because item ${JSON.stringify(because)} did not succeed.`;
    return toErrorBody(new ChorusError('item_not_run', message), this.batch.request_id);
  }

  async #store(ended: readonly Ended[]): Promise<SkippedItem[]> {
    if (ended.length === 0) return [];
    this.#parts.checkLeader();
    const seq = this.#seq + 1;
    const endings = ended.map(({ index, status, error, finished_at }) => ({ index, status, error, finished_at }));
    const stored = await this.#parts.database.batchItems.end(this.batch.id, seq, endings);
    if (stored !== ended.length) throw new BatchChanged();
    this.#seq = seq;
    for (const { status, executionId } of ended) {
      this.#parts.onItemEnded?.(status);
      if (executionId) {
        this.#lanes.delete(executionId);
        this.#held.delete(executionId);
      }
    }
    return ended.flatMap(({ index, status, executionId }) => this.#state.end(index, status, executionId));
  }

  /** Whether the progress has changed since it was stored. */
  get hasProgress(): boolean {
    return this.#summary() !== this.#noted;
  }

  /** Returns the progress if it has changed since the last call. */
  changedCounts(): BatchCounts | null {
    const { counts } = this.#state;
    const text = JSON.stringify(counts);
    if (text === this.#reported) return null;
    this.#reported = text;
    return counts;
  }

  async storeProgress(): Promise<void> {
    if (!this.hasProgress) return;
    const summary = this.#summary();
    this.#parts.checkLeader();
    const progress = { ...this.#progress(), pace: this.#measure(), lane_items: this.#laneItems() };
    await this.#parts.database.batches.saveProgress(this.batch.id, progress);
    this.#noted = summary;
  }

  /** Ends the batch when all items have ended. Returns null if it was changed in the store, and so continues. */
  async finish(): Promise<BatchRecord | null> {
    this.#parts.checkLeader();
    const status = this.batch.status === 'cancelling' ? 'cancelled' : 'completed';
    return this.#parts.database.batches.finish(this.batch, { ...this.#progress(), pace: this.#measure(), status });
  }

  #measure(): BatchPace | null {
    const { total, waiting, queued, running, requires_action } = this.#state.counts;
    return this.#pace.measure(total - waiting - queued - running - requires_action);
  }

  #progress() {
    return { counts: this.#state.counts, ended_seq: this.#seq, started_at: this.#startedAt };
  }

  #summary(): string {
    return JSON.stringify([this.#progress(), this.#isWaiting]);
  }
}
