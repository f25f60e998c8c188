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

export type CheckedItem = { item: BatchItem & { kind: BatchKind } } | { problems: ErrorDetail[] };

/** Maximum nesting of a body. Valid requests have far less. */
export const MAX_DEPTH = 32;

const MAX_DETAILS = 20;

/** Stand-in for a reference during the check. Most references are asset ids, and an id is also a valid text. */
const PLACEHOLDER = 'ast_00000000000000000000000000';

/** Merges the batch's defaults into a body, unless they are for another kind. */
export function mergeBody(
  batch: { kind?: BatchKind | null | undefined; defaults: Record<string, unknown> },
  kind: BatchKind,
  body: Record<string, unknown>,
): Record<string, unknown> {
  return batch.kind == null || batch.kind === kind ? { ...batch.defaults, ...body } : body;
}

/**
 * Checks the fields of one item, and its body with the batch's defaults as a request of its kind. References are
 * checked when they are resolved.
 *
 * @param at place of the item, for errors: `body.items.17`
 */
export function checkItem(head: BatchHead, given: unknown, at: string): CheckedItem {
  const parsed = parseBounded(batchItem, given);
  if (!parsed.success) return { problems: describeIssues(parsed.error.issues, at) };
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
  // Without `after`, text that looks like a reference is plain text.
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
    details.push({ path: `${at}.stream`, message: 'is not supported for items of a batch: follow the batch instead' });
  if (details.length > 0) return details;
  const schema = BATCH_BODIES[kind];
  const checked = references.length === 0 ? body : withPlaceholders(body);
  const parsed = parseBounded(schema, checked);
  if (parsed.success) return [];
  const places = references.map(({ place }) => place);
  // The format of a reference is checked when it is resolved, but exclusive fields (`custom`) are checked now.
  const issues = parsed.error.issues.filter((issue) => {
    const ofFields = issue.code === 'custom' && issue.params?.ofFormat !== true;
    return ofFields || !places.some((place) => isWithin(issue.path, place));
  });
  return describeIssues(issues, at);
}

/** Returns whether a value contains a `$from` reference. References within texts do not count. */
function holdsReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '$from') || Object.values(value).some(holdsReference);
}

/** Replaces each reference, and each text with one, with the stand-in. */
function withPlaceholders(value: unknown): unknown {
  if (typeof value === 'string') return findReferences(value).references.length > 0 ? PLACEHOLDER : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, '$from')) return PLACEHOLDER;
  if (Array.isArray(value)) return value.map(withPlaceholders);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withPlaceholders(inner)]));
}

function isWithin(path: readonly PropertyKey[], place: Place): boolean {
  return place.length <= path.length && place.every((step, index) => String(path[index]) === String(step));
}

/** Returns whether a JSON value nests deeper than `levels`. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestsDeeperThan(levels - 1, inner));
}
