import { descending } from './plan/bounds.ts';
import type { IndexPlan } from './plan/planner.ts';
import { scan } from './plan/scan.ts';
import type { Collection } from './storage/collection.ts';
import type { CollectionIndex } from './storage/collection-index.ts';
import { type Steps, sliceIsOver } from './storage/scheduler.ts';
import type { Store } from './store.ts';
import { encodeKey } from './values/keys.ts';

/** Removes expired documents and idle cursors, and empties dropped tables. Returns a stop function. */
export function startSweeps(store: Store, intervalMs: number): () => void {
  store.startGarbageCollection();
  let sweeping = false;
  const timer = setInterval(() => {
    store.cursors.closeIdle();
    store.collectGarbage();
    if (sweeping) return;
    sweeping = true;
    // After a failure, such as a full disk, the next run tries again.
    const done = () => {
      sweeping = false;
    };
    store.scheduler.run(() => removeExpired(store, Date.now())).then(done, done);
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Removes the documents expired at `now`, according to their TTL indexes. */
export function* removeExpired(store: Store, now: number): Steps<number> {
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

const DATE_ORDER = 50;

function* removeExpiredIn(collection: Collection, index: CollectionIndex, now: number): Steps<number> {
  const seconds = index.definition.expireAfterSeconds ?? 0;
  const oldest = encodeKey(new Date(now - seconds * 1000));
  const ascending = { lower: Buffer.of(DATE_ORDER), upper: oldest, point: false };
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
  // Restart after a pause, since documents may have changed.
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
  for (const chunk of scan(collection, plan)) {
    for (const { record, document } of chunk) {
      collection.remove(record, document);
      removed += 1;
      if (sliceIsOver()) return removed;
    }
  }
  return removed;
}
