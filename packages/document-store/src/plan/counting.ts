import type { Collection, RecordNumber } from '../storage/collection.ts';
import type { Store } from '../store.ts';
import type { IndexPlan } from './planner.ts';
import type { QueryRequest } from './query.ts';

/** Counts in portions, each a short piece of work. */
export type Counts = Generator<number, undefined>;

/** Counts what a query finds; without reading documents where the index, or the collection's own count, says it all. */
export function* countQuery(store: Store, collection: Collection | undefined, request: QueryRequest): Counts {
  let { skip = 0 } = request;
  let left = request.limit || Number.POSITIVE_INFINITY;
  for (const found of countAll(store, collection, request)) {
    const kept = Math.min(Math.max(0, found - skip), left);
    skip = Math.max(0, skip - found);
    left -= kept;
    yield kept;
    if (left === 0) return;
  }
}

function* countAll(store: Store, collection: Collection | undefined, request: QueryRequest): Counts {
  const { plan, source } = store.openQuery(collection, { ...request, skip: 0, limit: 0 });
  if (collection && plan.kind === 'collection' && plan.exact) yield* countWhole(collection);
  else if (collection && plan.kind === 'index' && plan.exact) yield* countEntries(collection, plan);
  else for (const portion of source) yield portion.length;
}

function* countWhole(collection: Collection): Counts {
  const counting = collection.count();
  for (let step = counting.next(); ; step = counting.next()) {
    if (step.done) {
      yield step.value;
      return;
    }
    yield 0;
  }
}

const PORTION = 2_000;

/** Counts the entries of an index that is not multikey, where each stands for one document. */
function* countEntries(collection: Collection, plan: IndexPlan): Counts {
  const stretch = `FROM ${plan.index.table} WHERE (key, record) > (?, ?) AND key < ?`;
  const next = collection.statement(`SELECT key, record ${stretch} ORDER BY key, record LIMIT 1 OFFSET ${PORTION - 1}`);
  const rest = collection.statement(`SELECT count(*) ${stretch}`);
  for (const { lower, upper } of plan.intervals) {
    let start: [Uint8Array, RecordNumber] = [lower, Number.MIN_SAFE_INTEGER];
    for (;;) {
      const position = next.get(...start, upper) as unknown as [Uint8Array, RecordNumber] | undefined;
      if (!position) break;
      start = position;
      yield PORTION;
    }
    yield (rest.get(...start, upper) as unknown as [number])[0];
  }
}
