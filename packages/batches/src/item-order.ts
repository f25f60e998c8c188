import type { ErrorDetail } from '@chorus/contract';

/**
 * Dependencies of a batch that is being uploaded: collected item by item and checked at the end. Keeps a few bytes for
 * each item, not its body.
 */
export class ItemOrder {
  readonly #places = new Map<string, number>();
  readonly #after = new Map<number, readonly string[]>();

  get size(): number {
    return this.#places.size;
  }

  /** Whether any item depends on another. */
  get ordered(): boolean {
    return this.#after.size > 0;
  }

  /** Adds the next item. Returns the problem with its id, or null. */
  add(id: string, after: readonly string[]): string | null {
    const index = this.#places.size;
    const taken = this.#places.get(id);
    if (taken !== undefined) return `is already used by item ${taken}`;
    this.#places.set(id, index);
    if (after.length > 0) this.#after.set(index, after);
    return null;
  }

  /** Returns up to `limit` problems: unknown items and cycles. */
  problems(limit: number): ErrorDetail[] {
    const unknown: ErrorDetail[] = [];
    for (const [index, after] of this.#after) {
      for (const [at, id] of after.entries()) {
        if (this.#places.has(id)) continue;
        unknown.push({ path: `body.items.${index}.after.${at}`, message: `item ${JSON.stringify(id)} does not exist` });
        if (unknown.length >= limit) return unknown;
      }
    }
    return unknown.length > 0 ? unknown : this.#cycles(limit);
  }

  /** Repeatedly removes items without dependencies. The remaining items wait for each other. */
  #cycles(limit: number): ErrorDetail[] {
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
      message: 'items wait for each other in a cycle',
    }));
  }
}
