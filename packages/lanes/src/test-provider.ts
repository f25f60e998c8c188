import type { LanePass } from './call.ts';
import type { ProviderLimits } from './provider-limits.ts';

export interface FakeLimits {
  /** Calls at once. */
  atOnce?: number;
  /** A token bucket of calls. */
  rate?: Bucket;
  /** A token bucket of tokens. */
  tokens?: Bucket;
  latencyMs: number;
  /** Calls that run at once. The others wait in the server before their first byte. */
  runsAtOnce?: number;
  /** Returns the times of a call, instead of `latencyMs` and `headersMs`. */
  times?: (inFlight: number) => { headersMs: number; latencyMs: number };
  /** Time until the headers of an answer, or a refusal. */
  headersMs?: number;
  retryAfterMs?: number | null;
  tellsLimits?: boolean;
  isAway?: boolean;
}

interface Bucket {
  limit: number;
  perMs: number;
  /** Refills all at once, at the end of `perMs`. */
  isWindow?: boolean;
}

class Left {
  readonly #of: Bucket;
  #have: number;
  #at = performance.now();

  constructor(of: Bucket, have = of.limit) {
    this.#of = of;
    this.#have = have;
  }

  #refill(): void {
    const { limit, perMs, isWindow } = this.#of;
    const passed = performance.now() - this.#at;
    if (isWindow && passed < perMs) return;
    this.#have = isWindow ? limit : Math.min(limit, this.#have + (passed * limit) / perMs);
    this.#at += isWindow ? Math.floor(passed / perMs) * perMs : passed;
  }

  has(cost: number): boolean {
    this.#refill();
    return this.#have >= cost;
  }

  take(cost: number): void {
    this.#have -= cost;
  }

  describe() {
    this.#refill();
    const { limit, perMs, isWindow } = this.#of;
    const resetMs = isWindow ? this.#at + perMs - performance.now() : ((limit - this.#have) * perMs) / limit;
    return { limit, remaining: Math.max(0, Math.floor(this.#have)), resetMs, perMs };
  }
}

const TOKENS = 100;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A provider with limits that counts its calls. */
export class FakeLimitedProvider {
  limits: FakeLimits;
  readonly #rate: Left | null;
  readonly #tokens: Left | null;
  readonly #queue: (() => void)[] = [];
  #inside = 0;
  running = 0;
  most = 0;
  answered = 0;
  refused = 0;

  constructor(limits: FakeLimits, have?: number) {
    this.limits = limits;
    this.#rate = limits.rate ? new Left(limits.rate, have) : null;
    this.#tokens = limits.tokens ? new Left(limits.tokens, have) : null;
  }

  /** Forgets what it has counted. */
  count(): void {
    this.answered = 0;
    this.refused = 0;
    this.most = 0;
  }

  /** Answers one call, and reports to its pass what a caller reports. Returns whether it was answered. */
  async answer(pass: LanePass): Promise<boolean> {
    try {
      return await this.#answer(pass);
    } finally {
      pass.leave();
    }
  }

  async #answer(pass: LanePass): Promise<boolean> {
    const { atOnce = Number.POSITIVE_INFINITY, isAway } = this.limits;
    if (isAway) {
      await pause(2);
      pass.failed();
      return false;
    }
    const mayRun = this.running < atOnce && this.#rate?.has(1) !== false && this.#tokens?.has(TOKENS) !== false;
    if (mayRun) {
      this.running += 1;
      this.most = Math.max(this.most, this.running);
      this.#rate?.take(1);
      this.#tokens?.take(TOKENS);
    } else this.refused += 1;
    const said = this.#headers(mayRun);
    if (!mayRun) {
      await pause(2);
      if (said) pass.learned(said);
      pass.refused(this.limits.retryAfterMs ?? null);
      return false;
    }
    await this.#turn();
    const { latencyMs, headersMs = latencyMs / 2 } = this.limits.times?.(this.running) ?? this.limits;
    await pause(headersMs);
    if (said) pass.learned(said);
    pass.accepted();
    pass.began();
    if (latencyMs > headersMs) await pause(latencyMs - headersMs);
    this.running -= 1;
    this.#inside -= 1;
    this.#next();
    this.answered += 1;
    pass.ended(TOKENS);
    return true;
  }

  async #turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push(resolve);
    this.#next();
    await promise;
  }

  #next(): void {
    const { runsAtOnce = Number.POSITIVE_INFINITY } = this.limits;
    while (this.#inside < runsAtOnce && this.#queue.length > 0) {
      this.#inside += 1;
      this.#queue.shift()?.();
    }
  }

  #headers(mayRun: boolean): ProviderLimits | null {
    if (!this.limits.tellsLimits) return null;
    return {
      ...(this.#rate ? { requests: this.#rate.describe() } : {}),
      ...(this.#tokens ? { tokens: this.#tokens.describe() } : {}),
      ...(mayRun ? {} : { retryAfterMs: this.limits.retryAfterMs ?? null }),
    };
  }
}
