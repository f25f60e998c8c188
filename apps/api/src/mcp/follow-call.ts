import { isAnswerDelta, isTerminal, type LogEvent, type Progress } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { StoredEvent } from '@chorus/events';
import { follow } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';
import { onDisconnect } from '../responses/event-stream.ts';
import type { RunningCall } from './begin-call.ts';

/** How often progress is repeated: clients give up on calls that are silent for a minute. */
const PULSE_MS = 15_000;

/** Minimum time between two notifications about a text that is being written. */
const TEXT_MS = 1_000;

export interface CallProgress {
  progress: number;
  total?: number;
  message: string;
}

/** The end of a call. `ended`: the execution's record, even if it is still running when the time is up. */
export type CallEnd = { ended: ExecutionRecord } | 'deleted' | 'left';

/**
 * Waits for the end of a call. `left`: the client has disconnected or this process stops, and nothing is to be sent.
 * @param report receives progress, with the number of the last event that it covers
 * @param known the progress that the client knows already
 */
export async function followCall(
  context: ScopedContext,
  { record, reader, waitMs }: Pick<RunningCall, 'record' | 'reader' | 'waitMs'>,
  report: (progress: CallProgress, seq: number) => Promise<void> | void,
  known: number,
): Promise<CallEnd> {
  const { services, owner, response } = context;
  const { database, eventLog } = services;
  let isDue = false;
  let isLeft = false;
  const steps = new ProgressSteps(known);
  const timer = setTimeout(() => {
    isDue = true;
    reader.close();
  }, waitMs);
  const pulse = setInterval(() => void report(steps.pulse(), reader.seq), PULSE_MS);
  const connected = onDisconnect(context, () => {
    isLeft = true;
    reader.close();
  });
  try {
    await report(steps.pulse(), reader.seq);
    for (;;) {
      const step = await follow({ database, eventLog, owner, record, reader, events: true });
      if (step === null) break;
      if ('ended' in step) return { ended: step.ended };
      const progress = steps.after(step.running);
      if (progress !== null) await report(progress, step.running.at(-1)?.seq ?? 0);
    }
    if (isLeft || response.destroyed) return 'left';
    const latest = await database.executions.get(owner, record.id);
    if (latest === null) return isDue ? { ended: record } : 'deleted';
    if (latest.status === 'queued' && steps.hasBegun) latest.status = 'running';
    return isDue || isTerminal(latest.status) ? { ended: latest } : 'deleted';
  } finally {
    clearTimeout(timer);
    clearInterval(pulse);
    connected();
    reader.close();
  }
}

/** Turns events into progress that only grows, even from one stage to the next. */
class ProgressSteps {
  #done = 0;
  /** Of the stages before the current one. */
  #before = 0;
  #current: Progress | null = null;
  #chars = 0;
  #toldAt = 0;
  #message = 'Queued';
  #hasBegun = false;

  constructor(known: number) {
    this.#done = known;
    this.#before = known;
  }

  /** Whether its worker has begun, and does not wait for the provider. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Repeats the state, as a keep-alive. */
  pulse(): CallProgress {
    return this.#grown(this.#done + 0.001);
  }

  after(events: readonly StoredEvent[]): CallProgress | null {
    let isNew = false;
    for (const { event } of events) isNew = this.#add(event) || isNew;
    const last = events.at(-1);
    if (last) this.#hasBegun = last.event.type !== 'execution.waiting';
    return isNew ? this.#grown(this.#before + (this.#current?.completed ?? 0)) : null;
  }

  #add(event: LogEvent): boolean {
    if (event.type === 'execution.started') this.#message = 'Running';
    else if (event.type === 'execution.waiting') this.#message = `Waiting for ${event.provider}`;
    else if (event.type === 'progress') this.#enter(event.progress);
    else if (isAnswerDelta(event)) return this.#addText('delta' in event ? event.delta.length : 0);
    else return false;
    return true;
  }

  #enter(progress: Progress): void {
    if (this.#current !== null && this.#current.stage !== progress.stage) this.#before = this.#done;
    this.#current = progress;
    this.#message = progress.stage;
  }

  #addText(length: number): boolean {
    this.#chars += length;
    this.#message = `Writing: ${this.#chars} characters`;
    if (performance.now() - this.#toldAt < TEXT_MS) return false;
    this.#toldAt = performance.now();
    return true;
  }

  #grown(progress: number): CallProgress {
    this.#done = Math.max(progress, this.#done + 0.001);
    const total = this.#current === null ? undefined : this.#before + this.#current.total;
    return {
      progress: this.#done,
      ...(total !== undefined && total >= this.#done && { total }),
      message: this.#message,
    };
  }
}
