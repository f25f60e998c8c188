import type { StatementSync } from 'node:sqlite';
import type { Collection, RecordNumber } from '../storage/collection.ts';
import type { Store } from '../store.ts';
import type { Interval } from './bounds.ts';
import type { IndexPlan } from './planner.ts';
import type { QueryRequest } from './query.ts';

/** Counts in portions, each a short piece of work; undefined at the end. */
export interface CountSource {
  pull(): number | undefined;
}

/** Counts what a query finds; without reading documents where the index, or the collection's own count, says it all. */
export function openCount(store: Store, collection: Collection | undefined, request: QueryRequest): CountSource {
  const { filter, hint, skip = 0, limit = 0 } = request;
  const { plan } = store.openQuery(collection, { filter, hint });
  if (collection && plan.kind === 'collection' && plan.exact)
    return windowed(
      once(() => collection.count),
      skip,
      limit,
    );
  if (collection && plan.kind === 'index' && plan.exact)
    return windowed(new EntryCount(store, collection, plan), skip, limit);
  const { source } = store.openQuery(collection, { filter, hint, skip, limit });
  return { pull: () => source.pull()?.length };
}

function once(count: () => number): CountSource {
  let done = false;
  return {
    pull() {
      if (done) return undefined;
      done = true;
      return count();
    },
  };
}

function windowed(counted: CountSource, skip: number, limit: number): CountSource {
  if (skip === 0 && limit === 0) return counted;
  let toSkip = skip;
  let left = limit || Number.POSITIVE_INFINITY;
  return {
    pull() {
      const count = left > 0 ? counted.pull() : undefined;
      if (count === undefined) return undefined;
      const kept = Math.min(Math.max(0, count - toSkip), left);
      toSkip = Math.max(0, toSkip - count);
      left -= kept;
      return kept;
    },
  };
}

const PORTION = 10_000;

/** Counts the entries of an index that is not multikey, where each stands for one document. */
class EntryCount implements CountSource {
  readonly #intervals: Interval[];
  readonly #next: StatementSync;
  readonly #rest: StatementSync;
  #at = 0;
  #position: [Uint8Array, RecordNumber] | undefined;

  constructor(store: Store, collection: Collection, plan: IndexPlan) {
    this.#intervals = plan.intervals;
    const stretch = `FROM ${plan.index.table} WHERE (key, record) > (?, ?) AND key < ?`;
    this.#next = collection.statement(
      store.engine,
      `SELECT key, record ${stretch} ORDER BY key, record LIMIT 1 OFFSET ${PORTION - 1}`,
    );
    this.#rest = collection.statement(store.engine, `SELECT count(*) ${stretch}`);
  }

  pull(): number | undefined {
    const interval = this.#intervals[this.#at];
    if (!interval) return undefined;
    const start = this.#position ?? [interval.lower, -1];
    this.#position = this.#next.get(...start, interval.upper) as unknown as [Uint8Array, number] | undefined;
    if (this.#position) return PORTION;
    this.#at += 1;
    return (this.#rest.get(...start, interval.upper) as unknown as [number])[0];
  }
}
