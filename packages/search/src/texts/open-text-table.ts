import { ChorusError } from '@chorus/contract/errors';
import type { Connection, FullTextQuery, Table } from '@lancedb/lancedb';
import { z } from 'zod';
import { analyze, queryTerms, queryWords } from '../analysis/analyze.ts';
import { analyzedSlices } from '../analysis/analyzed-slices.ts';
import type { TextHit, TextQuery, TextRow, TextTable } from '../search.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { openTable } from '../store/open-table.ts';
import { allOf, literal, oneOf } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { TERMS, WORDS, wordsOf } from '../store/words.ts';

const MAX_AT_ONCE = 1_000;

const MAX_DEPTH = 10_000;

const SEARCH_MS = 15_000;

export async function openTextTable(connection: Connection, name: string): Promise<TextTable> {
  const filters = { id: 'btree', scope_key: 'btree', user_id: 'btree' } as const;
  const { TEXT_SCHEMA } = await import('./text-schema.ts');
  return textTable(await openTable(connection, { name, schema: TEXT_SCHEMA, filters }));
}

function textTable(table: Table): TextTable {
  const remove = async (condition: string) => {
    await withRetries(() => table.delete(condition));
  };
  return {
    put: (rows) => put(table, rows),
    remove: async (ids) => {
      assertLimit(ids.length);
      if (ids.length > 0) await remove(oneOf('id', ids));
    },
    removeScope: (scopeKey) => remove(`scope_key = ${literal(scopeKey)}`),
    find: (query) => find(table, query),
    count: ({ scopeKey } = {}) =>
      withRetries(() => table.countRows(scopeKey === undefined ? undefined : `scope_key = ${literal(scopeKey)}`)),
  };
}

async function put(table: Table, rows: readonly TextRow[]): Promise<void> {
  assertLimit(rows.length);
  if (rows.length === 0) return;
  const [{ makeArrowTable }, { TEXT_SCHEMA }] = await Promise.all([loadLanceDB(), import('./text-schema.ts')]);
  // The engine would store a repeated id twice.
  const last = new Map(rows.map((row) => [row.id, row]));
  const stored: Record<string, unknown>[] = [];
  for (const { text, facts, ...row } of last.values()) {
    const terms = await indexTerms(text);
    stored.push({ ...row, facts: JSON.stringify(facts), terms, words: wordsOf(terms) });
  }
  const data = makeArrowTable(stored, { schema: TEXT_SCHEMA });
  await withRetries(() => table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(data));
}

async function find(table: Table, query: TextQuery): Promise<TextHit[]> {
  const { scopeKey, userId, text, everyWord = false, limit } = query;
  if (queryTerms(text) === '') return [];
  if (limit > MAX_DEPTH) throw new ChorusError('invalid_request', `A search finds at most ${MAX_DEPTH} texts.`);
  const fullText = everyWord ? await matchEvery(queryWords(text)) : await matchAny(queryTerms(text));
  const readsTerms = everyWord && limit <= MAX_PHRASE_ROWS;
  const phrase = ` ${analyze(text)} `;
  const where = allOf(`scope_key = ${literal(scopeKey)}`, userId === undefined ? null : `user_id = ${literal(userId)}`);
  const rows: unknown[] = await withRetries(() =>
    table
      .query()
      .fullTextSearch(fullText)
      .where(where)
      .select(['id', 'facts', '_score', ...(readsTerms ? [TERMS] : [])])
      .limit(limit)
      .toArray({ timeoutMs: SEARCH_MS }),
  );
  const hits = new Map(rows.map((row) => readHit(row, phrase)).map((hit) => [hit.id, hit]));
  return [...hits.values()].sort(
    (one, other) =>
      Number(other.isPhrase) - Number(one.isPhrase) || other.score - one.score || (one.id < other.id ? -1 : 1),
  );
}

/** The index has no positions, so phrases are found by reading the terms of this many hits. */
const MAX_PHRASE_ROWS = 200;

async function matchAny(terms: string): Promise<FullTextQuery> {
  const { MatchQuery } = await loadLanceDB();
  return new MatchQuery(terms, WORDS);
}

async function matchEvery(words: readonly string[][]): Promise<FullTextQuery> {
  const { BooleanQuery, MatchQuery, Occur } = await loadLanceDB();
  return new BooleanQuery(words.map((terms) => [Occur.Must, new MatchQuery(terms.join(' '), WORDS)]));
}

const found = z.object({ id: z.string(), facts: z.string(), _score: z.number(), terms: z.string().optional() });
const facts = z.record(z.string(), z.union([z.string(), z.number()]));

function readHit(row: unknown, phrase: string): TextHit {
  const hit = found.parse(row);
  const isPhrase = hit.terms !== undefined && ` ${hit.terms} `.includes(phrase);
  return { id: hit.id, score: hit._score, isPhrase, facts: facts.parse(JSON.parse(hit.facts)) };
}

function assertLimit(count: number): void {
  if (count > MAX_AT_ONCE)
    throw new ChorusError('invalid_request', `At most ${MAX_AT_ONCE} texts can be stored or removed at once.`);
}

/** In texts above this many characters, word frequency means little, so each term is kept once. */
const LONG_CHARS = 200_000;

const MAX_TERMS = 500_000;

async function indexTerms(text: string): Promise<string> {
  if (text.length <= LONG_CHARS) return (await Array.fromAsync(analyzedSlices(text))).join(' ');
  const terms = new Set<string>();
  for await (const slice of analyzedSlices(text)) {
    for (const term of slice.split(' ')) terms.add(term);
    if (terms.size > MAX_TERMS) break;
  }
  return [...terms].join(' ');
}
