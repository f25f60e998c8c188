import { ChorusError } from '@chorus/contract';
import type { Table } from '@lancedb/lancedb';
import { queryTerms } from '../analysis/query-terms.ts';
import type { ChunkMemory } from '../memory/chunk-memory.ts';
import type { SearchMemory } from '../memory/search-memory.ts';
import type { ChunkQuery, Hit, VectorSpace } from '../search.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { all, literal, literals, oneOf } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { findByVector } from './find-by-vector.ts';
import { fuseScores, type Scored } from './fuse-scores.ts';
import { type RowScores, readRowScores } from './row-scores.ts';

/** How many candidates each side offers for each hit that is wanted, and at least. */
const CANDIDATES_FOR_EACH = 4;
const LEAST_CANDIDATES = 50;

/**
 * The chunks of a scope that fit best: by words, by vector, or by both. Both sides are asked for numbers of rows; only what becomes a hit is read.
 *
 * @param snapshot opens the table as it is now; for who opened it, it stays so: no commit comes between the steps of a search
 */
export async function findChunks(
  snapshot: () => Promise<Table>,
  memory: SearchMemory,
  space: VectorSpace,
  asked: ChunkQuery,
): Promise<Hit[]> {
  const { scopeKey, vector, weight, limit } = asked;
  const isFiltered = asked.tags !== undefined || asked.entryIds !== undefined;
  if (vector && vector.length !== space.dimensions)
    throw new ChorusError(
      'invalid_request',
      `The vector has ${vector.length} dimensions; those of ${space.name} have ${space.dimensions}.`,
    );
  // Where no word could be found the vector alone decides, not its share.
  const terms = asked.text === undefined ? '' : queryTerms(asked.text);
  const share = terms === '' ? 1 : vector === undefined ? 0 : Math.min(1, Math.max(0, weight));
  const where = conditionOf(asked);
  const wanted = Math.max(limit * CANDIDATES_FOR_EACH, LEAST_CANDIDATES);
  const table = await withRetries(snapshot);
  try {
    const [relevances, nearest] = await Promise.all([
      share < 1 ? findByWords(table, terms, where, wanted) : NOTHING,
      vector && share > 0 ? findByVector(table, { scopeKey, vector, where, isFiltered, limit: wanted }, memory) : null,
    ]);
    const rows = [...new Set([...relevances.keys(), ...(nearest?.rows ?? [])])];
    // What was found by its words is compared by its vector, too.
    const similarities = nearest === null ? NOTHING : await nearest.similarities(rows);
    const candidates = rows.map((row) => ({
      row,
      relevance: relevances.get(row) ?? 0,
      similarity: similarities.get(row) ?? null,
    }));
    return await readHits(table, asked, fuseScores(candidates, share, limit), memory.chunks);
  } finally {
    table.close();
  }
}

const NOTHING: RowScores = new Map();

const conditionOf = ({ scopeKey, tags, entryIds }: ChunkQuery): string =>
  all(
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

/** Reads the rows that were chosen, the best first. */
async function readHits(
  table: Table,
  { scopeKey }: ChunkQuery,
  scored: readonly Scored[],
  memory: ChunkMemory,
): Promise<Hit[]> {
  const rows = scored.map(({ row }) => row);
  const chunks = await memory.read(table, scopeKey, rows);
  const hits = scored.flatMap(({ row, ...scores }) => {
    const chunk = chunks.get(row);
    return chunk === undefined
      ? []
      : { ...chunk, tags: [...chunk.tags], heading_path: [...chunk.heading_path], ...scores };
  });
  return hits.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}
