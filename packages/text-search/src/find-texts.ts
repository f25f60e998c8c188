import { type Owner, scopeKey } from '@chorus/contract';
import type { Database, TextKind } from '@chorus/database';
import { queryTerms, type Search } from '@chorus/search';
import { countTerms } from './count-terms.ts';

export interface TextSearchParts {
  database: Pick<Database, 'texts'>;
  search: Pick<Search, 'texts'>;
}

export interface TextQuery {
  kind: TextKind;
  owner: Owner;
  /** Whether only what the owner made is looked at; else all of the scope. */
  ofMaker: boolean;
  text: string;
}

/** Records, and characters of them, that are searched as they stand, before the index has them; what is beyond has to wait for it. */
const UNINDEXED = 1_000;
const UNINDEXED_CHARS = 4_000_000;

/** Hits that come at once, more and more of them: most searches end with the first. Together they are what the index gives at most. */
const BATCHES = [200, 800, 3_000, 6_000];

/**
 * Ids of the records that hold at least one of the words, in batches, the best first: those that were written in the last moments stand before all others,
 * the most of the words first. Some may be gone by now, or be hidden for another reason: whoever shows them reads them again.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function* findTexts(parts: TextSearchParts, query: TextQuery): AsyncGenerator<string[]> {
  const { kind, owner, ofMaker, text } = query;
  const terms = queryTerms(text);
  if (terms === '') return;
  // First what the index may not have: whatever leaves this list is in the index before, and found there then.
  const unindexed = await parts.database.texts.unindexedOf(kind, owner, { ofMaker, limit: UNINDEXED });
  const wanted = new Set(terms.split(' '));
  const counted: { id: string; count: number }[] = [];
  let chars = 0;
  for (const record of unindexed) {
    chars += record.text.length;
    if (counted.length > 0 && chars > UNINDEXED_CHARS) break;
    counted.push({ id: record.id, count: await countTerms(record.text, wanted) });
  }
  const fresh = counted.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
  if (fresh.length > 0) yield fresh.map(({ id }) => id);

  // What the index says of those is of words that have changed.
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
