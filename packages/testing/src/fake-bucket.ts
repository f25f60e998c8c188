const MINUTE_MS = 60_000;

/** Allows an amount per minute: all of it at once, then a steady refill. Providers count their limits this way. */
export class FakeBucket {
  readonly #now: () => number;
  #limit: number;
  #level: number;
  #at: number;
  #granted: number;

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#limit = limit;
    this.#level = limit;
    this.#at = now();
    this.#granted = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  get remaining(): number {
    this.#refill();
    return Math.max(0, Math.floor(this.#level));
  }

  /** Everything that was allowed since the start, used or not. */
  get granted(): number {
    this.#refill();
    return Math.floor(this.#granted);
  }

  /** Time until the bucket is full. */
  get resetMs(): number {
    this.#refill();
    return this.#timeFor(this.#limit - this.#level);
  }

  /** Time until this amount, or the limit if that is less, is available. */
  waitMs(amount: number): number {
    this.#refill();
    return this.#timeFor(Math.min(amount, this.#limit) - this.#level);
  }

  /** Takes an amount, even if less is left: then later requests wait longer. */
  take(amount: number): void {
    this.#refill();
    this.#level -= amount;
  }

  resize(limit: number): void {
    this.#refill();
    this.#limit = limit;
    this.#level = Math.min(this.#level, limit);
  }

  #timeFor(amount: number): number {
    return Math.max(0, Math.ceil((amount * MINUTE_MS) / this.#limit));
  }

  #refill(): void {
    const now = this.#now();
    const amount = ((now - this.#at) * this.#limit) / MINUTE_MS;
    this.#at = now;
    this.#granted += amount;
    this.#level = Math.min(this.#limit, this.#level + amount);
  }
}
