import {
  ChorusError,
  isAnswerDelta,
  type JobKind,
  type JobOutput,
  type OutputItem,
  type Progress,
  type RunningEvent,
  type Usage,
} from '@chorus/contract';
import type { ApprovalRecord, Database, ExecutionRecord, Outcome } from '@chorus/database';
import { type AppendResult, type EventLog, EventWriter, type Refusal } from '@chorus/events';
import {
  type Announced,
  announceEnd,
  announceProgress,
  announceStarted,
  applyEnding,
  cancelledOutcome,
  closeLog,
  failedOutcome,
  NO_USAGE,
  type PartialOutcome,
  replayEvents,
  type SettleStore,
  settle,
  terminalEvent,
  withRecord,
} from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import {
  type CallToDecide,
  type Handler,
  type JobContext,
  type JobResult,
  type Place,
  persist,
  Stop,
  type StopKind,
} from './handler.ts';
import { APPROVAL_MS, showRequiredAction, suspend } from './suspend.ts';

/** Shorter executions are never marked as running. */
const MARK_RUNNING_AFTER_MS = 250;

const STORE_PROGRESS_EVERY_MS = 1_000;

/** How long a handler may run after its signal has aborted. */
const LET_GO_MS = 1_000;

const ASK_PLACE_EVERY_MS = 1_000;

export type WorkerStore = SettleStore & {
  executions: Pick<
    Database['executions'],
    'finish' | 'get' | 'claim' | 'markRunning' | 'saveCheckpoint' | 'saveProgress' | 'suspend'
  >;
};

export interface EndedAttempt {
  kind: JobKind;
  status: ExecutionRecord['status'];
  durationMs: number;
  /** From start to the first delta of the answer. Null: none was shown. */
  firstTextMs: number | null;
  model: string | null;
  usage: Usage;
}

export interface AttemptObserver {
  ended(attempt: EndedAttempt): void;
}

export interface AttemptParts {
  store: WorkerStore;
  eventLog: EventLog;
  log: Logger;
  observer: AttemptObserver;
}

export interface AttemptJob<K extends JobKind> {
  kind: K;
  executionId: string;
  attempt: number;
  /** Whether the earlier attempt was handed back in a shutdown, not lost. */
  handedBack: boolean;
  owner: JobContext<K>['owner'];
  input: JobContext<K>['input'];
  sessionId: string | null;
  batchId: string | null;
  requestId: string | null;
  timeoutMs: number;
  /** Channel of the event hub that follows the execution from the start: see `JobData`. */
  hub?: string | undefined;
  /** Time used by earlier attempts that gave their place back. */
  ranMs?: number;
  isPlaceWanted?: (ranMs: number) => Promise<boolean>;
  /** Forgets the workers that died before. */
  forgiveDeaths?: () => Promise<unknown>;
  handler: Handler<K>;
}

/** `contested`: another attempt with the same number writes, so this one must become the next. */
export type AttemptEnd = 'settled' | 'refused' | 'handback' | 'yield' | 'contested';

/** One attempt at an execution: fences, runs the handler, stores and publishes the outcome. */
export class Attempt<K extends JobKind> {
  readonly executionId: string;
  readonly #parts: AttemptParts;
  readonly #job: AttemptJob<K>;
  readonly #controller = new AbortController();
  #stopped: StopKind | null = null;
  #refusal: Refusal | null = null;
  #childLog: Logger | null = null;
  #known: PartialOutcome = {};
  readonly #startedAt = new Date();
  readonly #began = performance.now();
  #askedPlaceAt = Number.NEGATIVE_INFINITY;
  #firstTextAt: number | null = null;
  #checkpoint: unknown = null;
  #hasForgiven = false;
  #approvals: readonly ApprovalRecord[] = [];
  #toDecide: readonly CallToDecide[] = [];
  #progress: Progress | null = null;
  #progressStoredAt = performance.now();
  #storingProgress: NodeJS.Timeout | undefined;
  #writer: EventWriter | null = null;

  constructor(parts: AttemptParts, job: AttemptJob<K>) {
    this.#parts = parts;
    this.#job = job;
    this.executionId = job.executionId;
  }

  /** Stops the attempt. The first reason counts. */
  stop(kind: StopKind): void {
    if (this.#stopped) return;
    this.#stopped = kind;
    this.#controller.abort(new Stop(kind));
  }

  /** Asks the log whether to stop. A silent attempt would not notice a lost message otherwise. */
  async look(): Promise<void> {
    const { status, cancelRequested } = await this.#parts.eventLog.append(this.executionId, this.#job.attempt, -1, []);
    if (status !== 'appended') this.stop('refused');
    else if (cancelRequested) this.stop('cancelled');
  }

  async run(): Promise<AttemptEnd> {
    try {
      return await this.#run();
    } finally {
      this.#writer?.close();
    }
  }

  async #run(): Promise<AttemptEnd> {
    if (this.#stopped === 'handback') return 'handback';
    const { attempt, handler, input, batchId, timeoutMs, ranMs = 0 } = this.#job;
    // Results of a batch are read when they are complete.
    const mayReset = batchId !== null || (handler.mayReset?.(input) ?? true);
    const opened = attempt === 1 ? this.#open({ seq: 1, resets: 0 }, mayReset) : await this.#takeOver(mayReset);
    if (typeof opened === 'string') return opened;
    const writer = opened;
    const timeout = setTimeout(() => this.stop('timeout'), Math.max(0, timeoutMs - ranMs));
    const marking = setTimeout(() => this.#markRunning(), MARK_RUNNING_AFTER_MS);
    try {
      let outcome: Outcome | null = null;
      try {
        outcome = this.#succeeded(await this.#handle(writer));
      } catch (error) {
        outcome = this.#outcomeOf(error, writer, mayReset);
      }
      if (outcome === null) return this.#leave(writer);
      return await this.#settle(writer, outcome);
    } finally {
      clearTimeout(timeout);
      clearTimeout(marking);
      clearTimeout(this.#storingProgress);
    }
  }

  #open({ seq: base, resets }: Pick<AppendResult, 'seq' | 'resets'>, mayReset: boolean): EventWriter {
    const writer = new EventWriter({
      log: this.#parts.eventLog,
      executionId: this.executionId,
      attempt: this.#job.attempt,
      hub: this.#job.hub,
      base,
      resets,
      mayReset,
      onRefused: (refusal) => {
        this.#refusal = refusal;
        this.stop('refused');
      },
      onCancelRequested: () => this.stop('cancelled'),
    });
    this.#writer = writer;
    if (this.#job.attempt === 1) writer.emit({ type: 'execution.started', attempt: 1 });
    return writer;
  }

  /** Looks for a stored result first, then fences record and log against the earlier attempt. */
  async #takeOver(mayReset: boolean): Promise<EventWriter | AttemptEnd> {
    const { store, eventLog } = this.#parts;
    const { owner, attempt } = this.#job;
    const id = this.executionId;
    const { done: claimed, record: stored } = await persist(() =>
      withRecord(
        store,
        { owner, id },
        () => store.executions.claim(owner, id, attempt, this.#startedAt),
        ({ finished_at, attempt: holder, status }) =>
          finished_at !== null || holder > attempt || status === 'requires_action',
      ),
    );
    if (stored?.status === 'requires_action') {
      await showRequiredAction(this.#parts, stored, attempt);
      return 'settled';
    }
    if (!claimed) {
      if (!stored?.finished_at) return 'refused';
      await persist(() => applyEnding(store, stored));
      announceEnd(eventLog, stored);
      await closeLog(eventLog, stored);
      return 'settled';
    }
    this.#known = { model: claimed.model, provider: claimed.provider };
    this.#checkpoint = claimed.checkpoint;
    this.#approvals = claimed.approvals ?? [];
    const taken = await eventLog.append(id, attempt, -1, []);
    if (taken.status === 'fenced') return 'refused';
    this.#log.info({ attempt, shown: taken.shown }, 'attempt takes over');
    const writer = this.#open(taken, mayReset);
    // The end was published but its record lost. End the record too: the log takes no more events.
    if (taken.status === 'ended') {
      return this.#settle(writer, this.#lost({ ...this.#known, output: await eventLog.shown(id) }));
    }
    if (claimed.status === 'cancelling' || taken.cancelRequested) {
      return this.#settle(writer, cancelledOutcome({ ...this.#known, output: await eventLog.shown(id) }));
    }
    const { continueFrom } = this.#job.handler;
    if (continueFrom && this.#checkpoint !== null) {
      const shown = taken.shown ? await eventLog.shown(id) : [];
      const { resets, events } = continueFrom(this.#checkpoint, shown);
      if (!resets || mayReset) {
        if (resets) writer.reset(this.#job.handedBack ? 'handed_back' : 'worker_lost');
        else writer.restore(replayEvents(shown));
        if (taken.seq === 1 || this.#approvals.length > 0) writer.emit({ type: 'execution.started', attempt });
        for (const event of events) writer.emit(event);
        return writer;
      }
    }
    if (!taken.shown) {
      if (taken.seq === 1) writer.emit({ type: 'execution.started', attempt });
      return writer;
    }
    if (!mayReset) return this.#settle(writer, this.#lost({ ...this.#known, output: await eventLog.shown(id) }));
    writer.reset(this.#job.handedBack ? 'handed_back' : 'worker_lost');
    return writer;
  }

  async #handle(writer: EventWriter): Promise<JobResult> {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    const log = () => this.#log;
    const saved = () => this.#checkpoint;
    const checkpoint = {
      get value() {
        return saved();
      },
      save: async (value: unknown, { advances = false } = {}) => {
        await this.#saveCheckpoint(value);
        if (advances) this.#forgiveDeaths();
      },
    };
    const context: JobContext<K> = {
      input: this.#job.input,
      owner: this.#job.owner,
      executionId: this.executionId,
      attempt: this.#job.attempt,
      signal,
      get log() {
        return log();
      },
      emit: (event: RunningEvent) => {
        if (this.#firstTextAt === null && isAnswerDelta(event)) this.#firstTextAt = Date.now();
        if (event.type === 'progress') this.#noteProgress(event.progress);
        return writer.emit(event);
      },
      checkpoint,
      place: this.#place(),
      decisions: {
        made: this.#approvals,
        wait: (calls) => {
          this.#toDecide = calls;
          this.stop('suspended');
          throw signal.reason;
        },
      },
      note: (known) => Object.assign(this.#known, known),
      // `emit` takes no other items.
      output: () => writer.output() as JobOutput<K>[],
    };
    // A handler that has shown nothing may restart after a store outage.
    const running = persist(
      () => this.#job.handler.run(context),
      () => !signal.aborted && this.#firstTextAt === null,
    );
    // A handler that ignores its signal must not delay the end.
    let abandon: NodeJS.Timeout | undefined;
    const abandoned = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        abandon = setTimeout(() => reject(signal.reason), LET_GO_MS);
      });
    });
    try {
      return await Promise.race([running, abandoned]);
    } finally {
      clearTimeout(abandon);
    }
  }

  get ranMs(): number {
    return performance.now() - this.#began;
  }

  #place(): Place {
    return {
      isWanted: async (setupMs = 0) => {
        const { isPlaceWanted } = this.#job;
        const now = performance.now();
        if (!isPlaceWanted || this.#controller.signal.aborted || this.ranMs < 2 * setupMs) return false;
        if (now - this.#askedPlaceAt < ASK_PLACE_EVERY_MS) return false;
        this.#askedPlaceAt = now;
        // While Redis is away, no other job could start either.
        return isPlaceWanted(this.ranMs).catch(() => false);
      },
      giveBack: () => {
        this.stop('yield');
        throw this.#controller.signal.reason;
      },
    };
  }

  async #saveCheckpoint(value: unknown): Promise<void> {
    const { store } = this.#parts;
    const { owner, attempt } = this.#job;
    const id = this.executionId;
    const { done } = await persist(() =>
      withRecord(
        store,
        { owner, id },
        async () => (await store.executions.saveCheckpoint(owner, id, attempt, value)) || null,
        ({ finished_at, attempt: holder }) => finished_at !== null || holder !== attempt,
      ),
    );
    if (!done) this.stop('refused');
    this.#controller.signal.throwIfAborted();
    this.#checkpoint = value;
  }

  #forgiveDeaths(): void {
    const { attempt, forgiveDeaths } = this.#job;
    if (attempt === 1 || this.#hasForgiven) return;
    this.#hasForgiven = true;
    forgiveDeaths?.().catch((err) => this.#log.warn({ err }, 'another death of a worker would end the job'));
  }

  /** Stores the latest progress in the record once a second. Short executions store it with their end. */
  #noteProgress(progress: Progress): void {
    if (this.#progress === null) announceProgress(this.#parts.eventLog, this.#announced, progress);
    this.#progress = progress;
    if (this.#storingProgress !== undefined) return;
    const waitMs = this.#progressStoredAt + STORE_PROGRESS_EVERY_MS - performance.now();
    this.#storingProgress = setTimeout(() => this.#storeProgress(), Math.max(0, waitMs));
  }

  #storeProgress(): void {
    this.#storingProgress = undefined;
    this.#progressStoredAt = performance.now();
    if (this.#progress === null || this.#stopped) return;
    announceProgress(this.#parts.eventLog, this.#announced, this.#progress);
    const { owner, attempt } = this.#job;
    this.#parts.store.executions.saveProgress(owner, this.executionId, attempt, this.#progress).catch(() => undefined);
  }

  #succeeded(result: JobResult): Outcome {
    return { status: 'succeeded', error: null, finished_at: new Date(), started_at: this.#startedAt, ...result };
  }

  /** Returns the outcome of an attempt that threw, or null if this attempt must not end the job. */
  #outcomeOf(error: unknown, writer: EventWriter, mayReset: boolean): Outcome | null {
    const { requestId, timeoutMs } = this.#job;
    const output = writer.output();
    const partial: PartialOutcome = { ...this.#known, output };
    const failed = (reason: unknown) => failedOutcome(reason, requestId, partial);
    switch (this.#stopped) {
      case 'cancelled':
        return cancelledOutcome(partial);
      case 'timeout':
        return failed(new ChorusError('timeout', `The execution took longer than its ${timeoutMs} ms.`));
      case 'handback':
      case 'yield':
        return mayReset || output.length === 0 || this.#mayContinue(output) ? null : this.#lost(partial);
      case 'suspended':
        return null;
      case 'refused':
        return this.#refusal === 'lost' ? this.#lost(partial) : null;
      case null:
        // It waited for an execution that was cancelled, such as the chat turn of an interrupted voice turn.
        if (error instanceof ChorusError && error.code === 'cancelled') return cancelledOutcome(partial);
        if (!(error instanceof ChorusError)) this.#log.error({ err: error }, 'handler failed');
        return failed(error);
      default:
        return this.#stopped satisfies never;
    }
  }

  #refused(): AttemptEnd {
    return this.#refusal === 'contested' ? 'contested' : 'refused';
  }

  #lost(partial: PartialOutcome): Outcome {
    const error = new ChorusError(
      'worker_lost',
      'The worker went away after part of the answer was shown. That part is kept.',
    );
    return failedOutcome(error, this.#job.requestId, partial);
  }

  async #leave(writer: EventWriter): Promise<AttemptEnd> {
    const left = this.#stopped;
    if (left === 'suspended') return this.#suspend(writer);
    if (left !== 'handback' && left !== 'yield') return this.#refused();
    writer.seal();
    await writer.flush();
    return writer.refused ? this.#refused() : left;
  }

  async #suspend(writer: EventWriter): Promise<AttemptEnd> {
    const { owner, attempt } = this.#job;
    const output = writer.output();
    const waiting = { decision: null, reason: null, user_id: null, decided_at: null };
    const { usage = NO_USAGE, model = null, provider = null, ...others } = this.#known;
    const suspended = await suspend(
      this.#parts,
      { owner, id: this.executionId, attempt },
      {
        ...others,
        output,
        usage,
        model,
        provider,
        approvals: [...this.#approvals, ...this.#toDecide.map((call) => ({ ...call, ...waiting }))],
        approvals_expire_at: new Date(Date.now() + APPROVAL_MS),
        started_at: this.#startedAt,
      },
      writer,
    );
    if (suspended === 'cancelling') return this.#settle(writer, cancelledOutcome({ ...this.#known, output }));
    if (suspended === 'refused') return this.#refused();
    this.#log.info({ calls: this.#toDecide.length }, 'execution waits for decisions');
    return 'settled';
  }

  /** Tells whether the next attempt can continue without taking back what was shown. */
  #mayContinue(output: OutputItem[]): boolean {
    const { continueFrom } = this.#job.handler;
    return this.#checkpoint !== null && continueFrom?.(this.#checkpoint, output).resets === false;
  }

  async #settle(writer: EventWriter, outcome: Outcome): Promise<AttemptEnd> {
    const { store, eventLog, observer, log } = this.#parts;
    const { owner, attempt, kind, requestId, input } = this.#job;
    // Show everything before storing it, and nothing afterwards. Only the holder of the log may do so.
    writer.seal();
    await writer.flushShown();
    if (writer.refused && writer.refused !== 'lost') return this.#refused();
    outcome.started_at = this.#startedAt;
    if (writer.resets > 0) outcome.resets = writer.resets;
    if (this.#progress) outcome.progress = this.#progress;
    const record = await persist(() => settle(store, { owner, id: this.executionId, attempt, outcome, input }));
    if (!record) return 'refused';
    announceEnd(eventLog, record);
    // After a rollback of Redis, the record may be that of another attempt with the same number.
    const isOwn = record.finished_at?.getTime() === outcome.finished_at.getTime();
    if (!isOwn || !(await writer.end(terminalEvent(record)))) await closeLog(eventLog, record);
    const durationMs = Date.now() - this.#startedAt.getTime();
    observer.ended({
      kind,
      status: record.status,
      durationMs,
      firstTextMs: this.#firstTextAt === null ? null : this.#firstTextAt - this.#startedAt.getTime(),
      model: record.model,
      usage: record.usage,
    });
    const { status, error } = record;
    const about = { execution_id: this.executionId, request_id: requestId, status, code: error?.code };
    log.info({ ...about, duration_ms: durationMs }, 'execution ended');
    return 'settled';
  }

  get #log(): Logger {
    this.#childLog ??= this.#parts.log.child({ execution_id: this.executionId, request_id: this.#job.requestId });
    return this.#childLog;
  }

  get #announced(): Announced {
    const { kind, owner, sessionId, batchId } = this.#job;
    return { id: this.executionId, owner, kind, session_id: sessionId, batch_id: batchId };
  }

  #markRunning(): void {
    if (this.#stopped) return;
    announceStarted(this.#parts.eventLog, this.#announced, this.#job.attempt);
    if (this.#job.attempt > 1) return;
    this.#parts.store.executions.markRunning(this.#job.owner, this.executionId, this.#startedAt).catch(() => undefined);
  }
}
