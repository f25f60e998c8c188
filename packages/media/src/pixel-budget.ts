/**
 * Bounds the memory of what is decoded at once in a process: whoever decodes takes as many pixels as the picture has, and waits while they are not free.
 * In the order of arrival, so that a large one is not overtaken for ever.
 */
export class PixelBudget {
  readonly #total: number;
  #free: number;
  readonly #waiting: { pixels: number; begin: () => void }[] = [];

  constructor(total: number) {
    this.#total = total;
    this.#free = total;
  }

  async run<T>(pixels: number, work: () => Promise<T>): Promise<T> {
    const taken = Math.min(Math.max(1, pixels), this.#total);
    await this.#take(taken);
    try {
      return await work();
    } finally {
      this.#free += taken;
      this.#admit();
    }
  }

  #take(pixels: number): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push({ pixels, begin });
      this.#admit();
    });
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && next.pixels <= this.#free; next = this.#waiting[0]) {
      this.#free -= next.pixels;
      this.#waiting.shift();
      next.begin();
    }
  }
}
