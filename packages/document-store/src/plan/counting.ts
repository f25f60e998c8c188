import type { Collection, RecordNumber } from '../storage/collection.ts';
import type { Store } from '../store.ts';
import type { IndexPlan, Plan } from './planner.ts';
import type { QueryRequest } from './query.ts';
import { portionsOf, type Source } from './scan.ts';

/** Counts in portions, each a short piece of work; undefined at the end. */
export interface CountSource {
  pull(): number | undefined;
}

/** Counts what a query finds; without reading documents where the index, or the collection's own count, says it all. */
export function openCount(store: Store, collection: Collection | undefined, request: QueryRequest): CountSource {
  const counts = count(store, collection, request);
  return { pull: () => counts.next().value };
}

function* count(store: Store, collection: Collection | undefined, request: QueryRequest): Generator<number, undefined> {
  const { plan, source } = store.openQuery(collection, { ...request, skip: 0, limit: 0 });
  let { skip = 0 } = request;
  let left = request.limit || Number.POSITIVE_INFINITY;
  for (const found of countAll(store, collection, plan, source)) {
    const kept = Math.min(Math.max(0, found - skip), left);
    skip = Math.max(0, skip - found);
    left -= kept;
    yield kept;
    if (left === 0) return;
  }
}

function* countAll(
  store: Store,
  collection: Collection | undefined,
  plan: Plan,
  source: Source,
): Generator<number, void> {
  if (collection && plan.kind === 'collection' && plan.exact) yield collection.count;
  else if (collection && plan.kind === 'index' && plan.exact) yield* countEntries(store, collection, plan);
  else for (const portion of portionsOf(source)) yield portion.length;
}

const PORTION = 10_000;

/** Counts the entries of an index that is not multikey, where each stands for one document. */
function* countEntries(store: Store, collection: Collection, plan: IndexPlan): Generator<number, void> {
  const stretch = `FROM ${plan.index.table} WHERE (key, record) > (?, ?) AND key < ?`;
  const next = collection.statement(
    store.engine,
    `SELECT key, record ${stretch} ORDER BY key, record LIMIT 1 OFFSET ${PORTION - 1}`,
  );
  const rest = collection.statement(store.engine, `SELECT count(*) ${stretch}`);
  for (const { lower, upper } of plan.intervals) {
    let start: [Uint8Array, RecordNumber] = [lower, -1];
    for (;;) {
      const position = next.get(...start, upper) as unknown as [Uint8Array, RecordNumber] | undefined;
      if (!position) break;
      start = position;
      yield PORTION;
    }
    yield (rest.get(...start, upper) as unknown as [number])[0];
  }
}
