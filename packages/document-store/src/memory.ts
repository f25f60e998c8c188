import { memoryExceeded } from './errors.ts';

const MEGABYTE = 1024 * 1024;
/** What all commands, cursors, requests and replies of a server may hold together. */
const LIMIT_BYTES = 256 * MEGABYTE;

/** The memory of one server that its clients share. */
export class MemoryBudget {
  readonly limit: number;
  #held = 0;

  constructor(limit = LIMIT_BYTES) {
    this.limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  /** Opens an account for one operation. */
  open(): Holding {
    return new Holding(this);
  }

  take(bytes: number): void {
    this.#held += bytes;
  }
}

let current: Holding | undefined;

/** What one operation holds of the budget: a request until its reply is sent, or a cursor until it is closed. */
export class Holding {
  readonly #budget: MemoryBudget;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Takes memory. Throws ExceededMemoryLimit when the server has none left; then nothing is taken. */
  add(bytes: number, purpose: string): void {
    if (this.#budget.held + bytes > this.#budget.limit) {
      const [limit, held] = [this.#budget.limit, this.#budget.held].map((size) => Math.round(size / MEGABYTE));
      throw memoryExceeded(
        `not enough memory for ${purpose}: all operations together may hold ${limit} MB, and hold ${held} MB. ` +
          'Try again later, use an index, or ask for less at once.',
      );
    }
    this.#change(bytes);
  }

  /** Gives memory back. */
  remove(bytes: number): void {
    this.#change(-Math.min(bytes, this.#bytes));
  }

  /** Gives everything back, for good. */
  release(): void {
    this.#change(-this.#bytes);
    this.#isReleased = true;
  }

  /** An account of the same budget, for what outlives this operation. */
  sibling(): Holding {
    return this.#budget.open();
  }

  /** Runs work whose `holdMemory` counts here. */
  during<Result>(work: () => Result): Result {
    const before = current;
    current = this;
    try {
      return work();
    } finally {
      current = before;
    }
  }

  #change(bytes: number): void {
    if (this.#isReleased) return;
    this.#bytes += bytes;
    this.#budget.take(bytes);
  }
}

/** The account of the operation that runs now. */
export const currentHolding = (): Holding | undefined => current;

/** Takes memory for the operation that runs now. Throws ExceededMemoryLimit. */
export function holdMemory(bytes: number, purpose: string): void {
  current?.add(bytes, purpose);
}

/** Gives memory back that `holdMemory` took. */
export function releaseMemory(bytes: number): void {
  current?.remove(bytes);
}
