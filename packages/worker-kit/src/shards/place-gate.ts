import type { QueueName } from '@chorus/executions';

/** A job yields its place to another shard after this time, at most once a second in a process. */
const SLICE_MS = 5_000;
const YIELD_EVERY_MS = 1_000;

/**
 * Shares the places of a process among the shards of its pool's queue. A free place goes to the shard that has waited
 * longest, so shards take turns. A busy shard may use all places while no other waits.
 */
export class PlaceGate {
  readonly #places: number;
  readonly #held = new Map<QueueName, number>();
  readonly #waiting = new Map<QueueName, (entered: boolean) => void>();
  #taken = 0;
  #yieldedAt = Number.NEGATIVE_INFINITY;

  constructor(places: number) {
    this.#places = places;
  }

  open(shard: QueueName): void {
    this.#held.set(shard, 0);
  }

  get isFull(): boolean {
    return this.#taken >= this.#places;
  }

  /** Whether there is more than one shard. */
  get isShared(): boolean {
    return this.#held.size > 1;
  }

  /** Returns the number of places that no other shard holds; at least 1. */
  availableTo(shard: QueueName): number {
    return Math.max(1, this.#places - this.#taken + this.#heldBy(shard));
  }

  /** Takes a place, unless all are taken. */
  tryEnter(shard: QueueName): boolean {
    if (this.isFull) return false;
    this.#count(shard, 1);
    return true;
  }

  /** Takes a place, or waits for one. A shard has one wait at a time. Resolves to false after `stopWaiting`. */
  async enter(shard: QueueName): Promise<boolean> {
    return this.tryEnter(shard) || (await new Promise((resolve) => this.#waiting.set(shard, resolve)));
  }

  leave(shard: QueueName): void {
    this.#count(shard, -1);
    for (const [next, resolve] of this.#waiting) {
      this.#waiting.delete(next);
      this.#count(next, 1);
      resolve(true);
      return;
    }
  }

  stopWaiting(shard: QueueName): void {
    this.#waiting.get(shard)?.(false);
    this.#waiting.delete(shard);
  }

  /** Returns whether a job of this shard that has run for `ranMs` should yield its place to another shard. */
  isWantedFrom(shard: QueueName, ranMs: number): boolean {
    const others = this.#waiting.size - (this.#waiting.has(shard) ? 1 : 0);
    const now = performance.now();
    if (others === 0 || ranMs < SLICE_MS || now - this.#yieldedAt < YIELD_EVERY_MS) return false;
    this.#yieldedAt = now;
    return true;
  }

  #heldBy(shard: QueueName): number {
    return this.#held.get(shard) ?? 0;
  }

  #count(shard: QueueName, by: number): void {
    this.#taken += by;
    this.#held.set(shard, this.#heldBy(shard) + by);
  }
}
