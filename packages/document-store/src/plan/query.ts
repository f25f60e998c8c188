import type { Document } from 'bson';
import type { Scope } from '../aggregate/scope.ts';
import { compileFilter } from '../query/matcher.ts';
import { compileSort, sortFields } from '../query/sort.ts';
import type { Collection, RecordNumber } from '../storage/collection.ts';
import { sliceIsOver } from '../storage/scheduler.ts';
import type { IndexPlan } from './planner.ts';
import { type Plan, planQuery } from './planner.ts';
import { type ScanCounts, scan } from './scan.ts';
import { sortCandidates } from './sorting.ts';
import type { Candidate, Source } from './source.ts';

export interface QueryRequest {
  filter: Document;
  scope?: Scope | undefined;
  sort?: Document | undefined;
  skip?: number | undefined;
  /** 0 or absent means no limit. */
  limit?: number | undefined;
  /** Additional results of an in-memory sort, for callers that may find the first ones changed. */
  spare?: number;
  hint?: unknown;
}

export interface Query {
  plan: Plan;
  blockingSort: boolean;
  counts: ScanCounts;
  source: Source;
  matches: (document: Document) => boolean;
}

/**
 * Plans and opens a query. A missing collection gives no results. Throws BadValue and the like for
 * invalid filters, sorts, and hints.
 */
export function openQuery(collection: Collection | undefined, request: QueryRequest): Query {
  const { filter, scope, skip = 0 } = request;
  const matches = compileFilter(filter, scope);
  const sort = request.sort ? sortFields(request.sort) : [];
  const plan = planQuery(collection, filter, sort, request.hint);
  const counts = { keysExamined: 0, documentsExamined: 0 };
  const limit = request.limit || Number.POSITIVE_INFINITY;
  const inOrder = plan.kind === 'id' || plan.kind === 'nothing' || ('sorted' in plan && plan.sorted);
  const blockingSort = sort.length > 0 && !inOrder;
  // With a filter or a sort, the number of candidates to read is unknown.
  const wanted = plan.exact && !blockingSort && Number.isFinite(limit) ? skip + limit : undefined;
  let source = scan(collection, plan, counts, wanted);
  if (!plan.exact) source = filterCandidates(source, matches);
  const given = limit + (blockingSort ? (request.spare ?? 0) : 0);
  if (blockingSort) source = sortCandidates(source, compileSort(request.sort as Document), skip + given);
  if (skip > 0 || given !== Number.POSITIVE_INFINITY) source = skipAndLimit(source, skip, given);
  return { plan, blockingSort, counts, source, matches };
}

export function filterCandidates(source: Source, matches: (document: Document) => boolean): Source {
  return mapCandidates(source, (candidate) => (matches(candidate.document) ? candidate : undefined));
}

export function* mapCandidates(source: Source, change: (candidate: Candidate) => Candidate | undefined): Source {
  for (const chunk of source) {
    let made: Candidate[] = [];
    for (const candidate of chunk) {
      const result = change(candidate);
      if (result) made.push(result);
      if (!sliceIsOver()) continue;
      yield made;
      made = [];
    }
    yield made;
  }
}

export function* skipAndLimit(source: Source, skip: number, limit = Number.POSITIVE_INFINITY): Source {
  let toSkip = skip;
  let left = limit;
  for (const chunk of source) {
    const skipped = Math.min(toSkip, chunk.length);
    toSkip -= skipped;
    const kept = chunk.slice(skipped, skipped + left);
    left -= kept.length;
    yield kept;
    if (left === 0) return;
  }
}

type Counts = Generator<number, undefined>;

/** Counts a query's results, from an index or the collection's own count if possible. */
export function* countQuery(collection: Collection | undefined, request: QueryRequest): Counts {
  let { skip = 0 } = request;
  let left = request.limit || Number.POSITIVE_INFINITY;
  for (const found of countAll(collection, request)) {
    const kept = Math.min(Math.max(0, found - skip), left);
    skip = Math.max(0, skip - found);
    left -= kept;
    yield kept;
    if (left === 0) return;
  }
}

function* countAll(collection: Collection | undefined, request: QueryRequest): Counts {
  const { plan, source } = openQuery(collection, { ...request, skip: 0, limit: 0 });
  if (collection && plan.kind === 'collection' && plan.exact) yield* countCollection(collection);
  else if (collection && plan.kind === 'index' && plan.exact) yield* countEntries(collection, plan);
  else for (const chunk of source) yield chunk.length;
}

function* countCollection(collection: Collection): Counts {
  const counting = collection.count();
  for (let step = counting.next(); ; step = counting.next()) {
    if (step.done) {
      yield step.value;
      return;
    }
    yield 0;
  }
}

const CHUNK_SIZE = 2_000;

function* countEntries(collection: Collection, plan: IndexPlan): Counts {
  const stretch = `FROM ${plan.index.table} WHERE (key, record) > (?, ?) AND key < ?`;
  const next = collection.statement(
    `SELECT key, record ${stretch} ORDER BY key, record LIMIT 1 OFFSET ${CHUNK_SIZE - 1}`,
  );
  const rest = collection.statement(`SELECT count(*) ${stretch}`);
  for (const { lower, upper } of plan.intervals) {
    let start: [Uint8Array, RecordNumber] = [lower, Number.MIN_SAFE_INTEGER];
    for (;;) {
      const position = next.get(...start, upper) as unknown as [Uint8Array, RecordNumber] | undefined;
      if (!position) break;
      start = position;
      yield CHUNK_SIZE;
    }
    yield (rest.get(...start, upper) as unknown as [number])[0];
  }
}
