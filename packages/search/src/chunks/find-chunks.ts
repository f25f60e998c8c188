import { ChorusError } from '@chorus/contract';
import type { Table } from '@lancedb/lancedb';
import type { Table as ArrowTable } from 'apache-arrow';
import { queryTerms } from '../analysis/query-terms.ts';
import type { ChunkQuery, Hit, VectorSpace } from '../search.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { all, literal, literals, oneOf } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { STORED_COLUMNS } from './chunk-schema.ts';
import { type Candidate, fuseScores } from './fuse-scores.ts';
import { readChunk } from './read-chunk.ts';

/** How many candidates each side offers for each hit that is wanted, and at least. */
const CANDIDATES_FOR_EACH = 4;
const LEAST_CANDIDATES = 50;

/**
 * How many neighbours an approximate index offers for each candidate, to be compared by their whole vectors: there are several candidates for each
 * hit already.
 */
const REFINE = 1;

/** An entry may be replaced between the two halves of a search: then they are asked again, so often. */
const TRIES = 3;

/** How long each half may take, in milliseconds. */
const SEARCH_MS = 15_000;

/** The chunks of a scope that fit best: by words, by vector, or by both. */
export async function findChunks(table: Table, space: VectorSpace, asked: ChunkQuery): Promise<Hit[]> {
  // Where no word could be found the vector alone decides, not its share.
  const terms = asked.text === undefined ? '' : queryTerms(asked.text);
  const query = { ...asked, text: terms === '' ? undefined : terms };
  if (query.vector && query.vector.length !== space.dimensions)
    throw new ChorusError(
      'invalid_request',
      `The vector has ${query.vector.length} dimensions; those of ${space.name} have ${space.dimensions}.`,
    );
  const where = conditionOf(query);
  const wanted = Math.max(query.limit * CANDIDATES_FOR_EACH, LEAST_CANDIDATES);
  for (let tries = 1; ; tries += 1) {
    const [byText, byVector] = await Promise.all([
      candidatesByText(table, query, where, wanted),
      candidatesByVector(table, query, where, wanted),
    ]);
    const newest = newestBatches([...byText, ...byVector]);
    const isWhole = ({ entryId, batch }: Candidate) => newest.get(entryId) === batch;
    const whole = byText.every(isWhole) && byVector.every(isWhole);
    if (whole || tries === TRIES) return fuseScores(byText.filter(isWhole), byVector.filter(isWhole), query);
  }
}

const conditionOf = ({ scopeKey, tags, entryIds }: ChunkQuery): string =>
  all(
    `scope_key = ${literal(scopeKey)}`,
    'live = true',
    entryIds === undefined ? null : oneOf('entry_id', entryIds),
    tags === undefined ? null : anyTag(tags),
  );

const anyTag = (tags: readonly string[]): string =>
  tags.length === 0 ? 'false' : `array_has_any(tags, [${literals(tags)}])`;

/** `text` is analysed already. */
async function candidatesByText(
  table: Table,
  { text, vector, weight }: ChunkQuery,
  where: string,
  limit: number,
): Promise<Candidate[]> {
  if (text === undefined || (vector && weight >= 1)) return [];
  const { MatchQuery } = await loadLanceDB();
  // Those that were found by words are compared by their vectors too.
  const compared = vector && weight > 0;
  const found = await withRetries(() =>
    table
      .query()
      .fullTextSearch(new MatchQuery(text, 'terms'))
      .where(where)
      .select([...STORED_COLUMNS, 'batch', '_score', ...(compared ? ['vector'] : [])])
      .limit(limit)
      .toArrow({ timeoutMs: SEARCH_MS }),
  );
  const score = found.getChild('_score');
  const vectors = compared ? found.getChild('vector') : null;
  return candidates(found, (row) => {
    const other: { toArray(): Float32Array } | null = vectors?.get(row) ?? null;
    return { relevance: score?.get(row), similarity: vector && other ? cosine(vector, other.toArray()) : null };
  });
}

async function candidatesByVector(
  table: Table,
  { text, vector, weight }: ChunkQuery,
  where: string,
  limit: number,
): Promise<Candidate[]> {
  if (!vector || (text !== undefined && weight <= 0)) return [];
  const found = await withRetries(() =>
    table
      .query()
      .nearestTo(vector)
      .distanceType('cosine')
      .refineFactor(REFINE)
      .where(where)
      .select([...STORED_COLUMNS, 'batch', '_distance'])
      .limit(limit)
      .toArrow({ timeoutMs: SEARCH_MS }),
  );
  // One less the cosine.
  const distance = found.getChild('_distance');
  return candidates(found, (row) => ({ relevance: 0, similarity: 1 - distance?.get(row) }));
}

/** Reads what a fusion needs of each row; the rest of those alone that become hits. */
function candidates(
  found: ArrowTable,
  scoresOf: (row: number) => Pick<Candidate, 'relevance' | 'similarity'>,
): Candidate[] {
  const [id, entryId, batch] = ['id', 'entry_id', 'batch'].map((name) => found.getChild(name));
  return Array.from({ length: found.numRows }, (_, row) => ({
    id: id?.get(row),
    entryId: entryId?.get(row),
    batch: batch?.get(row),
    ...scoresOf(row),
    chunk: () => readChunk(found.get(row)),
  }));
}

/** The newest replacement of each entry: batches sort by their time. */
function newestBatches(candidates: readonly Candidate[]): Map<string, string> {
  const newest = new Map<string, string>();
  for (const { entryId, batch } of candidates) {
    if (batch > (newest.get(entryId) ?? '')) newest.set(entryId, batch);
  }
  return newest;
}

function cosine(one: Float32Array, other: Float32Array): number {
  let dot = 0;
  let squares = 0;
  let otherSquares = 0;
  for (let at = 0; at < one.length; at += 1) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    dot += a * b;
    squares += a * a;
    otherSquares += b * b;
  }
  return squares > 0 && otherSquares > 0 ? dot / Math.sqrt(squares * otherSquares) : 0;
}
