import {
  ChorusError,
  isAnswerDelta,
  type JobKind,
  type JobOutput,
  type OutputItem,
  type RunningEvent,
} from '@chorus/contract';
import type { ApprovalRecord, Outcome } from '@chorus/database';
import { type AppendResult, EventWriter, type Refusal } from '@chorus/events';
import {
  type Announced,
  announceStarted,
  cancelledOutcome,
  type PartialOutcome,
  replayEvents,
} from '@chorus/executions';
import { LaneWait } from '@chorus/lanes';
import { NO_USAGE } from '@chorus/providers/usage';
import type { Logger } from '@chorus/runtime/log';
import { AttemptCheckpoint } from './attempt-checkpoint.ts';
import type { AttemptEnd, AttemptJob, AttemptParts } from './attempt-job.ts';
import { lostOutcome, outcomeOf } from './attempt-outcome.ts';
import { createPlace } from './attempt-place.ts';
import { AttemptProgress } from './attempt-progress.ts';
import { AttemptUsage } from './attempt-usage.ts';
import { claimExecution } from './claim-execution.ts';
import { type CallToDecide, type JobContext, type JobResult, persist, Stop, type StopKind } from './handler.ts';
import { settleAttempt } from './settle-attempt.ts';
import { APPROVAL_MS, suspend } from './suspend.ts';

/** Executions that are shorter are never marked as running. */
const MARK_RUNNING_AFTER_MS = 250;

/** How long a handler may run after its signal has aborted. */
const LET_GO_MS = 1_000;

/** Counts that time in parts. A pause of a busy process counts as one, so its handlers still get their turns. */
const LET_GO_PARTS = 10;

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
  #firstTextAt: number | null = null;
  readonly #checkpoint: AttemptCheckpoint;
  readonly #progress: AttemptProgress;
  readonly #usage: AttemptUsage;
  #hasRun = false;
  #mayReset = true;
  #approvals: readonly ApprovalRecord[] = [];
  #toDecide: readonly CallToDecide[] = [];
  #writer: EventWriter | null = null;
  #marked: Promise<void> | null = null;

  constructor(parts: AttemptParts, job: AttemptJob<K>) {
    this.#parts = parts;
    this.#job = job;
    this.executionId = job.executionId;
    const log = () => this.#log;
    this.#usage = new AttemptUsage(parts, job);
    this.#checkpoint = new AttemptCheckpoint({
      store: parts.store,
      get log() {
        return log();
      },
      job,
      usage: this.#usage,
      signal: this.#controller.signal,
      onRefused: () => this.stop('refused'),
    });
    this.#progress = new AttemptProgress(parts, this.#announced, job.attempt);
  }

  /** Stops the attempt. The first reason counts. */
  stop(kind: StopKind): void {
    if (this.#stopped) return;
    this.#stopped = kind;
    this.#progress.stop();
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
    // Results of a batch are only read once complete.
    const mayReset = batchId !== null || (handler.mayReset?.(input) ?? true);
    this.#mayReset = mayReset;
    const opened = attempt === 1 ? this.#open({ seq: 1, resets: 0 }, mayReset) : await this.#takeOver(mayReset);
    if (typeof opened === 'string') return opened;
    const writer = opened;
    const timeout = setTimeout(() => this.stop('timeout'), Math.max(0, timeoutMs - ranMs));
    const marking = setTimeout(() => this.#markRunning(), MARK_RUNNING_AFTER_MS);
    try {
      let outcome: Outcome | null = null;
      try {
        const result = await this.#handle(writer);
        const ended = { finished_at: new Date(), started_at: this.#startedAt };
        outcome = { status: 'succeeded', error: null, ...ended, ...result };
      } catch (error) {
        if (error instanceof LaneWait && (await this.#mayWait(error, writer, mayReset))) {
          clearTimeout(marking); // it would mark a waiting execution as running
          return await this.#wait(error, writer);
        }
        outcome = this.#outcomeOf(error, writer, mayReset);
      }
      if (outcome === null) return this.#leave(writer);
      return await this.#settle(writer, outcome);
    } finally {
      clearTimeout(timeout);
      clearTimeout(marking);
      this.#progress.stop();
      this.#usage.stop();
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

  /** Fences record and log against the earlier attempt. */
  async #takeOver(mayReset: boolean): Promise<EventWriter | AttemptEnd> {
    const { eventLog } = this.#parts;
    const { attempt } = this.#job;
    const id = this.executionId;
    const claimed = await claimExecution(this.#parts, this.#job, this.#startedAt);
    if (typeof claimed === 'string') return claimed;
    this.#known = { model: claimed.model, provider: claimed.provider };
    this.#checkpoint.restore(claimed.checkpoint);
    this.#usage.restore(claimed);
    this.#job.spending?.noted(this.#usage.total(null).cost_usd);
    this.#approvals = claimed.approvals ?? [];
    const taken = await eventLog.append(id, attempt, -1, []);
    if (taken.status === 'fenced') return 'refused';
    this.#log.info({ attempt, shown: taken.shown }, 'attempt takes over');
    const writer = this.#open(taken, mayReset);
    // The end was published but not stored. End the record, too: the log accepts no more events.
    if (taken.status === 'ended') {
      return this.#settle(writer, this.#lost(await eventLog.shown(id)));
    }
    if (claimed.status === 'cancelling' || taken.cancelRequested) {
      return this.#settle(writer, cancelledOutcome({ ...this.#known, output: await eventLog.shown(id) }));
    }
    const { continueFrom } = this.#job.handler;
    if (continueFrom && this.#checkpoint.value !== null) {
      const shown = taken.shown ? await eventLog.shown(id) : [];
      const { resets, events } = continueFrom(this.#checkpoint.value, shown);
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
    if (!mayReset) return this.#settle(writer, this.#lost(await eventLog.shown(id)));
    writer.reset(this.#job.handedBack ? 'handed_back' : 'worker_lost');
    return writer;
  }

  async #handle(writer: EventWriter): Promise<JobResult> {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    this.#hasRun = true;
    const log = () => this.#log;
    const context: JobContext<K> = {
      input: this.#job.input,
      owner: this.#job.owner,
      executionId: this.executionId,
      caller: {
        executionId: this.executionId,
        user: this.#job.owner.user_id,
        isBatch: this.#job.batchId !== null,
        ...(this.#job.spending && { spending: this.#job.spending }),
      },
      attempt: this.#job.attempt,
      signal,
      get log() {
        return log();
      },
      emit: (event: RunningEvent) => {
        if (this.#firstTextAt === null && isAnswerDelta(event)) {
          this.#firstTextAt = Date.now();
          if (!this.#mayReset) this.#job.onUnrepeatable?.();
        }
        if (event.type === 'progress') this.#progress.note(event.progress);
        return writer.emit(event);
      },
      checkpoint: this.#checkpoint,
      place: createPlace({ isPlaceWanted: this.#job.isPlaceWanted, signal, giveBack: () => this.stop('yield') }),
      decisions: {
        made: this.#approvals,
        wait: (calls) => {
          this.#toDecide = calls;
          this.stop('suspended');
          throw signal.reason;
        },
      },
      note: ({ unsaved, ...known }) => {
        Object.assign(this.#known, known);
        this.#usage.note({ ...known, ...(unsaved !== undefined && { unsaved }) });
        if (known.usage) this.#job.spending?.noted(this.#usage.total(known.usage).cost_usd);
      },
      // `emit` accepts no other items.
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
        let left = LET_GO_PARTS;
        abandon = setInterval(() => {
          left -= 1;
          if (left === 0) reject(signal.reason);
        }, LET_GO_MS / LET_GO_PARTS);
      });
    });
    try {
      return await Promise.race([running, abandoned]);
    } finally {
      clearInterval(abandon);
    }
  }

  #outcomeOf(error: unknown, writer: EventWriter, mayReset: boolean): Outcome | null {
    const { requestId, timeoutMs } = this.#job;
    const output = writer.output();
    if (this.#stopped === null && !(error instanceof ChorusError)) this.#log.error({ err: error }, 'handler failed');
    return outcomeOf({
      stopped: this.#stopped,
      refusal: this.#refusal,
      error,
      partial: { ...this.#known, output },
      requestId,
      timeoutMs,
      mayContinue: this.#mayLeave(output, mayReset),
    });
  }

  /** Whether another attempt can go on, even if some of its output must start over. */
  #mayLeave(output: OutputItem[], mayReset: boolean): boolean {
    return mayReset || output.length === 0 || this.#mayContinue(output);
  }

  /** Asks about a provider that takes no call now. While the queue does not answer, the job fails as other calls do. */
  async #mayWait(wait: LaneWait, writer: EventWriter, mayReset: boolean): Promise<boolean> {
    const { mayWait } = this.#job;
    if (this.#stopped !== null || !mayWait || !this.#mayLeave(writer.output(), mayReset)) return false;
    return mayWait(wait, this.#checkpoint.advanced).catch((err) => {
      this.#log.warn({ err }, 'could not ask whether to wait');
      return false;
    });
  }

  async #wait({ waiting, lane }: LaneWait, writer: EventWriter): Promise<AttemptEnd> {
    writer.emit({ type: 'execution.waiting', ...waiting });
    writer.seal();
    await writer.flush();
    if (writer.refused) return this.#refused();
    await this.#usage.leave();
    const { owner, attempt } = this.#job;
    await this.#marked;
    await this.#parts.store.executions.markWaiting(owner, this.executionId, attempt, lane).catch(() => undefined);
    this.#log.debug(waiting, 'execution waits for its provider');
    return 'wait';
  }

  #lost(output: OutputItem[]): Outcome {
    return lostOutcome(this.#job.requestId, { ...this.#known, output });
  }

  #refused(): AttemptEnd {
    return this.#refusal === 'contested' ? 'contested' : 'refused';
  }

  async #leave(writer: EventWriter): Promise<AttemptEnd> {
    const left = this.#stopped;
    if (left === 'suspended') return this.#suspend(writer);
    if (left !== 'handback' && left !== 'yield') return this.#refused();
    await this.#usage.leave();
    writer.seal();
    await writer.flush();
    return writer.refused ? this.#refused() : left;
  }

  async #suspend(writer: EventWriter): Promise<AttemptEnd> {
    const { owner, attempt, spending } = this.#job;
    const output = writer.output();
    // Before another attempt can begin, and reserve again.
    await spending?.release().catch((err) => this.#log.warn({ err }, 'the reservation in the budget stays'));
    const waiting = { decision: null, reason: null, user_id: null, decided_at: null };
    const { usage = NO_USAGE, model = null, provider = null, ...others } = this.#known;
    const suspended = await suspend(
      this.#parts,
      { owner, id: this.executionId, attempt },
      {
        ...others,
        output,
        usage: this.#usage.total(usage),
        ...(this.#usage.lost !== null && { lost_usage: this.#usage.lost }),
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

  /** Returns whether the next attempt can continue without discarding shown output. */
  #mayContinue(output: OutputItem[]): boolean {
    const { continueFrom } = this.#job.handler;
    const { value } = this.#checkpoint;
    return value !== null && continueFrom?.(value, output).resets === false;
  }

  async #settle(writer: EventWriter, outcome: Outcome): Promise<AttemptEnd> {
    // Show everything before storing it, and nothing afterwards. Only the holder of the log may do so.
    writer.seal();
    await writer.flushShown();
    if (writer.refused && writer.refused !== 'lost') return this.#refused();
    outcome.started_at = this.#startedAt;
    outcome.usage = this.#usage.total(this.#hasRun ? outcome.usage : null);
    if (writer.resets > 0) outcome.resets = writer.resets;
    const { latest } = this.#progress;
    // A handler may succeed without a word about its last step.
    if (latest) outcome.progress = outcome.status === 'succeeded' ? { ...latest, completed: latest.total } : latest;
    const firstTextMs = this.#firstTextAt === null ? null : this.#firstTextAt - this.#startedAt.getTime();
    return settleAttempt(this.#parts, this.#job, {
      writer,
      outcome,
      startedAt: this.#startedAt,
      firstTextMs,
      approvals: this.#approvals,
    });
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
    const { owner } = this.#job;
    this.#marked = this.#parts.store.executions
      .markRunning(owner, this.executionId, this.#startedAt)
      .catch(() => undefined);
  }
}
