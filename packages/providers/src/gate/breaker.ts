import { randomUUID } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import { fromRedis } from '@chorus/events';
import type { Logger } from '@chorus/log';
import type { Pass } from './provider-gate.ts';
import type { BreakerState, GateSteps } from './steps.ts';

/** After so many calls in a row that failed, a provider is left alone. */
const THRESHOLD = 8;
/** So long, in milliseconds; then one call tries it again. */
const OPEN_MS = 5_000;
/** Failures are forgotten when no other follows for so long, in milliseconds. */
const KEEP_MS = 60_000;
/** How long one call may try before another one may, in milliseconds: its process may have died. */
const PROBE_MS = 15_000;
/** How long Redis may take to say who tries again, in milliseconds. */
const PROBE_ANSWER_MS = 2_000;
/** What is older than what is known, in microseconds, came late; where it is older by more than this Redis's clock was put back, and it counts. */
const LATE_US = 10_000_000;

/**
 * Keeps calls from a provider that fails all of them. What all processes of all workers have seen counts; each keeps what it was told last, so a
 * call asks nobody while all is well.
 */
export class Breaker {
  readonly #provider: string;
  readonly #steps: GateSteps;
  readonly #log: Logger;
  #failures = 0;
  #openUntil = 0;
  #at = 0;

  constructor(provider: string, steps: GateSteps, log: Logger) {
    this.#provider = provider;
    this.#steps = steps;
    this.#log = log;
  }

  /** What another process, or a step, has told; what came late is known better already. */
  learn({ failures, openMs, at }: BreakerState): void {
    const lateUs = this.#at - at;
    if (lateUs > 0 && lateUs < LATE_US) return;
    this.#at = at;
    this.#know(failures, openMs);
  }

  #know(failures: number, openMs: number): void {
    const broken = failures >= THRESHOLD;
    if (broken !== this.#failures >= THRESHOLD)
      this.#log.warn({ failures }, broken ? 'provider is left alone for a while' : 'provider is asked again');
    this.#failures = failures;
    this.#openUntil = performance.now() + openMs;
  }

  async refresh(): Promise<void> {
    this.learn(await this.#steps.read());
  }

  /** @throws ChorusError `provider_error` while the provider is left alone */
  check(): void {
    const leftMs = this.#openUntil - performance.now();
    if (this.#failures >= THRESHOLD && leftMs > 0) throw this.#refusal(leftMs);
  }

  /**
   * The right to make a call now; a promise only where a broken provider may be tried again.
   * @throws ChorusError `provider_error` while it is left alone
   */
  enter(): Pass | Promise<Pass> {
    if (this.#failures < THRESHOLD) return this.#pass(null);
    this.check();
    const id = randomUUID();
    return fromRedis(this.#steps.probe(id, PROBE_MS), PROBE_ANSWER_MS).then((mine) => {
      if (mine) return this.#pass(id);
      throw this.#refusal(OPEN_MS);
    });
  }

  /** @param probe the id of the one call that tries again; null for any other */
  #pass(probe: string | null): Pass {
    let told = false;
    const tell = (step: () => Promise<unknown>) => {
      told = true;
      step().catch((err) => this.#log.warn({ err }, 'outcome of a call not shared'));
    };
    const succeeded = () => {
      if (this.#failures === 0 || told) return;
      this.#know(0, 0);
      tell(() => this.#steps.succeed());
    };
    return {
      answered: () => {
        if (probe !== null) succeeded();
      },
      succeeded,
      failed: () => {
        told = false; // an answer that breaks off is a failure though it began
        const options = { threshold: THRESHOLD, openMs: OPEN_MS, keepMs: KEEP_MS };
        tell(() => this.#steps.fail(options).then((state) => this.learn(state)));
      },
      leave: () => {
        if (probe !== null && !told) tell(() => this.#steps.unprobe(probe));
      },
    };
  }

  #refusal(leftMs: number): ChorusError {
    const retryAfterS = Math.max(1, Math.ceil(leftMs / 1000));
    const message = `The last calls of ${this.#provider} have all failed: it is left alone for ${retryAfterS} s`;
    return new ChorusError('provider_error', message, { retryAfterS });
  }
}
