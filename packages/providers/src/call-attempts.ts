import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, type Usage } from '@chorus/contract';
import { type LanePass, LaneWait } from '@chorus/lanes';
import type { Logger } from '@chorus/runtime/log';
import type { CallGate } from './call-gate.ts';
import type { CallObserver, LaneOutcome, ObservedCall, ObservedEnd } from './call-observer.ts';
import type { CallStatus } from './call-status.ts';
import { CallWatch } from './call-watch.ts';
import { readLimits } from './limit-headers.ts';
import { type FailureContext, type ProviderFailure, toFailure } from './provider-failure.ts';
import type { CallOptions } from './provider-port.ts';

const MAX_RETRIES = 2;
const FIRST_DELAY_MS = 250;

/** How long a call waits for its lane in place. Longer waits are for the queue. */
const MAX_WAIT_S = 1;

/** The same for calls whose job would lose results. It begins with the call's first wait. */
const KEEPING_WAIT_MS = 300_000;
const MAX_PAUSE_MS = 10_000;

/** Shared by all calls of one adapter. */
export interface CallFrame extends FailureContext {
  idleTimeoutMs: number;
  status: CallStatus;
  log: Logger;
  gate: CallGate;
  observer: CallObserver;
  /** Whether the calls cost the prices of the provider's batch endpoint. */
  inBatch?: boolean;
}

/** Describes a call, for metrics and traces. */
export type CallSubject = Pick<ObservedCall, 'operation' | 'model'>;

/** A running attempt: its signal, and what it holds until it ends. */
interface Attempt {
  watch: CallWatch;
  pass: LanePass;
  /** Reports the end. Null: already reported. */
  ended: ((end: ObservedEnd) => void) | null;
}

/**
 * Runs the attempts of one call. Each passes the model's lane and has its own watch. Failures before any output are
 * retried at most twice, after a growing pause. If the provider then still takes no call, the work must wait for it.
 */
export class CallAttempts {
  readonly #frame: CallFrame;
  readonly #options: CallOptions;
  readonly #subject: CallSubject;
  readonly #lane: string;
  #retries = 0;
  #keepsUntil: number | null = null;

  constructor(frame: CallFrame, options: CallOptions, subject: CallSubject) {
    this.#frame = frame;
    this.#options = options;
    this.#subject = subject;
    this.#lane = `${frame.provider}/${subject.model}`;
  }

  /**
   * Starts an attempt. Returns a promise only if it must wait.
   *
   * @throws {LaneWait} if the provider takes no call soon
   */
  enter(): Attempt | Promise<Attempt> {
    const { signal, executionId, user = executionId, isBatch = false, onRequest, permit } = this.#options;
    const { provider, observer } = this.#frame;
    signal.throwIfAborted();
    const waiting = { signal, maxWaitMs: this.#maxWaitMs(), user, isBatch };
    const pass = permit?.lend() ?? this.#frame.gate.enter(this.#lane, waiting);
    const begin = (passed: LanePass): Attempt => {
      const watch = new CallWatch(signal, this.#frame.idleTimeoutMs);
      watch.onAnswer = (status, headers) => {
        const limits = readLimits(headers, Date.now());
        if (limits !== null) passed.learned(limits);
        if (status < 300) passed.accepted();
      };
      watch.onFirstByte = (status) => {
        if (status < 300) passed.began();
      };
      return { watch, pass: passed, ended: observer.begin({ provider, executionId, ...this.#subject }) };
    };
    const prepare = (passed: LanePass): Attempt | Promise<Attempt> => {
      const prepared = onRequest?.();
      if (!(prepared instanceof Promise)) return begin(passed);
      return prepared.then(
        () => begin(passed),
        (error) => {
          passed.leave();
          throw error;
        },
      );
    };
    return pass instanceof Promise ? pass.then(prepare) : prepare(pass);
  }

  succeeded(attempt: Attempt, usage?: Usage): void {
    attempt.pass.accepted();
    attempt.pass.ended(usage?.total_tokens);
    this.#options.permit?.keep(attempt.pass);
    this.#frame.status.called(true);
    report(attempt, { outcome: 'ok', usage, lane: 'accepted' });
  }

  /** Called when the provider refused the request, and another one follows immediately. */
  adapted(attempt: Attempt): void {
    attempt.pass.accepted();
    report(attempt, { outcome: 'invalid_request', lane: 'accepted' });
  }

  /** Ends an attempt, even if its caller has left. */
  leave(attempt: Attempt): void {
    attempt.watch.close();
    if (!this.#options.permit?.holds(attempt.pass)) attempt.pass.leave();
    report(attempt, { outcome: 'cancelled' });
  }

  /**
   * Handles an attempt's error. Returns the pause before the next attempt, or throws the final error.
   *
   * @param final Whether retries are ruled out, for example after some output.
   */
  failed(attempt: Attempt, thrown: unknown, final: boolean): number {
    const { watch, pass } = attempt;
    const { signal } = this.#options;
    if (signal.aborted) throw signal.reason;
    const failure = watch.timedOut ? this.#silence() : toFailure(thrown, this.#frame);
    this.#frame.status.called(!failure.providerFailed);
    report(attempt, { outcome: failure.error.code, ...laneOutcomes[failure.class] });
    learn(pass, failure);
    const isLast = final || failure.class === 'never';
    const pauseMs = Math.max(failure.retryAfterMs ?? 0, backoff(this.#retries));
    const waits = isLast ? null : this.#waitAfter(failure, pauseMs);
    this.#log(failure, thrown, isLast || waits !== null);
    if (isLast) throw failure.error;
    if (waits !== null) throw waits;
    this.#retries += 1;
    return pauseMs;
  }

  /** Pauses. An abort ends the pause, and the next `enter` throws the reason. */
  async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#options.signal }).catch(() => {});
  }

  /** Returns how the work must wait, or null if a retry in place may help. */
  #waitAfter({ class: kind, stopReason, error, retryAfterMs }: ProviderFailure, pauseMs: number): LaneWait | null {
    if (kind === 'stopped') return new LaneWait(this.#lane, stopReason ?? 'key', null, error);
    const mayRetry = this.#options.keepsResults || this.#retries < MAX_RETRIES;
    if (mayRetry && error.code !== 'timeout' && pauseMs <= this.#maxWaitMs()) return null;
    return new LaneWait(this.#lane, kind === 'away' ? 'away' : 'slow_down', retryAfterMs ?? 0, error);
  }

  /** Returns how long to wait in place, for a place in the lane or after a failure. */
  #maxWaitMs(): number {
    const { maxWaitS = MAX_WAIT_S, endsAt = Number.POSITIVE_INFINITY, keepsResults } = this.#options;
    const now = performance.now();
    if (keepsResults) this.#keepsUntil ??= now + KEEPING_WAIT_MS;
    const waitMs = this.#keepsUntil === null ? maxWaitS * 1000 : this.#keepsUntil - now;
    return Math.max(0, Math.min(waitMs, endsAt - now));
  }

  #silence(): ProviderFailure {
    const seconds = Math.round(this.#frame.idleTimeoutMs / 100) / 10;
    const error = new ChorusError('timeout', `${this.#frame.provider} sent nothing for ${seconds} s`);
    return { error, class: 'away', stopReason: null, retryAfterMs: null, retryAfterS: null, providerFailed: true };
  }

  /** Logs no error objects, since those of provider packages contain the request and the answer. */
  #log({ error, class: kind, providerFailed }: ProviderFailure, thrown: unknown, last: boolean): void {
    // Each lane reports refusals as a whole.
    if (!providerFailed || kind === 'slow_down') return;
    const fields = {
      execution_id: this.#options.executionId,
      code: error.code,
      reason: error.message,
      thrown: thrown instanceof Error ? thrown.name : typeof thrown,
    };
    this.#frame.log.warn(fields, last ? 'call failed' : 'call failed, retrying');
  }
}

/** Tells a lane what a failure means for its other calls. */
function learn(pass: LanePass, { class: kind, stopReason, retryAfterMs }: ProviderFailure): void {
  if (kind === 'slow_down') pass.refused(retryAfterMs);
  else if (kind === 'away') pass.failed();
  else if (kind === 'stopped') pass.stopped(stopReason ?? 'key');
  else pass.accepted();
}

/** A refused key counts as no outcome: it says nothing about what the lane allows. */
const laneOutcomes: Record<ProviderFailure['class'], { lane?: LaneOutcome }> = {
  slow_down: { lane: 'refused' },
  away: { lane: 'failed' },
  stopped: {},
  never: { lane: 'accepted' },
};

function report(attempt: Attempt, end: ObservedEnd): void {
  attempt.ended?.(end);
  attempt.ended = null;
}

/** 250, 750 ms, and so on, each shortened by up to half, so that calls that failed together spread out. */
function backoff(retries: number): number {
  return Math.min(FIRST_DELAY_MS * 3 ** retries, MAX_PAUSE_MS) * (1 - Math.random() / 2);
}

/**
 * Runs a call that returns its result in one piece: an image, a transcript, or embeddings.
 *
 * @param mayRepeat Returns whether a retry after this error cannot do the work twice.
 */
export async function callModel<T>(
  frame: CallFrame,
  options: CallOptions,
  subject: CallSubject,
  call: (abortSignal: AbortSignal) => PromiseLike<T>,
  mayRepeat: (thrown: unknown) => boolean = () => true,
): Promise<T> {
  const attempts = new CallAttempts(frame, options, subject);
  for (;;) {
    const attempt = await attempts.enter();
    let pauseMs: number;
    try {
      const result = await call(attempt.watch.signal);
      attempts.succeeded(attempt);
      return result;
    } catch (thrown) {
      pauseMs = attempts.failed(attempt, thrown, !mayRepeat(thrown));
    } finally {
      attempts.leave(attempt);
    }
    await attempts.pause(pauseMs);
  }
}
