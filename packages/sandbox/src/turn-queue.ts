/** What waits, by whose it is: owners take turns, one entry each; within an owner, first come first served. */
export class TurnQueue<Entry> {
  /** In the order of their turns; none is empty. */
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

  /** Whether it was still waiting. */
  remove(owner: unknown, entry: Entry): boolean {
    const queue = this.#queues.get(owner) ?? [];
    const at = queue.indexOf(entry);
    if (at === -1) return false;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(owner);
    this.#size -= 1;
    return true;
  }

  /** Takes the first entry of the owner whose turn it is and who may be served; null where there is none. */
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
