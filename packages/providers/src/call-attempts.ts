import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, type ErrorCode } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { CallStatus } from './call-status.ts';
import { CallWatch } from './call-watch.ts';
import type { Pass, ProviderGate } from './gate/provider-gate.ts';
import { type FailureContext, type ProviderFailure, toFailure } from './provider-failure.ts';
import type { CallOptions } from './provider-port.ts';

const MAX_RETRIES = 2;
const FIRST_DELAY_MS = 250;
/** A provider that asks for a longer pause than this is not waited for. */
const MAX_RETRY_AFTER_S = 10;
/** How long a free place at a provider is waited for. */
const MAX_PLACE_WAIT_S = 30;

/** How a call ends at a provider that is broken. */
const BROKEN: ReadonlySet<ErrorCode> = new Set(['provider_error', 'timeout']);

/** What is the same for all calls of one adapter. */
export interface CallFrame extends FailureContext {
  idleTimeoutMs: number;
  status: CallStatus;
  log: Logger;
  gate: ProviderGate;
}

/** One try that runs: its abort signal, and what it holds until it is left. */
interface Attempt {
  watch: CallWatch;
  pass: Pass;
}

/**
 * The tries of one call: each passes the provider's gate and has a watch of its own; what fails before anything was shown is tried again, at
 * most twice, after a growing pause or the one that the provider asked for.
 */
export class CallAttempts {
  readonly #frame: CallFrame;
  readonly #options: CallOptions;
  #retries = 0;

  constructor(frame: CallFrame, options: CallOptions) {
    this.#frame = frame;
    this.#options = options;
  }

  /** Before each try; a promise only where something has to be waited for. */
  enter(): Attempt | Promise<Attempt> {
    const { signal, executionId, user = executionId, maxWaitS = MAX_PLACE_WAIT_S } = this.#options;
    signal.throwIfAborted();
    const maxWaitMs = Math.max(0, Math.min(maxWaitS * 1000, this.#leftMs()));
    const pass = this.#frame.gate.enter(signal, maxWaitMs, user);
    const begin = (passed: Pass): Attempt => ({
      watch: new CallWatch(signal, this.#frame.idleTimeoutMs),
      pass: passed,
    });
    return pass instanceof Promise ? pass.then(begin) : begin(pass);
  }

  succeeded({ pass }: Attempt): void {
    pass.succeeded();
    this.#frame.status.called(true);
  }

  /**
   * Judges what a try threw. Returns the pause before the next one, in milliseconds; throws what the caller is told when there is none.
   * @param final whether nothing may be tried again, such as when something of the answer was given on
   */
  failed({ watch, pass }: Attempt, thrown: unknown, final: boolean): number {
    const { signal } = this.#options;
    if (signal.aborted) throw signal.reason;
    const failure = watch.timedOut ? this.#silence() : toFailure(thrown, this.#frame);
    this.#frame.status.called(!failure.providerFailed);
    const pauseMs = Math.max((failure.retryAfterS ?? 0) * 1000, backoff(this.#retries));
    const last = final || !failure.retryable || this.#retries === MAX_RETRIES || pauseMs > this.#maxPauseMs();
    this.#log(failure, thrown, last);
    if (!last) {
      this.#retries += 1;
      return pauseMs;
    }
    if (BROKEN.has(failure.error.code)) pass.failed();
    else pass.succeeded(); // it answers, if only to say no
    throw failure.error;
  }

  /** An aborted pause just ends: the next `enter` throws the caller's reason. */
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
    return { error, retryable: false, retryAfterS: null, providerFailed: true };
  }

  /** Without the error itself: those of the provider packages carry the request and the answer. */
  #log({ error, providerFailed }: ProviderFailure, thrown: unknown, last: boolean): void {
    if (!providerFailed) return;
    const fields = {
      execution_id: this.#options.executionId,
      code: error.code,
      reason: error.message,
      thrown: thrown instanceof Error ? thrown.name : typeof thrown,
    };
    this.#frame.log.warn(fields, last ? 'call failed' : 'call failed and is tried again');
  }
}

/** 250 and 750 ms, each shortened at random by up to a half so that calls that failed together don't return together. */
function backoff(retries: number): number {
  return FIRST_DELAY_MS * 3 ** retries * (1 - Math.random() / 2);
}
