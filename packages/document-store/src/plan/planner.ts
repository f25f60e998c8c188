import type { Document } from 'bson';
import { badValue } from '../errors.ts';
import { compileFilter } from '../query/matcher.ts';
import type { Collection } from '../storage/collection.ts';
import type { CollectionIndex } from '../storage/collection-index.ts';
import { numberOf } from '../storage/index-definition.ts';
import { encodeKey } from '../values/keys.ts';
import { behind, descending, type Interval, intersection } from './bounds.ts';
import { operatorsOf, type Predicate, type Predicates, readPredicates, sameCondition } from './predicates.ts';

/** How the candidates of a query are found. The whole filter is still applied to each, unless `exact`. */
export type Plan =
  | { kind: 'nothing'; exact: true }
  | { kind: 'id'; key: Buffer; exact: boolean }
  | IndexPlan
  | { kind: 'union'; branches: Plan[]; exact: false }
  | { kind: 'collection'; backwards: boolean; sorted: boolean; exact: boolean };

/** A walk over one index. */
export interface IndexPlan {
  kind: 'index';
  index: CollectionIndex;
  /** In the order of the index, without overlaps. */
  intervals: Interval[];
  backwards: boolean;
  /** True when the candidates come in the wanted order. */
  sorted: boolean;
  /** True when every candidate matches the filter. */
  exact: boolean;
  /** How many fields of the index are held to single values, for the choice between plans. */
  pointFields: number;
  boundedFields: number;
}

/** One field of a sort. */
export interface SortField {
  path: string;
  direction: number;
}

/** Where the values of several fields make more stretches than this, the last fields are left to the filter. */
const MAX_INTERVALS = 1000;

/** Chooses how to find a query's candidates. Throws BadValue for a hint that names no index. */
export function planQuery(
  collection: Collection | undefined,
  filter: Document,
  sort: SortField[],
  hint?: unknown,
): Plan {
  if (!collection) return { kind: 'nothing', exact: true };
  const predicates = readPredicates(filter);
  const empty = predicates.complete && predicates.fields.length === 0;
  if (hint !== undefined && hint !== null) return planHint(collection, predicates, sort, hint, empty);
  const id = predicates.fields.find((predicate) => predicate.path === '_id' && predicate.equals);
  if (id?.equals) {
    return {
      kind: 'id',
      key: encodeKey(id.equals.value),
      exact: predicates.complete && predicates.fields.length === 1 && id.exact,
    };
  }
  const natural = naturalOrder(sort);
  const scan: Plan = { kind: 'collection', backwards: natural === -1, sorted: natural !== undefined, exact: empty };
  if (natural !== undefined) return scan;
  if (empty && sort.length === 0) return scan;
  const best = bestIndex(collection, predicates, sort);
  if (best && best.boundedFields > 0) return best;
  return planAlternatives(collection, predicates) ?? best ?? scan;
}

/** 1 or -1 for a sort by `$natural`, the order of insertion. */
function naturalOrder(sort: SortField[]): 1 | -1 | undefined {
  const field = sort[0];
  if (sort.length !== 1 || field?.path !== '$natural') return undefined;
  return field.direction < 0 ? -1 : 1;
}

function planHint(
  collection: Collection,
  predicates: Predicates,
  sort: SortField[],
  hint: unknown,
  empty: boolean,
): Plan {
  if (typeof hint === 'object' && hint !== null && '$natural' in hint) {
    const backwards = (numberOf(hint.$natural) ?? 1) < 0;
    return { kind: 'collection', backwards, sorted: naturalOrder(sort) === (backwards ? -1 : 1), exact: empty };
  }
  const index = collection.indexes.find((index) => index.ready && isHinted(index, hint));
  if (!index)
    throw badValue(
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  // An index that lacks documents which could match is used all the same: that is what MongoDB does with a hint.
  return planIndex(index, predicates, sort);
}

function isHinted(index: CollectionIndex, hint: unknown): boolean {
  return typeof hint === 'string' ? index.name === hint : sameCondition(index.definition.specification.key, hint);
}

function bestIndex(collection: Collection, predicates: Predicates, sort: SortField[]): IndexPlan | undefined {
  let best: IndexPlan | undefined;
  for (const index of collection.indexes) {
    if (!index.ready || !covers(index, predicates)) continue;
    const plan = planIndex(index, predicates, sort);
    if (plan.boundedFields === 0 && !(plan.sorted && sort.length > 0)) continue;
    if (!best || score(plan, sort) > score(best, sort)) best = plan;
  }
  return best;
}

function score(plan: IndexPlan, sort: SortField[]): number {
  const { fields, unique } = plan.index.definition;
  if (unique && plan.pointFields === fields.length) return 1000;
  const ranged = plan.boundedFields - plan.pointFields;
  return plan.pointFields * 10 + ranged * 6 + (sort.length > 0 && plan.sorted ? 5 : 0);
}

/** True when every document that can match the filter is in the index. */
function covers(index: CollectionIndex, predicates: Predicates): boolean {
  const { sparse, partialFilter, fields } = index.definition;
  if (sparse) return fields.some((field) => impliesExistence(field.path, predicates));
  return !partialFilter || implies(predicates, partialFilter);
}

function impliesExistence(path: string, predicates: Predicates): boolean {
  if (predicates.fields.some((predicate) => predicate.path === path && predicate.impliesExistence)) return true;
  return predicates.conditions.some(
    (entry) =>
      entry.path === path &&
      operatorsOf(entry.condition).some(([operator, operand]) => operator === '$exists' && isTrue(operand)),
  );
}

function isTrue(operand: unknown): boolean {
  return operand === true || (numberOf(operand) ?? 0) !== 0;
}

/** True when each condition of a partial filter certainly holds for what matches the query. */
function implies(predicates: Predicates, partialFilter: Document): boolean {
  const wanted = readPredicates(partialFilter);
  if (wanted.alternatives.length > 0) return false;
  const named = wanted.conditions.reduce((sum, { condition }) => sum + operatorsOf(condition).length, 0);
  if (named === 0) return false;
  return wanted.conditions.every(({ path, condition }) =>
    operatorsOf(condition).every(([operator, operand]) => impliesOne(predicates, path, operator, operand)),
  );
}

function impliesOne(predicates: Predicates, path: string, operator: string, operand: unknown): boolean {
  const sameOperator = predicates.conditions.some(
    (entry) =>
      entry.path === path &&
      operatorsOf(entry.condition).some(([name, value]) => name === operator && sameCondition(value, operand)),
  );
  if (sameOperator) return true;
  if (operator === '$exists' && isTrue(operand)) return impliesExistence(path, predicates);
  const equal = predicates.fields.find((predicate) => predicate.path === path && predicate.equals)?.equals;
  if (!equal || path.includes('.')) return false;
  return compileFilter({ [path]: { [operator]: operand } })({ [path]: equal.value });
}

/** The walk over one index that the filter's predicates allow. */
function planIndex(index: CollectionIndex, predicates: Predicates, sort: SortField[]): IndexPlan {
  const used = new Set<Predicate>();
  const usedRoots = new Set<string>();
  const fixed = new Set<string>();
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let intervals: Interval[] | undefined;
  let pointFields = 0;
  let boundedFields = 0;
  for (const { path, direction } of index.definition.fields) {
    const root = path.split('.', 1)[0] as string;
    // Two fields below one array may be met by different elements, which no single key shows.
    if (index.multikey && usedRoots.has(root)) break;
    const chosen = choosePredicates(predicates.fields, path, index.multikey);
    if (chosen.length === 0) break;
    const common = chosen.map((predicate) => predicate.intervals).reduce(intersection);
    if (prefixes.length > 1 && prefixes.length * common.length > MAX_INTERVALS) break;
    for (const predicate of chosen) used.add(predicate);
    usedRoots.add(root);
    boundedFields += 1;
    if (common.length === 1 && common[0]?.point) fixed.add(path);
    const placed = direction < 0 ? descending(common) : common;
    intervals = prefixes.flatMap((prefix) => placed.map((interval) => behind(prefix, interval)));
    if (!common.every((interval) => interval.point)) break;
    pointFields += 1;
    prefixes = intervals.map((interval) => interval.lower);
  }
  const walk = index.multikey ? undefined : directionFor(index, sort, fixed);
  const exact =
    !index.multikey &&
    predicates.complete &&
    predicates.fields.every((predicate) => used.has(predicate) && predicate.exact);
  return {
    kind: 'index',
    index,
    intervals: intervals ?? [{ lower: Buffer.alloc(0), upper: Buffer.of(0xff), point: false }],
    backwards: walk === -1,
    sorted: walk !== undefined,
    exact,
    pointFields,
    boundedFields,
  };
}

/** All predicates on a path hold for one key; of a multikey index only one may be taken, as each may hold by another key. */
function choosePredicates(fields: Predicate[], path: string, multikey: boolean): Predicate[] {
  const onPath = fields.filter((predicate) => predicate.path === path);
  if (!multikey || onPath.length < 2) return onPath;
  const isPoints = (predicate: Predicate) => predicate.intervals.every((interval) => interval.point);
  return [onPath.find((predicate) => predicate.equals) ?? onPath.find(isPoints) ?? (onPath[0] as Predicate)];
}

/** The direction in which the index gives the wanted order, where fields held to one value don't matter. */
function directionFor(index: CollectionIndex, sort: SortField[], fixed: Set<string>): 1 | -1 | undefined {
  const wanted = sort.filter((field) => !fixed.has(field.path));
  let direction: 1 | -1 | undefined;
  let next = 0;
  for (const field of index.definition.fields) {
    if (next === wanted.length) break;
    if (fixed.has(field.path)) continue;
    const sortField = wanted[next] as SortField;
    if (sortField.path !== field.path) return undefined;
    const needed = Math.sign(sortField.direction) === field.direction ? 1 : -1;
    if (direction !== undefined && direction !== needed) return undefined;
    direction = needed;
    next += 1;
  }
  return next === wanted.length ? (direction ?? 1) : undefined;
}

/** A union of walks, when each branch of an `$or` has an index. */
function planAlternatives(collection: Collection, predicates: Predicates): Plan | undefined {
  for (const branches of predicates.alternatives) {
    const plans = branches.map((branch) => planQuery(collection, branch, []));
    const indexed = plans.every((plan) => plan.kind === 'id' || (plan.kind === 'index' && plan.boundedFields > 0));
    if (indexed) return { kind: 'union', branches: plans, exact: false };
  }
  return undefined;
}
