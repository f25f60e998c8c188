import { Turns } from '@chorus/runtime/turns';
import type { LanePass } from './call.ts';
import type { LaneWait } from './lane-wait.ts';

export interface EnterOptions {
  signal: AbortSignal;
  maxWaitMs: number;
  /** Users take turns. */
  user: string;
}

interface Waiter {
  user: string;
  until: number;
  /** Whether a step has considered it. A call that may not wait still asks once. */
  isAsked: boolean;
  settle(outcome: { pass: LanePass } | { error: unknown }): void;
}

/** Why a call cannot start by a time, or null. */
type Refusal = (until: number) => LaneWait | null;

/** Calls of this process that wait for a lane. */
export class WaitingCalls {
  readonly #turns = new Turns<Waiter>();
  readonly #refusal: Refusal;
  readonly #timeout: () => LaneWait;

  /** @param timeout Returns the error of a call that has waited as long as it may. */
  constructor(refusal: Refusal, timeout: () => LaneWait) {
    this.#refusal = refusal;
    this.#timeout = timeout;
  }

  get size(): number {
    return this.#turns.size;
  }

  add({ signal, maxWaitMs, user }: EnterOptions): Promise<LanePass> {
    const { promise, resolve, reject } = Promise.withResolvers<LanePass>();
    const waiter: Waiter = {
      user,
      until: performance.now() + maxWaitMs,
      isAsked: false,
      settle: (outcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#turns.remove(waiter);
        if ('pass' in outcome) resolve(outcome.pass);
        else reject(outcome.error);
      },
    };
    const abort = () => waiter.settle({ error: signal.reason });
    const timer = setTimeout(() => this.#endWait(waiter), Math.min(maxWaitMs, MAX_TIMER_MS));
    signal.addEventListener('abort', abort, { once: true });
    this.#turns.add(waiter);
    return promise;
  }

  /** Lets the next calls start, and returns how many there were. */
  start(count: number, pass: (index: number) => LanePass): number {
    const served = this.#turns.next(count);
    for (const [index, waiter] of served.entries()) {
      this.#turns.serve(waiter);
      waiter.settle({ pass: pass(index) });
    }
    return served.length;
  }

  /** Ends the waits that a step has shown to be too long. */
  endLongWaits(): void {
    for (const waiter of this.#turns.next(this.#turns.size)) {
      waiter.isAsked = true;
      const refusal = this.#refusal(waiter.until);
      if (refusal) waiter.settle({ error: refusal });
      else if (performance.now() >= waiter.until) waiter.settle({ error: this.#timeout() });
    }
  }

  fail(error: unknown): void {
    for (const waiter of this.#turns.next(this.#turns.size)) waiter.settle({ error });
  }

  #endWait(waiter: Waiter): void {
    if (waiter.isAsked) waiter.settle({ error: this.#refusal(waiter.until) ?? this.#timeout() });
  }
}

const MAX_TIMER_MS = 2_147_483_647;
