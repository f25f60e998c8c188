import { ChorusError } from '@chorus/contract/errors';

/** A queue in which owners take turns, one entry each. Each owner's entries are served in order. */
export class TurnQueue<Entry> {
  /** Queues in the order of their turns. None is empty. */
  readonly #queues = new Map<unknown, Entry[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: unknown, entry: Entry): void {
    const queue = this.#queues.get(owner);
    if (queue) queue.push(entry);
    else this.#queues.set(owner, [entry]);
    this.#size += 1;
  }

  remove(owner: unknown, entry: Entry): boolean {
    const queue = this.#queues.get(owner) ?? [];
    const at = queue.indexOf(entry);
    if (at === -1) return false;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(owner);
    this.#size -= 1;
    return true;
  }

  next(mayServe: (owner: unknown) => boolean = () => true): Entry | null {
    for (const [owner, queue] of this.#queues) {
      if (!mayServe(owner)) continue;
      const entry = queue.shift() as Entry;
      this.#queues.delete(owner);
      if (queue.length > 0) this.#queues.set(owner, queue);
      this.#size -= 1;
      return entry;
    }
    return null;
  }
}

const RETRY_AFTER_S = 10;
const MAX_WAKE_UP_MS = 60_000;

const overloaded = (message: string) => new ChorusError('overloaded', message, { retryAfterS: RETRY_AFTER_S });

export interface TurnLimits {
  /** Describes the work in error messages: `images to decode`. */
  name: string;
  /** Maximum number of concurrent tasks: in total, and per owner. */
  atOnce: number;
  ofOwner: number;
  /** Maximum cost of one owner's waiting and running tasks. */
  waitingCost: number;
  waiting: number;
  waitMs: number;
  /** Running time that an owner may use at once, and the rate at which it refills. */
  timeMs: number;
  timeShare: number;
}

export interface Work {
  owner: string;
  /** For example in pixels. Counts while the task waits and runs. */
  cost?: number;
  signal?: AbortSignal;
}

interface Account {
  owner: string;
  waiting: number;
  running: number;
  cost: number;
  leftMs: number;
  at: number;
}

/** Runs a few tasks at once, in turns. Owners wait if their time is used up, and are refused if too much waits. */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #queue = new TurnQueue<() => void>();
  readonly #accounts = new Map<unknown, Account>();
  #running = 0;
  #wakeUp: NodeJS.Timeout | undefined;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** @throws {ChorusError} overloaded; the signal's reason; any error of `work` */
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

  /** Resolves when the task may run. It counts as running from then on. */
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

  /** Owners still waiting are out of time or at their limit of running works. */
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
