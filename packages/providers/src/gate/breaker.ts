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
/** Time limit for asking Redis whether to probe. */
const PROBE_ANSWER_MS = 2_000;
/**
 * News that is older than the known state arrived late, and is ignored. If it is older by more than this, Redis's
 * clock was set back, and the news counts.
 */
const LATE_US = 10_000_000;

/**
 * Stops calls to a provider that keeps failing. Failures in all processes count. Each process keeps the last known
 * state, so that a call asks Redis only if the provider has problems.
 */
export class Breaker {
  readonly #provider: string;
  readonly #steps: GateSteps;
  readonly #log: Logger;
  readonly #onChange: (open: boolean) => void;
  #failures = 0;
  #openUntil = 0;
  #at = 0;

  /** @param onChange Called with whether it is open, initially and after each change. */
  constructor(provider: string, steps: GateSteps, log: Logger, onChange: (open: boolean) => void = () => {}) {
    this.#provider = provider;
    this.#steps = steps;
    this.#log = log;
    this.#onChange = onChange;
    onChange(false);
  }

  /** Applies news from another process or a step. Ignores late news. */
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

  /** @throws ChorusError `provider_unavailable` while the breaker is open */
  check(): void {
    const leftMs = this.#openUntil - performance.now();
    if (this.#failures >= THRESHOLD && leftMs > 0) throw this.#refusal(leftMs);
  }

  /**
   * Admits a call. Returns a promise only if it may probe.
   *
   * @throws ChorusError `provider_unavailable` while the breaker is open
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

  /** @param probe The id of a probing call, else null. */
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
        reported = false; // an interrupted answer is a failure
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
    return new ChorusError('provider_unavailable', message, { retryAfterS });
  }
}
