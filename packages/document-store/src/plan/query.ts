import type { Document } from 'bson';
import { compileFilter } from '../query/matcher.ts';
import { compileSort, sortFields } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Engine } from '../storage/engine.ts';
import { type Plan, planQuery, type SortField } from './planner.ts';
import { type Candidate, openScan, type ScanCounts, type Source } from './scan.ts';
import { SortSource } from './sorting.ts';

/** Which documents a command is about, and in which order. */
export interface QueryRequest {
  filter: Document;
  sort?: Document;
  skip?: number;
  /** 0 or absent: all. */
  limit?: number;
  hint?: unknown;
}

/** A query made ready: its plan, for explain, and its source. */
export interface Query {
  plan: Plan;
  /** True when the candidates have to be sorted in memory. */
  blockingSort: boolean;
  counts: ScanCounts;
  source: Source;
}

/** Plans a query and opens it; a query on a collection that does not exist is checked, and finds nothing. Throws BadValue and its kin for filters, sorts and hints that can't be. */
export function openQuery(engine: Engine, collection: Collection | undefined, request: QueryRequest): Query {
  const matches = compileFilter(request.filter);
  const sort = request.sort ? readSort(request.sort) : [];
  const plan = planQuery(collection, request.filter, sort, request.hint);
  const counts = { keysExamined: 0, documentsExamined: 0 };
  const skip = request.skip ?? 0;
  const limit = request.limit || Number.POSITIVE_INFINITY;
  const blockingSort =
    sort.length > 0 && plan.kind !== 'id' && plan.kind !== 'nothing' && !('sorted' in plan && plan.sorted);
  let source = openScan(engine, collection, plan, counts);
  if (!plan.exact) source = new FilterSource(source, matches);
  if (blockingSort) source = new SortSource(source, compileSort(request.sort as Document), skip + limit);
  if (skip > 0 || limit !== Number.POSITIVE_INFINITY) source = new WindowSource(source, skip, limit);
  return { plan, blockingSort, counts, source };
}

function readSort(sort: Document): SortField[] {
  return '$natural' in sort ? [{ path: '$natural', direction: Number(sort.$natural) }] : sortFields(sort);
}

/** Lets through what matches. */
export class FilterSource implements Source {
  readonly #source: Source;
  readonly #matches: (document: Document) => boolean;

  constructor(source: Source, matches: (document: Document) => boolean) {
    this.#source = source;
    this.#matches = matches;
  }

  pull(): Candidate[] | undefined {
    return this.#source.pull()?.filter((candidate) => this.#matches(candidate.document));
  }
}

/** Skips and limits. */
export class WindowSource implements Source {
  readonly #source: Source;
  #skip: number;
  #left: number;

  constructor(source: Source, skip: number, limit: number) {
    this.#source = source;
    this.#skip = skip;
    this.#left = limit;
  }

  pull(): Candidate[] | undefined {
    if (this.#left === 0) return undefined;
    const candidates = this.#source.pull();
    if (!candidates) return undefined;
    const skipped = Math.min(this.#skip, candidates.length);
    this.#skip -= skipped;
    const kept = candidates.slice(skipped, skipped + this.#left);
    this.#left -= kept.length;
    return kept;
  }
}
