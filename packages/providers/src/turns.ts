/** Entries that wait: users take turns, one entry each; of one user, first come first served. */
export class Turns<Entry extends { user: string }> {
  #waiting: Entry[] = [];
  /** When users who wait were served last, counted up. */
  readonly #served = new Map<string, number>();
  #count = 0;

  get size(): number {
    return this.#waiting.length;
  }

  add(entry: Entry): void {
    this.#waiting.push(entry);
  }

  /** Takes an entry out that does not wait any more. */
  remove(entry: Entry): boolean {
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return false;
    this.#waiting.splice(at, 1);
    if (!this.#waiting.some(({ user }) => user === entry.user)) this.#served.delete(entry.user);
    return true;
  }

  /** Takes an entry out whose turn it is. */
  serve(entry: Entry): void {
    this.#count += 1;
    this.#served.set(entry.user, this.#count);
    this.remove(entry);
  }

  /** Puts an entry back in front. */
  putBack(entry: Entry): void {
    this.#waiting.unshift(entry);
    this.#served.delete(entry.user);
  }

  /** The next entries, in their turns. `among` picks those that may be. */
  next(count: number, among: (entry: Entry) => boolean = () => true): Entry[] {
    const byUser = [...Map.groupBy(this.#waiting.filter(among), ({ user }) => user)];
    byUser.sort(([one], [other]) => (this.#served.get(one) ?? 0) - (this.#served.get(other) ?? 0));
    const entries: Entry[] = [];
    for (let round = 0; entries.length < count; round += 1) {
      const of = byUser.flatMap(([, waiting]) => waiting[round] ?? []);
      if (of.length === 0) break;
      entries.push(...of);
    }
    return entries.slice(0, count);
  }

  /** Takes all out. */
  clear(): Entry[] {
    this.#served.clear();
    return this.#waiting.splice(0);
  }
}
