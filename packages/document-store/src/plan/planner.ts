import type { Document } from 'bson';
import { badValue, failedToParse } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { compileFilter } from '../query/matcher.ts';
import type { Collection } from '../storage/collection.ts';
import type { CollectionIndex } from '../storage/collection-index.ts';
import type { KeyField } from '../storage/index-keys.ts';
import { getField, isFields } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';
import { nearestDouble } from '../values/numbers.ts';
import { equalValues } from '../values/order.ts';
import { behind, descending, type Interval, intersection } from './bounds.ts';
import { type Condition, type Predicate, type Predicates, readPredicates } from './predicates.ts';

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

/** Where the values of several fields make more stretches than this, the last fields are left to the filter. */
const MAX_INTERVALS = 1000;
const ALL_KEYS: Interval = { lower: Buffer.alloc(0), upper: Buffer.of(0xff), point: false };

/**
 * Chooses how to find a query's candidates. A hint is an index's name, its key, or `{$natural: 1}`; throws BadValue for one that names no
 * index.
 */
export function planQuery(
  collection: Collection | undefined,
  filter: Document,
  sort: readonly KeyField[],
  hint?: unknown,
): Plan {
  if (!collection) return { kind: 'nothing', exact: true };
  const predicates = readPredicates(filter);
  const exact = predicates.complete && predicates.fields.length === 0;
  const natural = sort[0]?.path === '$natural' ? sort[0].direction : undefined;
  if (hint !== undefined && hint !== null) {
    const hinted = hintedNaturalOrder(hint);
    if (!hinted) return planHint(collection, predicates, sort, hint);
    return { kind: 'collection', backwards: hinted < 0, sorted: natural === hinted, exact };
  }
  const id = predicates.fields.find((predicate) => predicate.path === '_id' && predicate.equals);
  if (id?.equals) {
    const idExact = predicates.complete && predicates.fields.length === 1 && id.exact;
    return { kind: 'id', key: encodeKey(id.equals.value), exact: idExact };
  }
  const scan: Plan = { kind: 'collection', backwards: natural === -1, sorted: natural !== undefined, exact };
  if (natural !== undefined || (exact && sort.length === 0)) return scan;
  const best = bestIndex(collection, predicates, sort);
  if (best && best.boundedFields > 0) return best;
  return planAlternatives(collection, predicates) ?? best ?? scan;
}

/** 1 or -1 for a hint that wants the order of insertion. Throws FailedToParse for what can be no hint. */
function hintedNaturalOrder(hint: unknown): 1 | -1 | undefined {
  if (typeof hint === 'string') return undefined;
  if (!isFields(hint)) throw failedToParse('Hint must be a string or an object');
  const order = nearestDouble(getField(hint, '$natural'));
  return order === undefined ? undefined : order < 0 ? -1 : 1;
}

function planHint(collection: Collection, predicates: Predicates, sort: readonly KeyField[], hint: unknown): Plan {
  const index = usableIndexes(collection).find(({ name, definition }) =>
    typeof hint === 'string' ? name === hint : equalValues(definition.specification.key, hint),
  );
  if (!index) throw badValue('hint provided does not correspond to an existing index');
  // An index that lacks documents which could match is used all the same: that is what MongoDB does with a hint.
  return planIndex(index, predicates, sort);
}

function usableIndexes(collection: Collection): CollectionIndex[] {
  return collection.indexes.filter((index) => index.ready);
}

function bestIndex(collection: Collection, predicates: Predicates, sort: readonly KeyField[]): IndexPlan | undefined {
  let best: IndexPlan | undefined;
  for (const index of usableIndexes(collection)) {
    if (!covers(index, predicates)) continue;
    const plan = planIndex(index, predicates, sort);
    if (plan.boundedFields === 0 && !(plan.sorted && sort.length > 0)) continue;
    if (!best || score(plan, sort) > score(best, sort)) best = plan;
  }
  return best;
}

function score(plan: IndexPlan, sort: readonly KeyField[]): number {
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

function impliesExistence(path: string, { fields, conditions }: Predicates): boolean {
  return (
    fields.some((predicate) => predicate.path === path && predicate.impliesExistence) ||
    conditions.some((entry) => entry.path === path && entry.operator === '$exists' && isTruthy(entry.operand))
  );
}

/** True when each condition of a partial filter certainly holds for what matches the query. */
function implies(predicates: Predicates, partialFilter: Document): boolean {
  const { alternatives, conditions } = readPredicates(partialFilter);
  return alternatives.length === 0 && conditions.length > 0 && conditions.every((one) => impliesOne(predicates, one));
}

function impliesOne(predicates: Predicates, { path, operator, operand }: Condition): boolean {
  const onPath = predicates.conditions.filter((condition) => condition.path === path);
  if (onPath.some((one) => one.operator === operator && equalValues(one.operand, operand))) return true;
  if (operator === '$exists' && isTruthy(operand)) return impliesExistence(path, predicates);
  const equal = predicates.fields.find((predicate) => predicate.path === path && predicate.equals)?.equals;
  if (!equal || path.includes('.')) return false;
  return compileFilter({ [path]: { [operator]: operand } })({ [path]: equal.value });
}

/** The walk over one index that the filter's predicates allow. */
function planIndex(index: CollectionIndex, predicates: Predicates, sort: readonly KeyField[]): IndexPlan {
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
    intervals: intervals ?? [ALL_KEYS],
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
function directionFor(index: CollectionIndex, sort: readonly KeyField[], fixed: Set<string>): 1 | -1 | undefined {
  const wanted = sort.filter((field) => !fixed.has(field.path));
  let direction: 1 | -1 | undefined;
  let next = 0;
  for (const field of index.definition.fields) {
    if (next === wanted.length) break;
    if (fixed.has(field.path)) continue;
    const sortField = wanted[next] as KeyField;
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
