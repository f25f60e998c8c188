import {
  goesWithText,
  type LogEvent,
  type OutputItem,
  type ResetReason,
  type RunningEvent,
  type TerminalEvent,
} from '@chorus/contract';
import { type AppendResult, BEYOND_LOST, type EventLog } from './event-log.ts';
import { isRedisAway } from './is-redis-away.ts';

/** Deltas that follow each other within this time travel as one event. */
const JOIN_WINDOW_MS = 5;

/** What shows nothing yet (`execution.started`) waits so long for a first text to travel with. */
const LINGER_MS = 8;

/** Text and sound that may wait for Redis before `emit` asks the caller to wait. */
const MAX_WAITING_BYTES = 1_000_000;

/** How long an append is repeated that Redis can't take now, and how often, in milliseconds. */
const INSIST_MS = 30_000;
const INSIST_EVERY_MS = 200;

/** `contested`: somebody else writes as the same attempt, since a queue that fell back has given out its job once more. */
export type Refusal = 'ended' | 'fenced' | 'lost' | 'contested';

export interface EventWriterOptions {
  log: EventLog;
  executionId: string;
  attempt: number;
  /** Seq of the log's last event: 1 for a new log, else what taking it over has told. */
  base: number;
  /** Whether text that was shown may be taken back by a reset. */
  mayReset: boolean;
  /** The log refuses this writer: its attempt is over, whatever it does must stop. Called once. */
  onRefused: (refusal: Refusal) => void;
  /** An append answered that somebody asked to cancel. May be called more than once. */
  onCancelRequested: () => void;
}

/**
 * Writes one attempt's events. Appends go out one after another, never two at once; what is emitted meanwhile is joined into the
 * next, so the slower Redis is, the larger the steps. The first event after a pause goes out at once.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #base: number;
  #waiting: LogEvent[] = [];
  #waitingBytes = 0;
  #inFlight: Promise<void> | null = null;
  #scheduled: { cancel: () => void } | null = null;
  #lastSentAt = 0;
  #refused: Refusal | null = null;
  #sealed = false;
  #drained: (() => void)[] = [];
  /** What has been emitted since the last reset, by output index: after a lost log it is sent again. */
  #texts: string[] = [];
  /** The last event of each output item that was emitted whole, by output index. */
  #items = new Map<number, RunningEvent & { type: 'output.item' }>();

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#base = options.base;
  }

  /** The text of one output item, as its deltas since the last reset give it. */
  text(index = 0): string {
    return this.#texts[index] ?? '';
  }

  /** Everything shown so far: texts as their deltas give them, and the items that were emitted whole, in order of their index. */
  output(): OutputItem[] {
    const shown = new Map<number, OutputItem>();
    this.#texts.forEach((text, index) => {
      if (text !== '') shown.set(index, { type: 'text', text });
    });
    for (const [index, event] of this.#items) shown.set(index, event.item);
    return [...shown].sort(([one], [other]) => one - other).map(([, item]) => item);
  }

  /** Queues an event. Returns a promise only while so much waits for Redis that the caller should wait too. */
  emit(event: RunningEvent): Promise<void> | undefined {
    if (this.#sealed) return undefined;
    // What a log that is lost can't take is said all the same: the handler may be at its end, and have a whole answer.
    if (this.#refused === 'lost') this.#take(event);
    if (this.#refused) return undefined;
    if (this.#lastSentAt === 0 && this.#waiting.length > 0) this.#unschedule();
    this.#push(event);
    this.#schedule();
    if (this.#waitingBytes <= MAX_WAITING_BYTES) return undefined;
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  /** Begins the text anew: the answer is what comes after. */
  reset(reason: ResetReason): void {
    this.emit({ type: 'text.reset', reason });
  }

  /** Takes nothing more but the end: what a handler that does not let go emits from now on is dropped. */
  seal(): void {
    this.#sealed = true;
  }

  /** Waits until everything emitted so far is in the log, or this writer was refused. */
  async flush(): Promise<void> {
    while (!this.#refused && (this.#waiting.length > 0 || this.#inFlight)) {
      if (this.#inFlight) await this.#inFlight;
      else this.#send();
    }
  }

  /** Like `flush`, but what shows nothing (`execution.started`) may wait for what comes next. */
  async flushShown(): Promise<void> {
    if (this.#inFlight === null && this.#waiting.every(({ type }) => type === 'execution.started')) return;
    await this.flush();
  }

  /** Appends the terminal event after all else. Returns whether it is in the log. */
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
    this.#take(event);
    if (event.type === 'text.delta' || event.type === 'audio.delta') this.#waitingBytes += event.delta.length;
    const last = this.#waiting.at(-1);
    if (event.type === 'text.delta' && last?.type === 'text.delta' && last.index === event.index) {
      last.delta += event.delta;
      return;
    }
    // Later deltas are put behind this one: it must not be the caller's.
    this.#waiting.push(event.type === 'text.delta' ? { ...event } : event);
  }

  /** Notes what an event says: `text` and `output` tell of it. */
  #take(event: RunningEvent): void {
    if (event.type === 'text.delta') this.#texts[event.index] = (this.#texts[event.index] ?? '') + event.delta;
    if (event.type === 'output.item') this.#items.set(event.index, event);
    if (event.type !== 'text.reset') return;
    this.#texts = [];
    for (const [index, { item }] of this.#items) if (goesWithText(item)) this.#items.delete(index);
  }

  #schedule(): void {
    if (this.#inFlight || this.#scheduled) return;
    const first = this.#waiting[0]?.type === 'execution.started' && this.#waiting.length === 1;
    const wait = first ? LINGER_MS : JOIN_WINDOW_MS - (performance.now() - this.#lastSentAt);
    const send = () => {
      this.#scheduled = null;
      if (!this.#inFlight && this.#waiting.length > 0 && !this.#refused) this.#send();
    };
    if (wait > 0) {
      const timer = setTimeout(send, wait);
      this.#scheduled = { cancel: () => clearTimeout(timer) };
    } else {
      // Not at once: what is emitted in the same breath (a reset and the text after it, say) travels together.
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
    const result = await this.#insist(events);
    if (result === null) return this.#refuse('lost');
    if (result.status === 'appended') {
      this.#base = result.seq;
      if (result.cancelRequested) this.#options.onCancelRequested();
    } else if (result.status === 'lost' && result.seq > this.#base) {
      this.#refuse('contested');
    } else if (result.status === 'lost' && this.#options.mayReset && events[0]?.type !== 'text.reset') {
      this.#base += BEYOND_LOST;
      this.#waiting = this.#anew([...events, ...this.#waiting]);
    } else {
      this.#refuse(result.status);
    }
  }

  /** Appends, again and again while Redis is full, loads or fails over; null when it gave up, or the connection was closed for good. */
  async #insist(events: LogEvent[]): Promise<AppendResult | null> {
    const { log, executionId, attempt } = this.#options;
    const until = performance.now() + INSIST_MS;
    for (;;) {
      try {
        return await log.append(executionId, attempt, this.#base, events);
      } catch (error) {
        if (!isRedisAway(error) || log.closed || performance.now() > until) return null;
        await new Promise((resolve) => setTimeout(resolve, INSIST_EVERY_MS));
      }
    }
  }

  /** After Redis fell back to an older state: a reset, all text since the last one, the items, and what else was not stored. */
  #anew(unstored: LogEvent[]): LogEvent[] {
    const texts = this.#texts.flatMap((delta, index): LogEvent[] =>
      delta ? [{ type: 'text.delta', index, delta }] : [],
    );
    const told = ['text.delta', 'text.reset', 'output.item'];
    const others = unstored.filter(({ type }) => !told.includes(type));
    return [{ type: 'text.reset', reason: 'log_lost' }, ...texts, ...this.#items.values(), ...others];
  }

  #refuse(refusal: Refusal): void {
    if (this.#refused) return;
    this.#refused = refusal;
    this.#waiting = [];
    for (const resolve of this.#drained.splice(0)) resolve();
    this.#options.onRefused(refusal);
  }
}
