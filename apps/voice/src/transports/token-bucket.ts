/** A token bucket: a burst, refilled at a constant rate. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** @param now a monotonic clock in milliseconds */
  constructor(burst: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = burst;
    this.#at = now();
  }

  /** Takes an amount, or returns false and takes nothing if too little is left. */
  take(amount: number): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
