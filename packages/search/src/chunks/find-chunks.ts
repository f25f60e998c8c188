import { ChorusError } from '@chorus/contract/errors';
import type { Table } from '@lancedb/lancedb';
import { queryTerms } from '../analysis/analyze.ts';
import type { ScopeIndex } from '../cache/scope-index.ts';
import type { SearchCache } from '../cache/search-cache.ts';
import type { ChunkQuery, Hit, VectorSpace } from '../search.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { readRows } from '../store/read-rows.ts';
import { allOf, literal, literals, oneOf } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { WORDS } from '../store/words.ts';
import { findByVector, type RowScores, readRowScores, readSimilarities } from './find-by-vector.ts';
import { fuseScores, type Scored } from './fuse-scores.ts';

/** Candidates of each side: per requested hit, and the minimum. */
const CANDIDATES_PER_HIT = 4;
const MIN_CANDIDATES = 50;

/**
 * Finds the best chunks of a scope by words, by vector, or both: in memory if the scope is small, otherwise with the
 * engine's indexes.
 *
 * @param snapshot opens the table at its current version, so that no commit comes between the steps of a search
 */
export async function findChunks(
  snapshot: () => Promise<Table>,
  cache: SearchCache,
  space: VectorSpace,
  asked: ChunkQuery,
): Promise<Hit[]> {
  const { vector: wanted } = asked;
  const arriving = wanted instanceof Promise ? wanted : null;
  // Awaited below, unless an earlier step throws.
  arriving?.catch(() => undefined);
  const vectorOf = async () => checked((await wanted) ?? null, space);
  if (arriving === null) await vectorOf();
  const table = await withRetries(snapshot);
  try {
    const index = await cache.scopes.get(table, asked.scopeKey);
    // Another search may have read a later version meanwhile.
    if (index !== null && index.version !== (await table.version()))
      await withRetries(() => table.checkout(index.version));
    const among = index === null ? null : await filterIn(table, index, asked);
    const vector = await vectorOf();
    const limits = limitsOf(asked, vector);
    const scored =
      index === null ? await findInTable(table, asked, vector, limits) : findInMemory(index, among, vector, limits);
    const rows = scored.map(({ place }) => place);
    const chunks = await cache.chunks.read(table, asked.scopeKey, rows);
    const hits = scored.flatMap(({ place, ...scores }): Hit[] => {
      const chunk = chunks.get(place);
      // Copies a cached chunk, since callers may change hits.
      return chunk === undefined
        ? []
        : [{ ...chunk, tags: [...chunk.tags], heading_path: [...chunk.heading_path], ...scores }];
    });
    return hits.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
  } finally {
    table.close();
  }
}

function checked(vector: Float32Array | null, { name, dimensions }: VectorSpace): Float32Array | null {
  if (vector === null || vector.length === dimensions) return vector;
  throw new ChorusError('invalid_request', `The vector has ${vector.length} dimensions; ${name} needs ${dimensions}.`);
}

interface Limits {
  terms: string;
  /** Weight of the vector. */
  share: number;
  limit: number;
  /** Candidates of each side. */
  candidates: number;
}

function limitsOf({ text, weight, limit }: ChunkQuery, vector: Float32Array | null): Limits {
  // Without searchable words, the vector alone decides.
  const terms = text === undefined ? '' : queryTerms(text);
  const share = terms === '' ? 1 : vector === null ? 0 : Math.min(1, Math.max(0, weight));
  return { terms, share, limit, candidates: Math.max(limit * CANDIDATES_PER_HIT, MIN_CANDIDATES) };
}

/** Returns the slots that tags and entries allow, or null for all. Asks the engine, since the index lacks them. */
async function filterIn(table: Table, index: ScopeIndex, asked: ChunkQuery): Promise<Uint8Array | null> {
  if (asked.tags === undefined && asked.entryIds === undefined) return null;
  return index.slotsOf(await readRows(table.query().where(conditionOf(asked))));
}

function findInMemory(
  index: ScopeIndex,
  among: Uint8Array | null,
  vector: Float32Array | null,
  limits: Limits,
): Scored<bigint>[] {
  const { terms, share, candidates } = limits;
  const relevances = share < 1 ? index.findByWords(terms.split(' '), candidates, among) : new Map<number, number>();
  const near = vector !== null && share > 0 ? index.findByVector(vector, candidates, among) : null;
  const similarities = new Map(near?.nearest);
  // Rows found by words are also compared by vector.
  for (const slot of near === null ? [] : relevances.keys()) {
    const cosine = near?.cosineOf(slot) ?? null;
    if (cosine !== null) similarities.set(slot, cosine);
  }
  return fuseScores(relevances, similarities, limits).map((one) => ({ ...one, place: index.rowAt(one.place) }));
}

/** Both sides return row numbers. */
async function findInTable(
  table: Table,
  asked: ChunkQuery,
  vector: Float32Array | null,
  limits: Limits,
): Promise<Scored<bigint>[]> {
  const { terms, share, candidates } = limits;
  const where = conditionOf(asked);
  const near = vector !== null && share > 0 ? vector : null;
  const [relevances, nearest] = await Promise.all([
    share < 1 ? findByWords(table, terms, where, candidates) : NOTHING,
    near === null ? [] : findByVector(table, near, where, candidates),
  ]);
  const rows = [...new Set([...relevances.keys(), ...nearest])];
  const similarities = near === null ? NOTHING : await readSimilarities(table, rows, near);
  return fuseScores(relevances, similarities, limits);
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
  return readRowScores(table.query().fullTextSearch(new MatchQuery(terms, WORDS)).where(where).limit(limit), '_score');
}
