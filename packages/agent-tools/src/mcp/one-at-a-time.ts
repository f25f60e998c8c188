/** Runs work of the same owner one after the other. Work that has an end is never kept waiting forever. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(owner) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(owner, mine);
    const forget = () => {
      if (this.#last.get(owner) === mine) this.#last.delete(owner);
    };
    mine.then(forget, forget);
    return mine;
  }
}
