import { randomUUID } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import { fromRedis } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import type { Pass } from './provider-gate.ts';
import type { BreakerState, GateSteps } from './steps.ts';

/** Consecutive failures that open the breaker. */
const THRESHOLD = 8;
/** How long the breaker stays open; then one call probes. */
const OPEN_MS = 5_000;
/** Failures are forgotten after this time without another. */
const KEEP_MS = 60_000;
/** How long one probe excludes others, in case its process dies. */
const PROBE_MS = 15_000;
/** How long Redis may take to say who probes. */
const PROBE_ANSWER_MS = 2_000;
/**
 * Older news than the known state arrived late, unless it is older by more than this: then Redis's
 * clock was set back, and it counts.
 */
const LATE_US = 10_000_000;

/**
 * Stops calls to a provider that keeps failing. Failures of all processes count, and each keeps the
 * last known state, so that a call asks Redis only when there is trouble.
 */
export class Breaker {
  readonly #provider: string;
  readonly #steps: GateSteps;
  readonly #log: Logger;
  readonly #onChange: (open: boolean) => void;
  #failures = 0;
  #openUntil = 0;
  #at = 0;

  /** @param onChange called with whether it is open now, first with its initial state */
  constructor(provider: string, steps: GateSteps, log: Logger, onChange: (open: boolean) => void = () => {}) {
    this.#provider = provider;
    this.#steps = steps;
    this.#log = log;
    this.#onChange = onChange;
    onChange(false);
  }

  /** Applies news from another process or a step; late news is ignored. */
  learn({ failures, openMs, at }: BreakerState): void {
    const lateUs = this.#at - at;
    if (lateUs > 0 && lateUs < LATE_US) return;
    this.#at = at;
    this.#know(failures, openMs);
  }

  #know(failures: number, openMs: number): void {
    const broken = failures >= THRESHOLD;
    if (broken !== this.#failures >= THRESHOLD) {
      this.#log.warn({ failures }, broken ? 'breaker opened for provider' : 'breaker closed for provider');
      this.#onChange(broken);
    }
    this.#failures = failures;
    this.#openUntil = performance.now() + openMs;
  }

  async refresh(): Promise<void> {
    this.learn(await this.#steps.read());
  }

  /** @throws ChorusError `provider_error` while the breaker is open */
  check(): void {
    const leftMs = this.#openUntil - performance.now();
    if (this.#failures >= THRESHOLD && leftMs > 0) throw this.#refusal(leftMs);
  }

  /**
   * Admits a call; returns a promise only if it may probe.
   *
   * @throws ChorusError `provider_error` while the breaker is open
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

  /** @param probe the id of a probing call, else null */
  #pass(probe: string | null): Pass {
    let reported = false;
    const report = (step: () => Promise<unknown>) => {
      reported = true;
      step().catch((err) => this.#log.warn({ err }, 'could not share the outcome of a call'));
    };
    const succeeded = () => {
      if (this.#failures === 0 || reported) return;
      this.#know(0, 0);
      report(() => this.#steps.succeed());
    };
    return {
      answered: () => {
        if (probe !== null) succeeded();
      },
      succeeded,
      failed: () => {
        reported = false; // a broken-off answer is a failure
        const options = { threshold: THRESHOLD, openMs: OPEN_MS, keepMs: KEEP_MS };
        report(() => this.#steps.fail(options).then((state) => this.learn(state)));
      },
      leave: () => {
        if (probe !== null && !reported) report(() => this.#steps.unprobe(probe));
      },
    };
  }

  #refusal(leftMs: number): ChorusError {
    const retryAfterS = Math.max(1, Math.ceil(leftMs / 1000));
    const message = `The last calls to ${this.#provider} all failed. It is not called for ${retryAfterS} s.`;
    return new ChorusError('provider_error', message, { retryAfterS });
  }
}
