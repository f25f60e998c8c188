import { type Owner, scopeKey } from '@chorus/contract';
import type { Database, TextKind } from '@chorus/database';
import { invalidCursor } from '@chorus/database';
import { analyze, analyzedSlices, queryWords, type Search, type TextHit } from '../index.ts';

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

/** Limits of records, and of their characters, that are searched before they are indexed. */
const MAX_UNINDEXED = 1_000;
const MAX_UNINDEXED_CHARS = 4_000_000;

/** Searches get deeper as needed. Most end at the first depth. The last is the index's limit. */
const DEPTHS = [200, 1_000, 4_000, 10_000];

/** Limit of words: more do not make a search clearer, but each costs a posting list. */
const MAX_WORDS = 32;

/**
 * Yields ids of records with at least one of the words, in batches, best first: first those with every word, phrases
 * before others, and then the rest.
 *
 * Some may be deleted or hidden by now, so callers read them again.
 * @throws {ChorusError} store_unavailable
 */
export async function* findTexts(parts: TextSearchParts, query: TextQuery): AsyncGenerator<string[]> {
  const seen = new Set<string>();
  for (const find of [findEveryWord, findAnyWord]) {
    for await (const batch of find(parts, query)) {
      const fresh = batch.filter((id) => !seen.has(id));
      for (const id of fresh) seen.add(id);
      if (fresh.length > 0) yield fresh;
    }
  }
}

/** Like `findTexts`, but only records with every word. Yields nothing for a single word, or for very many. */
export async function* findEveryWord(parts: TextSearchParts, query: TextQuery): AsyncGenerator<string[]> {
  const words = queryWords(query.text);
  if (words.length < 2 || words.length > MAX_WORDS) return;
  const { known, matches } = await findUnindexed(parts, query, words);
  const fresh = matches.filter(({ count }) => count === words.length);
  const idsOf = (some: readonly { id: string; isPhrase: boolean }[], isPhrase: boolean) =>
    some.filter((one) => one.isPhrase === isPhrase).map(({ id }) => id);
  let isFirst = true;
  for await (const hits of indexed(parts, query, { everyWord: true })) {
    const old = hits.filter(({ id }) => !known.has(id));
    const [phrases, others] = isFirst ? [idsOf(fresh, true), idsOf(fresh, false)] : [[], []];
    yield [...phrases, ...idsOf(old, true), ...others, ...idsOf(old, false)];
    isFirst = false;
  }
}

/** Like `findTexts`, without looking for records with every word first. */
export async function* findAnyWord(parts: TextSearchParts, query: TextQuery): AsyncGenerator<string[]> {
  const words = queryWords(query.text);
  if (words.length === 0) return;
  const { known, matches } = await findUnindexed(parts, query, words);
  yield matches.map(({ id }) => id);
  for await (const hits of indexed(parts, query, { everyWord: false }))
    yield hits.map(({ id }) => id).filter((id) => !known.has(id));
}

/** Yields hits of the index, each once, in at least one batch. */
async function* indexed(
  { search }: TextSearchParts,
  { kind, owner, ofMaker, text }: TextQuery,
  { everyWord }: { everyWord: boolean },
): AsyncGenerator<TextHit[]> {
  const table = await search.texts(kind);
  const userId = ofMaker ? owner.user_id : undefined;
  const seen = new Set<string>();
  for (const limit of DEPTHS) {
    const hits = await table.find({ scopeKey: scopeKey(owner), userId, text, everyWord, limit });
    yield hits.filter(({ id }) => !seen.has(id));
    if (hits.length < limit) return;
    for (const { id } of hits) seen.add(id);
  }
}

interface Match {
  id: string;
  /** How many of the words the text has. */
  count: number;
  isPhrase: boolean;
}

/**
 * Searches records that are not indexed yet, best first. `known`: all that were searched, since the index still has
 * their old words. Call this before searching the index, which contains the records that leave this list meanwhile.
 */
async function findUnindexed(
  { database }: TextSearchParts,
  { kind, owner, ofMaker, text }: TextQuery,
  words: readonly string[][],
): Promise<{ known: ReadonlySet<string>; matches: Match[] }> {
  const unindexed = await database.texts.listUnindexedOf(kind, owner, { ofMaker, limit: MAX_UNINDEXED });
  const known = new Set<string>();
  const matches: Match[] = [];
  let chars = 0;
  for (const record of unindexed) {
    chars += record.text.length;
    if (known.size > 0 && chars > MAX_UNINDEXED_CHARS) break;
    known.add(record.id);
    const match = await matchText(record.text, words, analyze(text));
    if (match.count > 0) matches.push({ id: record.id, ...match });
  }
  matches.sort((one, other) => Number(other.isPhrase) - Number(one.isPhrase) || other.count - one.count);
  return { known, matches };
}

async function matchText(text: string, words: readonly string[][], phrase: string): Promise<Omit<Match, 'id'>> {
  const missing = new Set(words);
  let isPhrase = false;
  for await (const slice of analyzedSlices(text)) {
    const terms = new Set(slice.split(' '));
    for (const word of missing) if (word.some((term) => terms.has(term))) missing.delete(word);
    isPhrase ||= ` ${slice} `.includes(` ${phrase} `);
    if (isPhrase) break;
  }
  return { count: isPhrase ? words.length : words.length - missing.size, isPhrase };
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
