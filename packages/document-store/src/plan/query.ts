import type { Document } from 'bson';
import type { Scope } from '../aggregate/scope.ts';
import { compileFilter } from '../query/matcher.ts';
import { compileSort, sortFields } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import { sliceIsOver } from '../storage/turns.ts';
import { type Plan, planQuery } from './planner.ts';
import { type ScanCounts, scan } from './scan.ts';
import { sorted } from './sorting.ts';
import type { Candidate, Source } from './source.ts';

/** Which documents a command is about, and in which order. */
export interface QueryRequest {
  filter: Document;
  /** The variables that the filter's `$expr` may name. */
  scope?: Scope | undefined;
  sort?: Document | undefined;
  skip?: number | undefined;
  /** 0 or absent: all. */
  limit?: number | undefined;
  /** How many documents more a sort in memory gives, for a caller that may find the first ones changed. */
  spare?: number;
  hint?: unknown;
}

/** A query made ready: its plan, for explain, and its source. */
export interface Query {
  plan: Plan;
  /** True when the candidates have to be sorted in memory. */
  blockingSort: boolean;
  counts: ScanCounts;
  source: Source;
  matches: (document: Document) => boolean;
}

/** Plans a query and opens it; a query on a collection that does not exist is checked, and finds nothing. Throws BadValue and its kin for filters, sorts and hints that can't be. */
export function openQuery(collection: Collection | undefined, request: QueryRequest): Query {
  const { filter, scope, skip = 0 } = request;
  const matches = compileFilter(filter, scope);
  const sort = request.sort ? sortFields(request.sort) : [];
  const plan = planQuery(collection, filter, sort, request.hint);
  const counts = { keysExamined: 0, documentsExamined: 0 };
  const limit = request.limit || Number.POSITIVE_INFINITY;
  const inOrder = plan.kind === 'id' || plan.kind === 'nothing' || ('sorted' in plan && plan.sorted);
  const blockingSort = sort.length > 0 && !inOrder;
  // What a filter lets through is not known, nor what a sort puts first.
  const wanted = plan.exact && !blockingSort && Number.isFinite(limit) ? skip + limit : undefined;
  let source = scan(collection, plan, counts, wanted);
  if (!plan.exact) source = filtered(source, matches);
  const given = limit + (blockingSort ? (request.spare ?? 0) : 0);
  if (blockingSort) source = sorted(source, compileSort(request.sort as Document), skip + given);
  if (skip > 0 || given !== Number.POSITIVE_INFINITY) source = windowed(source, skip, given);
  return { plan, blockingSort, counts, source, matches };
}

/** Lets through what matches. */
export function filtered(source: Source, matches: (document: Document) => boolean): Source {
  return changed(source, (candidate) => (matches(candidate.document) ? candidate : undefined));
}

/** Makes another of each candidate, or leaves it out; a portion ends early where that takes long. */
export function* changed(source: Source, change: (candidate: Candidate) => Candidate | undefined): Source {
  for (const portion of source) {
    let made: Candidate[] = [];
    for (const candidate of portion) {
      const result = change(candidate);
      if (result) made.push(result);
      if (!sliceIsOver()) continue;
      yield made;
      made = [];
    }
    yield made;
  }
}

/** Skips and limits. */
export function* windowed(source: Source, skip: number, limit = Number.POSITIVE_INFINITY): Source {
  let toSkip = skip;
  let left = limit;
  for (const portion of source) {
    const skipped = Math.min(toSkip, portion.length);
    toSkip -= skipped;
    const kept = portion.slice(skipped, skipped + left);
    left -= kept.length;
    yield kept;
    if (left === 0) return;
  }
}
