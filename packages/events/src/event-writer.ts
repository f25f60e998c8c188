import {
  isAnswerDelta,
  type LogEvent,
  type OutputItem,
  type ResetReason,
  type RunningEvent,
  type TerminalEvent,
} from '@chorus/contract';
import { backoff, retryWhile, setSharedTimeout } from '@chorus/runtime/timing';
import { type AppendResult, type EventLog, LOST_EVENTS_GAP } from './event-log.ts';
import { isRedisUnavailable } from './from-redis.ts';
import { copyOf, joinDelta, ShownOutput, sizeOf } from './shown-output.ts';

/**
 * Deltas within this time are merged into one event. The time grows with the number of open writers in this process.
 * Readers do not notice 20 ms, and an append costs the same for one word as for ten.
 */
const JOIN_WINDOW_MS = 5;
const MAX_JOIN_WINDOW_MS = 20;
const WINDOW_PER_WRITER_MS = 0.4;

let openWriters = 0;

/** From this many open writers, appends go out together, at multiples of this time. */
const MANY_WRITERS = 8;
const SHARED_GRID_MS = 10;

const joinWindowMs = () => Math.min(MAX_JOIN_WINDOW_MS, JOIN_WINDOW_MS + openWriters * WINDOW_PER_WRITER_MS);

/** Calls `send` after about `ms`. Returns a function that cancels the call. */
function sendLater(send: () => void, ms: number): () => void {
  if (openWriters >= MANY_WRITERS) return setSharedTimeout(send, ms - SHARED_GRID_MS / 2, SHARED_GRID_MS);
  const timer = setTimeout(send, ms);
  return () => clearTimeout(timer);
}

/** `execution.started` shows nothing, so it waits this long to be sent with the first text. */
const START_DELAY_MS = 20;

/** Buffer size above which `emit` asks the caller to wait. */
const MAX_WAITING_BYTES = 1_000_000;

/** Time limit and backoff of append retries. */
const APPEND_RETRY_MS = 30_000;
const APPEND_BACKOFF_MS = 200;

/** `contested`: another writer has the same attempt number, since a restored queue ran its job twice. */
export type Refusal = 'ended' | 'fenced' | 'lost' | 'contested';

export interface EventWriterOptions {
  log: EventLog;
  executionId: string;
  attempt: number;
  /** Seq of the log's last event: 1 for a new log, else the result of the takeover. */
  base: number;
  /** Channel of the hub that follows the execution: see `EventLog.append`. */
  hub?: string | undefined;
  /** How often earlier attempts have reset the answer. Default: 0. */
  resets?: number;
  /** Whether a reset may discard shown text. */
  mayReset: boolean;
  /** Called once when the log refuses this writer. The attempt is over and must stop. */
  onRefused: (refusal: Refusal) => void;
  /** Called, possibly more than once, when an append reports a cancel request. */
  onCancelRequested: () => void;
}

/**
 * Writes one attempt's events, one append at a time. Events emitted meanwhile are batched, so appends grow
 * as Redis slows down. The first event after a pause is sent at once.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #base: number;
  #resets: number;
  #waiting: LogEvent[] = [];
  #waitingBytes = 0;
  #inFlight: Promise<void> | null = null;
  #scheduled: { cancel: () => void } | null = null;
  #lastSentAt = 0;
  #refused: Refusal | null = null;
  #sealed = false;
  #closed = false;
  #drained: (() => void)[] = [];
  /** Sent again if the log is lost. */
  readonly #shown = new ShownOutput();

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#base = options.base;
    this.#resets = options.resets ?? 0;
    openWriters += 1;
  }

  /** Must be called once the attempt is over. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    openWriters -= 1;
  }

  /** Continues after the output that an earlier attempt has shown. */
  restore(events: readonly RunningEvent[]): void {
    for (const event of events) this.#shown.add(event);
  }

  /** Returns the output shown since the last reset, in order of its index. */
  output(): OutputItem[] {
    return this.#shown.output();
  }

  /** How often the answer has started over, according to the log. */
  get resets(): number {
    return this.#resets;
  }

  /** Queues an event. Returns a promise if the buffer is full. The caller should wait for it. */
  emit(event: RunningEvent): Promise<void> | undefined {
    if (this.#sealed) return undefined;
    // A finishing handler may still complete its answer, which is then stored in the record.
    if (this.#refused === 'lost') this.#shown.add(event);
    if (this.#refused) return undefined;
    if (this.#lastSentAt === 0 && this.#waiting.length > 0) this.#unschedule();
    this.#push(event);
    this.#schedule();
    if (this.#waitingBytes <= MAX_WAITING_BYTES) return undefined;
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  /** Discards the answer shown so far. */
  reset(reason: ResetReason): void {
    this.emit({ type: 'text.reset', reason });
  }

  /** Ignores all further events except the end, for a handler that does not stop. */
  seal(): void {
    this.#sealed = true;
  }

  /** Waits until all emitted events are in the log, or this writer was refused. */
  async flush(): Promise<void> {
    while (!this.#refused && (this.#waiting.length > 0 || this.#inFlight)) {
      if (this.#inFlight) await this.#inFlight;
      else this.#send();
    }
  }

  /** Flushes, but leaves a lone `execution.started` waiting for the next event. */
  async flushShown(): Promise<void> {
    if (this.#inFlight === null && this.#waiting.every(({ type }) => type === 'execution.started')) return;
    await this.flush();
  }

  /** Appends the terminal event after all others. Returns whether it is in the log. */
  async end(event: TerminalEvent): Promise<boolean> {
    this.seal();
    if (this.#refused) return false;
    this.#waiting.push(event);
    await this.flush();
    return this.#refused === null;
  }

  get refused(): Refusal | null {
    return this.#refused;
  }

  #push(event: RunningEvent): void {
    this.#shown.add(event);
    if (isAnswerDelta(event)) {
      this.#waitingBytes += sizeOf(event);
      const last = this.#waiting.at(-1);
      if (last === undefined || !joinDelta(last, event)) this.#waiting.push(copyOf(event));
    } else {
      if (event.type === 'audio.delta') this.#waitingBytes += event.delta.length;
      this.#waiting.push(event);
    }
  }

  #schedule(): void {
    if (this.#inFlight || this.#scheduled) return;
    const first = this.#waiting[0]?.type === 'execution.started' && this.#waiting.length === 1;
    const wait = first ? START_DELAY_MS : joinWindowMs() - (performance.now() - this.#lastSentAt);
    const send = () => {
      this.#scheduled = null;
      if (!this.#inFlight && this.#waiting.length > 0 && !this.#refused) this.#send();
    };
    if (wait > 0) {
      this.#scheduled = { cancel: sendLater(send, wait) };
    } else {
      // Defers the append to batch events of the same tick, such as a reset and its text.
      let cancelled = false;
      queueMicrotask(() => {
        if (!cancelled) send();
      });
      this.#scheduled = {
        cancel: () => {
          cancelled = true;
        },
      };
    }
  }

  #unschedule(): void {
    this.#scheduled?.cancel();
    this.#scheduled = null;
  }

  #send(): void {
    this.#unschedule();
    const events = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#lastSentAt = performance.now();
    this.#inFlight = this.#append(events).finally(() => {
      this.#inFlight = null;
      for (const resolve of this.#drained.splice(0)) resolve();
      if (this.#waiting.length > 0 && !this.#refused) this.#schedule();
    });
  }

  async #append(events: LogEvent[]): Promise<void> {
    const result = await this.#appendWithRetry(events);
    if (result === null) return this.#refuse('lost');
    if (result.status === 'appended') {
      this.#base = result.seq;
      this.#resets = result.resets;
      if (result.cancelRequested) this.#options.onCancelRequested();
    } else if (result.status === 'lost' && result.seq > this.#base) {
      this.#refuse('contested');
    } else if (result.status === 'lost' && this.#options.mayReset && events[0]?.type !== 'text.reset') {
      this.#base += LOST_EVENTS_GAP;
      this.#waiting = this.#rebuild([...events, ...this.#waiting]);
    } else {
      this.#refuse(result.status);
    }
  }

  /** Retries an append while Redis is unavailable. Null: it gave up, or the connection is closed for good. */
  async #appendWithRetry(events: LogEvent[]): Promise<AppendResult | null> {
    const { log, executionId, attempt, hub } = this.#options;
    const append = () => log.append(executionId, attempt, this.#base, events, hub);
    const mayRetry = (error: unknown) => isRedisUnavailable(error) && !log.closed;
    const options = { pausesMs: backoff(APPEND_BACKOFF_MS), deadlineMs: APPEND_RETRY_MS };
    return retryWhile(mayRetry, append, options).catch(() => null);
  }

  /** Rebuilds the log after lost writes: a reset, the output, and other events that were not stored. */
  #rebuild(unstored: LogEvent[]): LogEvent[] {
    const others = unstored.filter(
      (event) => !isAnswerDelta(event) && event.type !== 'text.reset' && event.type !== 'output.item',
    );
    return [{ type: 'text.reset', reason: 'log_lost' }, ...this.#shown.events(), ...others];
  }

  #refuse(refusal: Refusal): void {
    if (this.#refused) return;
    this.#refused = refusal;
    this.#waiting = [];
    for (const resolve of this.#drained.splice(0)) resolve();
    this.#options.onRefused(refusal);
  }
}
