import { type Owner, scopeKey } from '@chorus/contract';
import type { Database, TextKind } from '@chorus/database';
import { invalidCursor } from '@chorus/database';
import { analyzedSlices, queryTerms, type Search } from '../index.ts';

export interface TextSearchParts {
  database: Pick<Database, 'texts'>;
  search: Pick<Search, 'texts'>;
}

export interface TextQuery {
  kind: TextKind;
  owner: Owner;
  ofMaker: boolean;
  text: string;
}

/** Limits for records, and their characters, that are searched before they are indexed. */
const MAX_UNINDEXED = 1_000;
const MAX_UNINDEXED_CHARS = 4_000_000;

/** Growing batch sizes: most searches end with the first. Their sum is the index's limit. */
const BATCHES = [200, 800, 3_000, 6_000];

/**
 * Yields ids of records with at least one of the words, in batches, best first. Records not indexed yet come
 * before all others, those with the most words first.
 *
 * Some may be deleted or hidden by now, so callers read them again.
 * @throws {ChorusError} store_unavailable
 */
export async function* findTexts(parts: TextSearchParts, query: TextQuery): AsyncGenerator<string[]> {
  const { kind, owner, ofMaker, text } = query;
  const terms = queryTerms(text);
  if (terms === '') return;
  // Read before searching the index: records that leave this list are in the index by then.
  const unindexed = await parts.database.texts.listUnindexedOf(kind, owner, { ofMaker, limit: MAX_UNINDEXED });
  const wanted = new Set(terms.split(' '));
  const counted: { id: string; count: number }[] = [];
  let chars = 0;
  for (const record of unindexed) {
    chars += record.text.length;
    if (counted.length > 0 && chars > MAX_UNINDEXED_CHARS) break;
    counted.push({ id: record.id, count: await countTerms(record.text, wanted) });
  }
  const fresh = counted.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
  if (fresh.length > 0) yield fresh.map(({ id }) => id);

  // The index still has the old words of these records.
  const known = new Set(counted.map(({ id }) => id));
  const table = await parts.search.texts(kind);
  const userId = ofMaker ? owner.user_id : undefined;
  let after = 0;
  for (const limit of BATCHES) {
    const hits = await table.find({ scopeKey: scopeKey(owner), userId, text, limit, after });
    const ids = hits.map(({ id }) => id).filter((id) => !known.has(id));
    if (ids.length > 0) yield ids;
    if (hits.length < limit) return;
    after += limit;
  }
}

async function countTerms(text: string, wanted: ReadonlySet<string>): Promise<number> {
  const found = new Set<string>();
  for await (const slice of analyzedSlices(text)) {
    for (const term of slice.split(' ')) if (wanted.has(term)) found.add(term);
    if (found.size === wanted.size) break;
  }
  return found.size;
}

const FORM = /^r(\d{1,5})$/;

export const isRankCursor = (cursor: string): boolean => FORM.test(cursor);

/** Returns how many results come before a page, from its cursor. @throws {ChorusError} invalid_request */
export function rankOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, rank] = FORM.exec(cursor) ?? [];
  if (rank === undefined) throw invalidCursor();
  return Number(rank);
}

export const rankCursor = (rank: number): string => `r${rank}`;
