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
import { descending, type Interval, intersection, withPrefix } from './bounds.ts';
import { type Condition, type Predicate, type Predicates, readPredicates } from './predicates.ts';

/** How to find a query's candidates. Unless `exact`, the filter is then applied to each. */
export type Plan =
  | { kind: 'nothing'; exact: true }
  | { kind: 'id'; key: Buffer; exact: boolean }
  | IndexPlan
  | { kind: 'union'; branches: Plan[]; exact: false }
  | { kind: 'collection'; backwards: boolean; sorted: boolean; exact: boolean };

export interface IndexPlan {
  kind: 'index';
  index: CollectionIndex;
  intervals: Interval[];
  backwards: boolean;
  sorted: boolean;
  exact: boolean;
  pointFields: number;
  boundedFields: number;
}

/** Further fields are left to the filter once the combinations exceed this. */
const MAX_INTERVALS = 1000;
const ALL_KEYS: Interval = { lower: Buffer.alloc(0), upper: Buffer.of(0xff), point: false };

/**
 * Chooses how to find a query's candidates. A hint is an index name, an index key, or `{$natural:
 * ±1}`. Throws BadValue for an unknown index.
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

/** Returns the direction of a `$natural` hint. Throws FailedToParse for a malformed hint. */
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
  // Like MongoDB, use the hinted index even if it lacks matching documents.
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
  const { fields, unique, partialFilter } = plan.index.definition;
  if (unique && plan.pointFields === fields.length) return 1000;
  const ranged = plan.boundedFields - plan.pointFields;
  // Of two equal indexes, the partial one has fewer entries.
  return plan.pointFields * 10 + ranged * 6 + (sort.length > 0 && plan.sorted ? 5 : 0) + (partialFilter ? 0.5 : 0);
}

/** True if the index contains every document that can match. */
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

/** True if everything that matches the query also matches the partial filter. */
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
    // Different elements of one array may match two fields below it, which no single key shows.
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
    intervals = prefixes.flatMap((prefix) => placed.map((interval) => withPrefix(prefix, interval)));
    if (!common.every((interval) => interval.point)) break;
    pointFields += 1;
    prefixes = intervals.map((interval) => interval.lower);
  }
  const walk = index.multikey ? undefined : sortDirection(index, sort, fixed);
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

/** Selects the predicates to apply to a path. In a multikey index, each may hold for another key. */
function choosePredicates(fields: Predicate[], path: string, multikey: boolean): Predicate[] {
  const onPath = fields.filter((predicate) => predicate.path === path);
  if (!multikey || onPath.length < 2) return onPath;
  const isPoints = (predicate: Predicate) => predicate.intervals.every((interval) => interval.point);
  return [onPath.find((predicate) => predicate.equals) ?? onPath.find(isPoints) ?? (onPath[0] as Predicate)];
}

/** Returns the scan direction that gives the sort order. Fields with a fixed value do not matter. */
function sortDirection(index: CollectionIndex, sort: readonly KeyField[], fixed: Set<string>): 1 | -1 | undefined {
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

function planAlternatives(collection: Collection, predicates: Predicates): Plan | undefined {
  for (const branches of predicates.alternatives) {
    const plans = branches.map((branch) => planQuery(collection, branch, []));
    const indexed = plans.every((plan) => plan.kind === 'id' || (plan.kind === 'index' && plan.boundedFields > 0));
    if (indexed) return { kind: 'union', branches: plans, exact: false };
  }
  return undefined;
}
