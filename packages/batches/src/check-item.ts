import {
  BATCH_BODIES,
  type BatchHead,
  type BatchItem,
  type BatchKind,
  batchItem,
  describeIssues,
  type ErrorDetail,
  parseBounded,
} from '@chorus/contract';
import { findReferences, type Place } from './references.ts';

/** An item as it will be stored, or what is wrong with it. */
export type CheckedItem = { item: BatchItem & { kind: BatchKind } } | { problems: ErrorDetail[] };

/** Bodies nest no deeper; what does is no request of ours. */
export const MAX_DEPTH = 32;

/** Mistakes of one item that are told. */
const MAX_DETAILS = 20;

/** Stands in place of a reference while a body is checked: most that can be referred to are ids of assets, and they are texts too. */
const STAND_IN = 'ast_00000000000000000000000000';

/** A body as its kind's request reads it: what it leaves out comes from the batch's defaults, unless they are those of another kind. */
export function mergeBody(
  batch: { kind?: BatchKind | null | undefined; defaults: Record<string, unknown> },
  kind: BatchKind,
  body: Record<string, unknown>,
): Record<string, unknown> {
  return batch.kind == null || batch.kind === kind ? { ...batch.defaults, ...body } : body;
}

/**
 * Checks one item by itself: its fields, and its body with the batch's defaults as a request of its kind. What stands in place of a reference
 * is checked when it is known.
 *
 * @param at where the item stands, for errors: `body.items.17`
 */
export function checkItem(head: BatchHead, given: unknown, at: string): CheckedItem {
  const parsed = parseBounded(batchItem, given);
  if (!parsed.success) return { problems: describeIssues(batchItem, parsed.error.issues, at) };
  const item = parsed.data;
  const kind = item.kind ?? head.kind;
  if (kind === undefined) {
    const message = 'is required where the batch has no `kind`';
    return { problems: [{ path: `${at}.kind`, message }] };
  }
  const problems = checkBody(kind, mergeBody(head, kind, item.body), item.after, `${at}.body`);
  return problems.length > 0 ? { problems } : { item: { ...item, kind } };
}

function checkBody(
  kind: BatchKind,
  body: Record<string, unknown>,
  after: readonly string[],
  at: string,
): ErrorDetail[] {
  if (nestsDeeperThan(MAX_DEPTH, body)) return [{ path: at, message: `must nest at most ${MAX_DEPTH} levels deep` }];
  // Of an item that comes after none, what looks like a reference in a text is text.
  const { references, problems } =
    after.length > 0 || holdsReference(body) ? findReferences(body) : { references: [], problems: [] };
  const details = problems.map(({ place, message }) => ({ path: [at, ...place].join('.'), message }));
  for (const { place, item } of references) {
    if (details.length >= MAX_DETAILS) break;
    if (after.includes(item)) continue;
    details.push({
      path: [at, ...place].join('.'),
      message: `refers to item ${JSON.stringify(item)}, which \`after\` does not name`,
    });
  }
  if (body.stream === true)
    details.push({ path: `${at}.stream`, message: 'items of a batch are not streamed; follow the batch' });
  if (details.length > 0) return details;
  const schema = BATCH_BODIES[kind];
  const checked = references.length === 0 ? body : withStandIns(body);
  const parsed = parseBounded(schema, checked);
  if (parsed.success) return [];
  const places = references.map(({ place }) => place);
  // What form it must have is seen when it is known; what excludes what (`custom`) is seen now.
  const issues = parsed.error.issues.filter(
    ({ code, path }) => code === 'custom' || !places.some((place) => isWithin(path, place)),
  );
  return describeIssues(schema, issues, at);
}

/** Whether a value somewhere in it is written as a reference; texts do not count. */
function holdsReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '$from') || Object.values(value).some(holdsReference);
}

/** The body with a text in place of each value that is a reference, or a text with one in it. */
function withStandIns(value: unknown): unknown {
  if (typeof value === 'string') return findReferences(value).references.length > 0 ? STAND_IN : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, '$from')) return STAND_IN;
  if (Array.isArray(value)) return value.map(withStandIns);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withStandIns(inner)]));
}

function isWithin(path: readonly PropertyKey[], place: Place): boolean {
  return place.length <= path.length && place.every((step, index) => String(path[index]) === String(step));
}

/** Whether a value parsed from JSON nests deeper than that. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestsDeeperThan(levels - 1, inner));
}
