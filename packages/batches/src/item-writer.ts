import { setImmediate as others } from 'node:timers/promises';
import type { Owner } from '@chorus/contract';
import type { Database, NewBatchItem } from '@chorus/database';

/** Limits of one write: number of items, and characters of JSON. */
const ITEMS_PER_WRITE = 500;
const CHARS_PER_WRITE = 4_000_000;

/** Time between yields to the event loop. Several uploads may be checked at once. */
const YIELD_EVERY_MS = 2;

/** Heartbeat of an upload. The sweep removes uploads without a heartbeat. */
const HEARTBEAT_MS = 30_000;

/** Each record in the store contains one item. */
export const MAX_ITEM_CHARS = 4_000_000;

/** Stores the items of a batch that is being created as they arrive. */
export class ItemWriter {
  readonly #database: Pick<Database, 'batches' | 'batchItems'>;
  readonly #owner: Owner;
  readonly #batchId: string;
  #waiting: NewBatchItem[] = [];
  #chars = 0;
  #turnEnds = performance.now() + YIELD_EVERY_MS;
  #touched = performance.now();

  constructor(database: Pick<Database, 'batches' | 'batchItems'>, owner: Owner, batchId: string) {
    this.#database = database;
    this.#owner = owner;
    this.#batchId = batchId;
  }

  /** Takes the next item, or null for one that is not stored. Yields to other work from time to time. */
  async add(item: NewBatchItem | null, chars: number): Promise<void> {
    if (item !== null) this.#waiting.push(item);
    this.#chars += chars;
    if (this.#waiting.length >= ITEMS_PER_WRITE || this.#chars >= CHARS_PER_WRITE) await this.flush();
    if (performance.now() < this.#turnEnds) return;
    await others();
    this.#turnEnds = performance.now() + YIELD_EVERY_MS;
  }

  async flush(): Promise<void> {
    await this.#database.batchItems.insert(this.#owner, this.#batchId, this.#waiting);
    this.#waiting = [];
    this.#chars = 0;
    if (performance.now() - this.#touched < HEARTBEAT_MS) return;
    await this.#database.batches.touch(this.#batchId);
    this.#touched = performance.now();
  }
}
