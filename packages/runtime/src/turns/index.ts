/** Queues entries fairly: users take turns, and each user's entries are served in order. */
export class Turns<Entry extends { user: string }> {
  #waiting: Entry[] = [];
  /** Serial number of the last turn of each waiting user. */
  readonly #served = new Map<string, number>();
  #count = 0;

  get size(): number {
    return this.#waiting.length;
  }

  add(entry: Entry): void {
    this.#waiting.push(entry);
  }

  remove(entry: Entry): boolean {
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return false;
    this.#waiting.splice(at, 1);
    if (!this.#waiting.some(({ user }) => user === entry.user)) this.#served.delete(entry.user);
    return true;
  }

  serve(entry: Entry): void {
    this.#count += 1;
    this.#served.set(entry.user, this.#count);
    this.remove(entry);
  }

  putBack(entry: Entry): void {
    this.#waiting.unshift(entry);
    this.#served.delete(entry.user);
  }

  /** Returns the next entries in turn order, limited to those that `among` accepts. */
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

  clear(): Entry[] {
    this.#served.clear();
    return this.#waiting.splice(0);
  }
}
