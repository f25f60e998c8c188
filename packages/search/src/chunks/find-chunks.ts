import { ChorusError } from '@chorus/contract';
import type { Table } from '@lancedb/lancedb';
import { queryTerms } from '../analysis/analyze.ts';
import type { ChunkCache } from '../cache/chunk-cache.ts';
import type { SearchCache } from '../cache/search-cache.ts';
import type { ChunkQuery, Hit, VectorSpace } from '../search.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { allOf, literal, literals, oneOf } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { findByVector, type RowScores, readRowScores } from './find-by-vector.ts';
import { fuseScores, type Scored } from './fuse-scores.ts';

/** Candidates of each side per requested hit, and at least. */
const CANDIDATES_PER_HIT = 4;
const MIN_CANDIDATES = 50;

/**
 * Finds the best chunks of a scope by words, by vector, or both. Both sides return row numbers; only hits are
 * read.
 *
 * @param snapshot opens the table at its current version, so that no commit comes between the steps of a search
 */
export async function findChunks(
  snapshot: () => Promise<Table>,
  cache: SearchCache,
  space: VectorSpace,
  asked: ChunkQuery,
): Promise<Hit[]> {
  const { scopeKey, vector, weight, limit } = asked;
  const isFiltered = asked.tags !== undefined || asked.entryIds !== undefined;
  if (vector && vector.length !== space.dimensions)
    throw new ChorusError(
      'invalid_request',
      `The vector has ${vector.length} dimensions; ${space.name} needs ${space.dimensions}.`,
    );
  // Without searchable words, the vector alone decides.
  const terms = asked.text === undefined ? '' : queryTerms(asked.text);
  const share = terms === '' ? 1 : vector === undefined ? 0 : Math.min(1, Math.max(0, weight));
  const where = conditionOf(asked);
  const wanted = Math.max(limit * CANDIDATES_PER_HIT, MIN_CANDIDATES);
  const table = await withRetries(snapshot);
  try {
    const [relevances, nearest] = await Promise.all([
      share < 1 ? findByWords(table, terms, where, wanted) : NOTHING,
      vector && share > 0 ? findByVector(table, { scopeKey, vector, where, isFiltered, limit: wanted }, cache) : null,
    ]);
    const rows = [...new Set([...relevances.keys(), ...(nearest?.rows ?? [])])];
    // Rows found by words are compared by vector too.
    const similarities = nearest === null ? NOTHING : await nearest.similarities(rows);
    const candidates = rows.map((row) => ({
      row,
      relevance: relevances.get(row) ?? 0,
      similarity: similarities.get(row) ?? null,
    }));
    return await readHits(table, asked, fuseScores(candidates, share, limit), cache.chunks);
  } finally {
    table.close();
  }
}

const NOTHING: RowScores = new Map();

const conditionOf = ({ scopeKey, tags, entryIds }: ChunkQuery): string =>
  allOf(
    `scope_key = ${literal(scopeKey)}`,
    'live = true',
    entryIds === undefined ? null : oneOf('entry_id', entryIds),
    tags === undefined ? null : anyTag(tags),
  );

const anyTag = (tags: readonly string[]): string =>
  tags.length === 0 ? 'false' : `array_has_any(tags, [${literals(tags)}])`;

async function findByWords(table: Table, terms: string, where: string, limit: number): Promise<RowScores> {
  const { MatchQuery } = await loadLanceDB();
  return readRowScores(
    table.query().fullTextSearch(new MatchQuery(terms, 'terms')).where(where).limit(limit),
    '_score',
  );
}

async function readHits(
  table: Table,
  { scopeKey }: ChunkQuery,
  scored: readonly Scored[],
  cache: ChunkCache,
): Promise<Hit[]> {
  const rows = scored.map(({ row }) => row);
  const chunks = await cache.read(table, scopeKey, rows);
  const hits = scored.flatMap(({ row, ...scores }) => {
    const chunk = chunks.get(row);
    return chunk === undefined
      ? []
      : { ...chunk, tags: [...chunk.tags], heading_path: [...chunk.heading_path], ...scores };
  });
  return hits.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}
