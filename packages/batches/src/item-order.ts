import type { ErrorDetail } from '@chorus/contract';

/**
 * Who comes after whom in a batch that is being made: collected item by item, checked when all are known. Some bytes for each
 * item stay in memory, its body does not.
 */
export class ItemOrder {
  readonly #places = new Map<string, number>();
  readonly #after = new Map<number, readonly string[]>();

  /** Items so far. */
  get size(): number {
    return this.#places.size;
  }

  /** Whether some come after others. */
  get ordered(): boolean {
    return this.#after.size > 0;
  }

  /** Adds the next item. Answers what is wrong with its id, or null. */
  add(id: string, after: readonly string[]): string | null {
    const index = this.#places.size;
    const taken = this.#places.get(id);
    if (taken !== undefined) return `is that of item ${taken} too`;
    this.#places.set(id, index);
    if (after.length > 0) this.#after.set(index, after);
    return null;
  }

  /** What is wrong with the order: items that there are not, and circles. At most `limit`. */
  problems(limit: number): ErrorDetail[] {
    const unknown: ErrorDetail[] = [];
    for (const [index, after] of this.#after) {
      for (const [at, id] of after.entries()) {
        if (this.#places.has(id)) continue;
        unknown.push({ path: `body.items.${index}.after.${at}`, message: `there is no item ${JSON.stringify(id)}` });
        if (unknown.length >= limit) return unknown;
      }
    }
    return unknown.length > 0 ? unknown : this.#circles(limit);
  }

  /** Takes away whoever comes after none, again and again: those that are left wait for each other. */
  #circles(limit: number): ErrorDetail[] {
    const left = new Map<number, number>();
    const followers = new Map<number, number[]>();
    for (const [index, after] of this.#after) {
      const before = new Set(after.map((id) => this.#places.get(id) as number));
      left.set(index, before.size);
      for (const place of before) {
        const those = followers.get(place);
        if (those) those.push(index);
        else followers.set(place, [index]);
      }
    }
    const free = [...followers.keys()].filter((place) => !left.has(place));
    for (let place = free.pop(); place !== undefined; place = free.pop()) {
      for (const index of followers.get(place) ?? []) {
        const still = (left.get(index) as number) - 1;
        left.set(index, still);
        if (still === 0) free.push(index);
      }
    }
    const stuck = [...left].filter(([, count]) => count > 0).slice(0, limit);
    return stuck.map(([index]) => ({
      path: `body.items.${index}.after`,
      message: 'items wait for each other in a circle',
    }));
  }
}
