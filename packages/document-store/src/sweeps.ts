import { descending } from './plan/bounds.ts';
import type { IndexPlan } from './plan/planner.ts';
import { scan } from './plan/scan.ts';
import type { Collection } from './storage/collection.ts';
import type { CollectionIndex } from './storage/collection-index.ts';
import { sliceIsOver } from './storage/turns.ts';
import type { Store } from './store.ts';
import { encodeKey } from './values/keys.ts';

/** Regularly removes documents past their time, closes idle cursors and empties dropped tables. Returns what stops it. */
export function startSweeps(store: Store, intervalMs: number): () => void {
  store.startEmptying();
  let sweeping = false;
  const timer = setInterval(() => {
    store.cursors.closeIdle();
    store.emptyGarbage();
    if (sweeping) return;
    sweeping = true;
    // What fails now (a full disk) is tried again the next time.
    const done = () => {
      sweeping = false;
    };
    store.turns.run(() => removeExpired(store, Date.now())).then(done, done);
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Removes every document whose TTL index says that its time is over at `now`, in milliseconds since the epoch. */
export function* removeExpired(store: Store, now: number): Generator<undefined, number> {
  let removed = 0;
  for (const collection of store.catalog.allCollections()) {
    for (const index of collection.indexes) {
      if (index.ready && index.definition.expireAfterSeconds !== undefined && !collection.dropped) {
        removed += yield* removeExpiredIn(collection, index, now);
      }
    }
  }
  return removed;
}

const DATES = 50;

function* removeExpiredIn(collection: Collection, index: CollectionIndex, now: number): Generator<undefined, number> {
  const seconds = index.definition.expireAfterSeconds ?? 0;
  const oldest = encodeKey(new Date(now - seconds * 1000));
  const ascending = { lower: Buffer.of(DATES), upper: oldest, point: false };
  const plan: IndexPlan = {
    kind: 'index',
    index,
    intervals: index.directions[0] === -1 ? descending([ascending]) : [ascending],
    backwards: false,
    sorted: false,
    exact: true,
    pointFields: 0,
    boundedFields: 1,
  };
  let removed = 0;
  // After a pause it begins again: what was read before may have changed.
  for (let isOver = false; !isOver && !collection.dropped && collection.indexes.includes(index); ) {
    const before = removed;
    removed += removeUntilPause(collection, plan);
    isOver = removed === before;
    yield;
  }
  return removed;
}

function removeUntilPause(collection: Collection, plan: IndexPlan): number {
  let removed = 0;
  for (const portion of scan(collection, plan)) {
    for (const { record, document } of portion) {
      collection.remove(record, document);
      removed += 1;
      if (sliceIsOver()) return removed;
    }
  }
  return removed;
}
