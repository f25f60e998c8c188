import { memoryExceeded } from './errors.ts';

const MEGABYTE = 1024 * 1024;
const DEFAULT_LIMIT_BYTES = 256 * MEGABYTE;

/** Memory of a decoded document, compared with its bytes. */
export const DECODED_FACTOR = 4;

export class MemoryBudget {
  readonly limit: number;
  #used = 0;

  constructor(limit = DEFAULT_LIMIT_BYTES) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  openAccount(): MemoryAccount {
    return new MemoryAccount(this);
  }

  change(bytes: number): void {
    this.#used += bytes;
  }
}

let current: MemoryAccount | undefined;

/** The memory of one request until its reply is sent, or of one cursor until it closes. */
export class MemoryAccount {
  readonly #budget: MemoryBudget;
  #bytes = 0;
  #isClosed = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Reserves memory. Throws ExceededMemoryLimit and reserves nothing if the server is out of memory. */
  reserve(bytes: number, purpose: string): void {
    if (this.#budget.used + bytes > this.#budget.limit) {
      const [limit, held] = [this.#budget.limit, this.#budget.used].map((size) => Math.round(size / MEGABYTE));
      throw memoryExceeded(
        `not enough memory for ${purpose}: all operations together may use ${limit} MB, and use ${held} MB. ` +
          'Try again later, use an index, or request less data at once.',
      );
    }
    this.#change(bytes);
  }

  release(bytes: number): void {
    this.#change(-Math.min(bytes, this.#bytes));
  }

  close(): void {
    this.#change(-this.#bytes);
    this.#isClosed = true;
  }

  openSibling(): MemoryAccount {
    return this.#budget.openAccount();
  }

  /** Runs work whose `reserveMemory` calls count here. */
  run<Result>(work: () => Result): Result {
    const before = current;
    current = this;
    try {
      return work();
    } finally {
      current = before;
    }
  }

  #change(bytes: number): void {
    if (this.#isClosed) return;
    this.#bytes += bytes;
    this.#budget.change(bytes);
  }
}

export const currentAccount = (): MemoryAccount | undefined => current;

export function reserveMemory(bytes: number, purpose: string): void {
  current?.reserve(bytes, purpose);
}

export function releaseMemory(bytes: number): void {
  current?.release(bytes);
}
