import { isDeepStrictEqual } from 'node:util';
import type { Owner } from '@chorus/contract';
import type { BatchRecord, Database } from '@chorus/database';

const POLL_INTERVAL_MS = 250;

/** Receives the batch, then each change. Null: it was deleted. */
type Listener = (batch: BatchRecord | null) => void;

interface Watch {
  owner: Owner;
  listeners: Set<Listener>;
  last: BatchRecord | null | undefined;
  timer: NodeJS.Timeout;
}

/** Polls each followed batch once, no matter how many clients follow it. */
export class BatchWatches {
  readonly #batches: Pick<Database['batches'], 'get'>;
  readonly #watches = new Map<string, Watch>();

  constructor(batches: Pick<Database['batches'], 'get'>) {
    this.#batches = batches;
  }

  /** @returns stops watching */
  open(owner: Owner, id: string, listener: Listener): () => void {
    let watch = this.#watches.get(id);
    if (!watch) {
      watch = { owner, listeners: new Set(), last: undefined, timer: setTimeout(() => this.#poll(id), 0) };
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

  async #poll(id: string): Promise<void> {
    const watch = this.#watches.get(id);
    if (!watch) return;
    // Treat the batch as unchanged while the store is down.
    const found = await this.#batches.get(watch.owner, id).catch(() => watch.last);
    if (found !== undefined && !isDeepStrictEqual(found, watch.last)) {
      watch.last = found;
      for (const listener of [...watch.listeners]) listener(found);
    }
    if (this.#watches.get(id) === watch) watch.timer = setTimeout(() => this.#poll(id), POLL_INTERVAL_MS);
  }
}
