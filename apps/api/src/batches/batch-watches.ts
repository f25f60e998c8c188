import { isDeepStrictEqual } from 'node:util';
import type { Owner } from '@chorus/contract';
import type { BatchRecord, Database } from '@chorus/database';

/** How often a batch that somebody follows is looked at. */
const LOOK_EVERY_MS = 250;

/** Told of a batch as it is, and whenever it has changed; null: it is gone. */
type Listener = (batch: BatchRecord | null) => void;

interface Watch {
  owner: Owner;
  listeners: Set<Listener>;
  last: BatchRecord | null | undefined;
  timer: NodeJS.Timeout;
}

/** Looks at batches for all who follow one: each batch once, however many they are. */
export class BatchWatches {
  readonly #batches: Pick<Database['batches'], 'get'>;
  readonly #watches = new Map<string, Watch>();

  constructor(batches: Pick<Database['batches'], 'get'>) {
    this.#batches = batches;
  }

  /** @returns ends it */
  open(owner: Owner, id: string, listener: Listener): () => void {
    let watch = this.#watches.get(id);
    if (!watch) {
      watch = { owner, listeners: new Set(), last: undefined, timer: setTimeout(() => this.#look(id), 0) };
      this.#watches.set(id, watch);
    } else if (watch.last !== undefined) {
      listener(watch.last);
    }
    watch.listeners.add(listener);
    return () => this.#leave(id, listener);
  }

  #leave(id: string, listener: Listener): void {
    const watch = this.#watches.get(id);
    if (!watch?.listeners.delete(listener) || watch.listeners.size > 0) return;
    clearTimeout(watch.timer);
    this.#watches.delete(id);
  }

  async #look(id: string): Promise<void> {
    const watch = this.#watches.get(id);
    if (!watch) return;
    // While the store is away nothing has changed.
    const found = await this.#batches.get(watch.owner, id).catch(() => watch.last);
    if (found !== undefined && !isDeepStrictEqual(found, watch.last)) {
      watch.last = found;
      for (const listener of [...watch.listeners]) listener(found);
    }
    if (this.#watches.get(id) === watch) watch.timer = setTimeout(() => this.#look(id), LOOK_EVERY_MS);
  }
}
