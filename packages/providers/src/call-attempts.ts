import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, type ErrorCode, type Usage } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import type { CallObserver, ObservedCall, ObservedEnd } from './call-observer.ts';
import type { CallStatus } from './call-status.ts';
import { CallWatch } from './call-watch.ts';
import type { Pass, ProviderGate } from './gate/provider-gate.ts';
import { type FailureContext, type ProviderFailure, toFailure } from './provider-failure.ts';
import type { CallOptions } from './provider-port.ts';

const MAX_RETRIES = 2;
const FIRST_DELAY_MS = 250;
/** Longer pauses that a provider requests end the call instead. */
const MAX_RETRY_AFTER_S = 10;
/** The longest wait for a free slot at a provider. */
const MAX_SLOT_WAIT_S = 30;

/** Errors that count as a failure of the provider. */
const FAILURE_CODES: ReadonlySet<ErrorCode> = new Set(['provider_error', 'provider_unavailable', 'timeout']);

/** Shared by all calls of one adapter. */
export interface CallFrame extends FailureContext {
  idleTimeoutMs: number;
  status: CallStatus;
  log: Logger;
  gate: ProviderGate;
  observer: CallObserver;
  /** Whether the calls cost the prices of the provider's batch endpoint. */
  inBatch?: boolean;
}

/** Describes a call, for metrics and traces. */
export type CallSubject = Pick<ObservedCall, 'operation' | 'model'>;

/** A running attempt: its signal, and what it holds until it ends. */
interface Attempt {
  watch: CallWatch;
  pass: Pass;
  /** Reports the end. Null: already reported. */
  ended: ((end: ObservedEnd) => void) | null;
}

/**
 * Runs the attempts of one call. Each passes the provider's gate and has its own watch. Failures
 * before any output are retried at most twice, after a growing pause or the one that the provider requests.
 */
export class CallAttempts {
  readonly #frame: CallFrame;
  readonly #options: CallOptions;
  readonly #subject: CallSubject;
  #retries = 0;

  constructor(frame: CallFrame, options: CallOptions, subject: CallSubject) {
    this.#frame = frame;
    this.#options = options;
    this.#subject = subject;
  }

  /** Starts an attempt. Returns a promise only if it must wait. */
  enter(): Attempt | Promise<Attempt> {
    const { signal, executionId, user = executionId, maxWaitS = MAX_SLOT_WAIT_S, onRequest } = this.#options;
    const { provider, observer } = this.#frame;
    signal.throwIfAborted();
    const maxWaitMs = Math.max(0, Math.min(maxWaitS * 1000, this.#leftMs()));
    const pass = this.#frame.gate.enter(signal, maxWaitMs, user);
    const begin = (passed: Pass): Attempt => {
      onRequest?.();
      return {
        watch: new CallWatch(signal, this.#frame.idleTimeoutMs),
        pass: passed,
        ended: observer.begin({ provider, executionId, ...this.#subject }),
      };
    };
    return pass instanceof Promise ? pass.then(begin) : begin(pass);
  }

  succeeded(attempt: Attempt, usage?: Usage): void {
    attempt.pass.succeeded();
    this.#frame.status.called(true);
    report(attempt, { outcome: 'ok', usage });
  }

  /** Called when the provider refused the request, and another one follows immediately. */
  adapted(attempt: Attempt): void {
    report(attempt, { outcome: 'invalid_request' });
  }

  /** Ends an attempt, even if its caller has left. */
  leave(attempt: Attempt): void {
    attempt.watch.close();
    attempt.pass.leave();
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
    report(attempt, { outcome: failure.error.code });
    const pauseMs = Math.max((failure.retryAfterS ?? 0) * 1000, backoff(this.#retries));
    const last = final || !mayHelp(failure) || this.#retries === MAX_RETRIES || pauseMs > this.#maxPauseMs();
    this.#log(failure, thrown, last);
    if (!last) {
      this.#retries += 1;
      return pauseMs;
    }
    if (FAILURE_CODES.has(failure.error.code)) pass.failed();
    else pass.succeeded(); // the provider responds, even if it refuses
    throw failure.error;
  }

  /** Pauses. An abort ends the pause, and the next `enter` throws the reason. */
  async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#options.signal }).catch(() => {});
  }

  #maxPauseMs(): number {
    return Math.min((this.#options.maxWaitS ?? MAX_RETRY_AFTER_S) * 1000, this.#leftMs());
  }

  #leftMs(): number {
    return (this.#options.endsAt ?? Number.POSITIVE_INFINITY) - performance.now();
  }

  #silence(): ProviderFailure {
    const seconds = Math.round(this.#frame.idleTimeoutMs / 100) / 10;
    const error = new ChorusError('timeout', `${this.#frame.provider} sent nothing for ${seconds} s`);
    return { error, class: 'away', stopReason: null, retryAfterMs: null, retryAfterS: null, providerFailed: true };
  }

  /** Logs no error objects, since those of provider packages contain the request and the answer. */
  #log({ error, providerFailed }: ProviderFailure, thrown: unknown, last: boolean): void {
    if (!providerFailed) return;
    const fields = {
      execution_id: this.#options.executionId,
      code: error.code,
      reason: error.message,
      thrown: thrown instanceof Error ? thrown.name : typeof thrown,
    };
    this.#frame.log.warn(fields, last ? 'call failed' : 'call failed, retrying');
  }
}

function report(attempt: Attempt, end: ObservedEnd): void {
  attempt.ended?.(end);
  attempt.ended = null;
}

/** Returns whether a retry may help. Silence has taken long enough. */
function mayHelp({ class: failureClass, error }: ProviderFailure): boolean {
  return (failureClass === 'slow_down' || failureClass === 'away') && error.code !== 'timeout';
}

/** 250 and 750 ms, each shortened by up to half, so that calls that failed together spread out. */
function backoff(retries: number): number {
  return FIRST_DELAY_MS * 3 ** retries * (1 - Math.random() / 2);
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
