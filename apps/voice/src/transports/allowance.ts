/** So much at once, and so much more in each second: what is left of it, as time goes. */
export class Allowance {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** @param now a clock in milliseconds that never goes back */
  constructor(burst: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = burst;
    this.#at = now();
  }

  /** Takes some of it; false: there is not so much left, and nothing was taken. */
  take(amount: number): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
