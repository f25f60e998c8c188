import { randomUUID } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import { Turns } from '@chorus/runtime/turns';
import type { GateSteps } from './steps.ts';

/** The lease of a slot, in case its process dies. */
const LEASE_MS = 4_000;
const RENEW_EVERY_MS = 1_000;
/** Slots of a dead process expire silently, so waiting calls check this often. */
const CHECK_EVERY_MS = 1_000;
/** Slots requested in one step. */
const MAX_BATCH = 256;

interface Waiter {
  id: string;
  user: string;
  gone: boolean;
  settle(error: unknown): void;
}

/** Limits a provider's concurrent calls across all processes. */
export class CallSlots {
  readonly #provider: string;
  readonly #limit: number;
  readonly #steps: GateSteps;
  readonly #log: Logger;
  readonly #held = new Set<string>();
  readonly #waiting = new Turns<Waiter>();
  #asking = false;
  #askAgain = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(provider: string, limit: number, steps: GateSteps, log: Logger) {
    this.#provider = provider;
    this.#limit = limit;
    this.#steps = steps;
    this.#log = log;
    this.#timers = [
      setInterval(() => this.#renew(), RENEW_EVERY_MS).unref(),
      setInterval(() => this.requestSlots(), CHECK_EVERY_MS).unref(),
    ];
  }

  /**
   * Waits for a slot. Users take turns within a process.
   *
   * @returns A function that releases the slot.
   * @throws ChorusError `provider_rate_limited` after `maxWaitMs`; the signal's reason
   */
  take(signal: AbortSignal, maxWaitMs: number, user: string): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const waiter: Waiter = {
      id: randomUUID(),
      user,
      gone: false,
      settle: (error) => {
        waiter.gone = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#waiting.remove(waiter);
        if (error === null) resolve(() => this.#release(waiter.id));
        else reject(error);
      },
    };
    const abort = () => waiter.settle(signal.reason);
    const timer = setTimeout(() => waiter.settle(this.#refusal()), maxWaitMs);
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.add(waiter);
    this.requestSlots();
    return promise;
  }

  /** Requests slots for waiting calls. Called when some may be free. */
  requestSlots(): void {
    if (this.#waiting.size === 0) return;
    this.#askAgain = true;
    if (this.#asking) return;
    this.#asking = true;
    this.#ask()
      .catch((err) => this.#log.warn({ err }, 'could not request slots'))
      .finally(() => {
        this.#asking = false;
      });
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #ask(): Promise<void> {
    while (this.#askAgain && this.#waiting.size > 0) {
      this.#askAgain = false;
      const asked = this.#waiting.next(MAX_BATCH);
      const given = await this.#steps.acquire(
        this.#limit,
        LEASE_MS,
        asked.map(({ id }) => id),
      );
      for (const waiter of asked.slice(0, given)) {
        this.#held.add(waiter.id);
        if (waiter.gone) {
          this.#release(waiter.id);
          continue;
        }
        this.#waiting.serve(waiter);
        waiter.settle(null);
      }
      if (given === asked.length) this.#askAgain = true;
    }
  }

  #release(id: string): void {
    if (!this.#held.delete(id)) return;
    this.#steps
      .release(this.#limit, id)
      .catch((err) => this.#log.warn({ err }, 'could not release a slot, its lease will expire'));
  }

  #renew(): void {
    if (this.#held.size === 0) return;
    this.#steps.renew(LEASE_MS, [...this.#held]).catch((err) => this.#log.warn({ err }, 'could not renew slots'));
  }

  #refusal(): ChorusError {
    const message = `All ${this.#limit} concurrent calls to ${this.#provider} are in use`;
    return new ChorusError('provider_rate_limited', message, { retryAfterS: 5 });
  }
}
