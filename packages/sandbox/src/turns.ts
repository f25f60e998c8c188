import { ChorusError } from '@chorus/contract';
import { TurnQueue } from './turn-queue.ts';

const RETRY_AFTER_S = 10;
const MAX_WAKE_UP_MS = 60_000;

const overloaded = (message: string) => new ChorusError('overloaded', message, { retryAfterS: RETRY_AFTER_S });

export interface TurnLimits {
  /** What is done, in error messages: `images to decode`. */
  name: string;
  /** Works at once. */
  atOnce: number;
  /** Works of one owner at once, so that others find a place. */
  ofOwner: number;
  /** Cost of one owner's waiting and running works. */
  waitingCost: number;
  /** One owner's waiting works. */
  waiting: number;
  /** How long a work waits for its turn. */
  waitMs: number;
  /** Running time that an owner may use at once, and the share of time at which it comes back. */
  timeMs: number;
  timeShare: number;
}

export interface Work {
  /** Whose work it is: a scope. */
  owner: string;
  /** Such as pixels; counted while it waits and runs. */
  cost?: number;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

interface Account {
  owner: string;
  waiting: number;
  running: number;
  cost: number;
  /** Running time left, as of `at`. */
  leftMs: number;
  at: number;
}

/**
 * Lets a few works run at once; owners take turns. An owner whose time is used up waits until some has come back; one with too much waiting is
 * refused.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #queue = new TurnQueue<() => void>();
  readonly #accounts = new Map<unknown, Account>();
  #running = 0;
  #wakeUp: NodeJS.Timeout | undefined;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** @throws {ChorusError} overloaded where the owner has too much waiting; the signal's reason; what `work` throws */
  async run<T>({ owner, cost = 1, signal }: Work, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const account = this.#enter(owner, cost);
    try {
      await this.#turn(account, signal);
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        this.#refill(account);
        account.leftMs -= performance.now() - startedAt;
        account.running -= 1;
        this.#running -= 1;
      }
    } finally {
      account.cost -= cost;
      this.#serve();
    }
  }

  #enter(owner: string, cost: number): Account {
    const { name, waiting, waitingCost, timeMs } = this.#limits;
    for (const account of this.#accounts.values()) if (this.#isIdle(account)) this.#accounts.delete(account.owner);
    let account = this.#accounts.get(owner);
    account ??= { owner, waiting: 0, running: 0, cost: 0, leftMs: timeMs, at: performance.now() };
    if (account.waiting >= waiting || (account.cost > 0 && account.cost + cost > waitingCost))
      throw overloaded(`This scope has too many ${name} waiting. Try again when some are done.`);
    this.#accounts.set(owner, account);
    account.cost += cost;
    return account;
  }

  /** Resolves when it is this work's turn, which then counts as running. */
  #turn(account: Account, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        account.waiting -= 1;
        account.running += 1;
        this.#running += 1;
        resolve();
      };
      const giveUp = (reason: unknown) => {
        if (!this.#queue.remove(account.owner, begin)) return;
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        account.waiting -= 1;
        reject(reason);
      };
      const leave = () => giveUp(signal?.reason);
      const { name, waitMs } = this.#limits;
      const late = `There was no turn for this scope’s ${name} within ${waitMs / 1_000} s. Try again later.`;
      const timer = setTimeout(() => giveUp(overloaded(late)), waitMs);
      signal?.addEventListener('abort', leave, { once: true });
      account.waiting += 1;
      this.#queue.add(account.owner, begin);
      this.#serve();
    });
  }

  #serve(): void {
    clearTimeout(this.#wakeUp);
    while (this.#running < this.#limits.atOnce) {
      const begin = this.#queue.next((owner) => this.#mayRun(this.#accounts.get(owner)));
      if (begin === null) break;
      begin();
    }
    if (this.#queue.size > 0 && this.#running < this.#limits.atOnce) this.#wakeUp = this.#serveLater();
  }

  #mayRun(account: Account | undefined): boolean {
    if (account === undefined) return false;
    this.#refill(account);
    return account.running < this.#limits.ofOwner && account.leftMs > 0;
  }

  /** Only owners without time, or with all that they may have running, wait now. */
  #serveLater(): NodeJS.Timeout {
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const { waiting, leftMs } of this.#accounts.values())
      if (waiting > 0 && leftMs <= 0) soonestMs = Math.min(soonestMs, -leftMs / this.#limits.timeShare);
    return setTimeout(() => this.#serve(), Math.min(soonestMs + 1, MAX_WAKE_UP_MS));
  }

  #refill(account: Account): void {
    const now = performance.now();
    const { timeMs, timeShare } = this.#limits;
    account.leftMs = Math.min(timeMs, account.leftMs + (now - account.at) * timeShare);
    account.at = now;
  }

  #isIdle(account: Account): boolean {
    this.#refill(account);
    return account.waiting === 0 && account.running === 0 && account.leftMs >= this.#limits.timeMs;
  }
}
