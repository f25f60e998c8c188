/**
 * Bounds what is done at once: whoever works takes so many units, and waits while they are not free. In the order of arrival, so that what is large is
 * not overtaken for ever.
 */
export class Budget {
  readonly #total: number;
  #free: number;
  readonly #waiting: { units: number; begin: () => void }[] = [];

  constructor(total: number) {
    this.#total = total;
    this.#free = total;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** What is larger than the whole budget runs alone. */
  async run<T>(units: number, work: () => Promise<T>): Promise<T> {
    const taken = Math.min(Math.max(1, units), this.#total);
    await this.#take(taken);
    try {
      return await work();
    } finally {
      this.#free += taken;
      this.#admit();
    }
  }

  #take(units: number): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push({ units, begin });
      this.#admit();
    });
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && next.units <= this.#free; next = this.#waiting[0]) {
      this.#free -= next.units;
      this.#waiting.shift();
      next.begin();
    }
  }
}
