import { Turns } from '@chorus/runtime/turns';
import type { LanePass } from './call.ts';
import type { LaneWait } from './lane-wait.ts';

export interface EnterOptions {
  signal: AbortSignal;
  maxWaitMs: number;
  /** Users take turns. */
  user: string;
  /** Whether it has no waiting caller, as in a batch. Others go first. */
  isBatch?: boolean;
}

interface Waiter {
  user: string;
  isBatch: boolean;
  until: number;
  /** Whether a step has asked Redis for it. Calls that may not wait still ask once. */
  isAsked: boolean;
  settle(outcome: { pass: LanePass } | { error: unknown }): void;
}

/** Returns why a call cannot start before a deadline. Null: it can. */
type Refusal = (until: number) => LaneWait | null;

/** Calls of this process that wait for a lane. */
export class WaitingCalls {
  readonly #singles = new Turns<Waiter>();
  readonly #batches = new Turns<Waiter>();
  readonly #refusal: Refusal;
  readonly #timeout: () => LaneWait;

  /** @param timeout Returns the error of a call that has waited as long as it may. */
  constructor(refusal: Refusal, timeout: () => LaneWait) {
    this.#refusal = refusal;
    this.#timeout = timeout;
  }

  get size(): number {
    return this.#singles.size + this.#batches.size;
  }

  get ofBatches(): number {
    return this.#batches.size;
  }

  add({ signal, maxWaitMs, user, isBatch = false }: EnterOptions): Promise<LanePass> {
    const { promise, resolve, reject } = Promise.withResolvers<LanePass>();
    const turns = isBatch ? this.#batches : this.#singles;
    const waiter: Waiter = {
      user,
      isBatch,
      until: performance.now() + maxWaitMs,
      isAsked: false,
      settle: (outcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        turns.remove(waiter);
        if ('pass' in outcome) resolve(outcome.pass);
        else reject(outcome.error);
      },
    };
    const abort = () => waiter.settle({ error: signal.reason });
    const timer = setTimeout(() => this.#endWait(waiter), Math.min(maxWaitMs, MAX_TIMER_MS));
    signal.addEventListener('abort', abort, { once: true });
    turns.add(waiter);
    return promise;
  }

  /**
   * Lets the next calls start, and returns how many there were. The last `ofBatches` of the permits are for batches,
   * and those that one class does not need are for the other.
   */
  start(count: number, ofBatches: number, pass: (index: number, isBatch: boolean) => LanePass): number {
    let served = 0;
    const serve = (turns: Turns<Waiter>, most: number): void => {
      for (const waiter of turns.next(most)) {
        turns.serve(waiter);
        waiter.settle({ pass: pass(served, waiter.isBatch) });
        served += 1;
      }
    };
    serve(this.#singles, count - ofBatches);
    serve(this.#batches, count - served);
    serve(this.#singles, count - served);
    return served;
  }

  /** Rejects the calls that cannot start in time. Called after each step. */
  endLongWaits(): void {
    for (const waiter of this.#all()) {
      waiter.isAsked = true;
      const refusal = this.#refusal(waiter.until);
      if (refusal) waiter.settle({ error: refusal });
      else if (performance.now() >= waiter.until) waiter.settle({ error: this.#timeout() });
    }
  }

  fail(error: unknown): void {
    for (const waiter of this.#all()) waiter.settle({ error });
  }

  #all(): Waiter[] {
    return [this.#singles, this.#batches].flatMap((turns) => turns.next(turns.size));
  }

  #endWait(waiter: Waiter): void {
    if (waiter.isAsked) waiter.settle({ error: this.#refusal(waiter.until) ?? this.#timeout() });
  }
}

const MAX_TIMER_MS = 2_147_483_647;
