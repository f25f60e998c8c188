import {
  BATCH_ITEM_STATUSES,
  type BatchCounts,
  type BatchItemStatus,
  type EndedItemStatus,
  UNSUCCESSFUL_ITEM_STATUSES,
} from '@chorus/contract';
import type { BatchItemState } from '@chorus/database';

/** An item that can no longer run, and the failed item that it depends on. */
export interface SkippedItem {
  index: number;
  because: string;
}

const UNSUCCESSFUL: ReadonlySet<BatchItemStatus> = new Set(UNSUCCESSFUL_ITEM_STATUSES);
const BEGUN: ReadonlySet<BatchItemStatus> = new Set(['queued', 'running', 'requires_action']);

/**
 * Item states of a batch in memory, a few bytes each. Decides which items can run and which never will. The store is
 * authoritative: after a change that may have failed, the state is reloaded.
 */
export class BatchState {
  readonly #statuses: Uint8Array;
  readonly #counts: Record<BatchItemStatus, number>;
  /** Indexes by execution id. */
  readonly #outstanding = new Map<string, number>();
  #ready: number[] = [];
  /** Item ids. Empty without dependencies. */
  readonly #ids: string[] = [];
  readonly #places = new Map<string, number>();
  readonly #followers = new Map<number, number[]>();
  readonly #missing = new Map<number, number>();

  /** @param items all items, in order */
  constructor(items: readonly BatchItemState[], ordered: boolean) {
    this.#statuses = new Uint8Array(items.length);
    this.#counts = {
      waiting: 0,
      queued: 0,
      running: 0,
      requires_action: 0,
      succeeded: 0,
      failed: 0,
      cancelled: 0,
      skipped: 0,
      expired: 0,
    };
    for (const { index, status, execution_id } of items) {
      this.#statuses[index] = BATCH_ITEM_STATUSES.indexOf(status);
      this.#counts[status] += 1;
      if (BEGUN.has(status) && execution_id !== null) this.#outstanding.set(execution_id, index);
    }
    if (ordered) this.#follow(items);
    this.#ready = items.flatMap(({ index, status }) =>
      status === 'waiting' && !this.#missing.has(index) ? [index] : [],
    );
  }

  #follow(items: readonly BatchItemState[]): void {
    for (const { id, index } of items) {
      this.#ids[index] = id;
      this.#places.set(id, index);
    }
    for (const { index, status, after } of items) {
      if (status !== 'waiting') continue;
      const missing = this.#placesOf(after).filter((place) => this.statusOf(place) !== 'succeeded');
      if (missing.length > 0) this.#missing.set(index, missing.length);
      for (const place of missing) {
        const those = this.#followers.get(place);
        if (those) those.push(index);
        else this.#followers.set(place, [index]);
      }
    }
  }

  #placesOf(ids: readonly string[]): number[] {
    return [...new Set(ids)].map((id) => this.#places.get(id)).filter((place) => place !== undefined);
  }

  get total(): number {
    return this.#statuses.length;
  }

  get counts(): BatchCounts {
    return { total: this.total, ...this.#counts };
  }

  /** Number of items that can run and were not taken. */
  get ready(): number {
    return this.#ready.length;
  }

  get outstanding(): ReadonlyMap<string, number> {
    return this.#outstanding;
  }

  get ended(): boolean {
    const { waiting, queued, running, requires_action } = this.#counts;
    return waiting + queued + running + requires_action === 0;
  }

  statusOf(index: number): BatchItemStatus {
    return BATCH_ITEM_STATUSES[this.#statuses[index] ?? 0] as BatchItemStatus;
  }

  /** Returns the index of an item, in a batch with dependencies. */
  placeOf(id: string): number | undefined {
    return this.#places.get(id);
  }

  /** Takes items that can run, in order. The caller dispatches them, ends them, or puts them back. */
  take(count: number): number[] {
    return this.#ready.splice(0, count);
  }

  putBack(indexes: readonly number[]): void {
    this.#ready.unshift(...indexes);
  }

  /** Returns all waiting items, ready or not. */
  waiting(): number[] {
    const waiting = [];
    for (let index = 0; index < this.total; index += 1) if (this.statusOf(index) === 'waiting') waiting.push(index);
    return waiting;
  }

  queue(index: number, executionId: string): void {
    this.#set(index, 'queued');
    this.#outstanding.set(executionId, index);
  }

  /** Changes the status of a started item. */
  mark(index: number, status: 'queued' | 'running' | 'requires_action'): void {
    if (BEGUN.has(this.statusOf(index))) this.#set(index, status);
  }

  /** Ends an item. Returns the items that can no longer run, which the caller skips next. */
  end(index: number, status: EndedItemStatus, executionId?: string | null): SkippedItem[] {
    this.#set(index, status);
    if (executionId) this.#outstanding.delete(executionId);
    const followers = this.#followers.get(index) ?? [];
    this.#followers.delete(index);
    const skipped: SkippedItem[] = [];
    for (const follower of followers) {
      const missing = this.#missing.get(follower);
      if (missing === undefined || this.statusOf(follower) !== 'waiting') continue;
      if (status !== 'succeeded') {
        this.#missing.delete(follower);
        skipped.push({ index: follower, because: this.#ids[index] as string });
      } else if (missing > 1) {
        this.#missing.set(follower, missing - 1);
      } else {
        this.#missing.delete(follower);
        this.#ready.push(follower);
      }
    }
    return skipped;
  }

  /** Returns waiting items with a failed dependency, left by a process that died. */
  blockedItems(): SkippedItem[] {
    const skipped = new Map<number, SkippedItem>();
    for (const [place, followers] of this.#followers) {
      const status = this.statusOf(place);
      if (!UNSUCCESSFUL.has(status)) continue;
      this.#followers.delete(place);
      for (const index of followers) skipped.set(index, { index, because: this.#ids[place] as string });
    }
    for (const index of skipped.keys()) this.#missing.delete(index);
    return [...skipped.values()];
  }

  #set(index: number, status: BatchItemStatus): void {
    this.#counts[this.statusOf(index)] -= 1;
    this.#counts[status] += 1;
    this.#statuses[index] = BATCH_ITEM_STATUSES.indexOf(status);
  }
}
