import type { Query, Table, TakeQuery } from '@lancedb/lancedb';
import { allOf, literal } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { LruCache } from './lru-cache.ts';
import { type RowVector, ScopeVectors } from './scope-vectors.ts';

const READ_MS = 15_000;

/** Per table: 120,000 vectors of 512 dimensions. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Idle scopes are dropped. Must be shorter than the lifetime of an open table: a recreated table numbers rows
 * and versions from 1.
 */
export const IDLE_MS = 300_000;

interface Held {
  version: number;
  vectors: ScopeVectors;
}

/**
 * Caches vectors of recently searched scopes. A row number always means the same row: rewritten rows get new
 * ones. After a commit, the scope's row numbers show which vectors to read, mostly none.
 */
export class VectorCache {
  readonly #dimensions: number;
  readonly #cache: LruCache<string, Held>;
  readonly #loading = new Map<string, { version: number; vectors: Promise<ScopeVectors | null> }>();

  constructor(dimensions: number, { maxBytes = MAX_BYTES, idleMs = IDLE_MS } = {}) {
    this.#dimensions = dimensions;
    this.#cache = new LruCache({ maxBytes, idleMs });
  }

  get bytes(): number {
    return this.#cache.bytes;
  }

  /**
   * Returns the vectors of a scope in an immutable version of a table.
   *
   * @param most largest number of rows
   * @returns null if there are more
   */
  async get(table: Table, scopeKey: string, most: number): Promise<ScopeVectors | null> {
    const version = await withRetries(() => table.version());
    const held = this.#cache.get(scopeKey);
    if (held?.version === version) return held.vectors;
    const begun = this.#loading.get(scopeKey);
    // If that search's table is closed early, only that search fails.
    const joined = begun?.version === version ? await begun.vectors.catch(() => undefined) : undefined;
    if (joined !== undefined) return joined;
    // The cache may be newer if the table was recreated or this search began earlier.
    const known = held !== undefined && held.version < version ? held.vectors : null;
    const loading = { version, vectors: this.#load(table, scopeKey, most, known) };
    this.#loading.set(scopeKey, loading);
    try {
      const vectors = await loading.vectors;
      if (vectors === null) this.#cache.delete(scopeKey);
      else this.#cache.set(scopeKey, { version, vectors }, vectors.bytes);
      return vectors;
    } finally {
      if (this.#loading.get(scopeKey) === loading) this.#loading.delete(scopeKey);
    }
  }

  async #load(table: Table, scopeKey: string, most: number, known: ScopeVectors | null): Promise<ScopeVectors | null> {
    const query = () => table.query().where(allOf(`scope_key = ${literal(scopeKey)}`, 'live = true'));
    if (known === null) {
      const read = await readVectors(query().limit(most + 1), this.#dimensions);
      return read.length > most ? null : new ScopeVectors(this.#dimensions, read);
    }
    const rows = await readRows(query().limit(most + 1));
    if (rows.length > most) return null;
    const missing = rows.filter((row) => known.get(row) === undefined);
    if (missing.length === 0 && rows.length === known.size) return known;
    const read = missing.length === 0 ? [] : await readVectors(table.takeRowIds(missing), this.#dimensions);
    const kept = rows.flatMap((row) => known.get(row) ?? []);
    return new ScopeVectors(this.#dimensions, [...kept, ...read]);
  }
}

export async function readRows(query: Query): Promise<bigint[]> {
  const found = await withRetries(() => query.select([]).withRowId().toArrow({ timeoutMs: READ_MS }));
  const rows: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  return Array.from(rows ?? []);
}

async function readVectors(query: Query | TakeQuery, dimensions: number): Promise<RowVector[]> {
  const found = await withRetries(() => query.select(['vector']).withRowId().toArrow({ timeoutMs: READ_MS }));
  const rows: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  // Uses the contiguous values: an object per vector would take longer than reading them.
  const vectors = (found.getChild('vector')?.data ?? []).flatMap((part) => {
    const numbers: Float32Array | undefined = part.children[0]?.values;
    return Array.from({ length: part.length }, (_, at) =>
      numbers !== undefined && part.getValid(at) ? numbers.subarray(at * dimensions, (at + 1) * dimensions) : null,
    );
  });
  return Array.from(rows ?? [], (row, at) => ({ row, vector: vectors[at] ?? null }));
}
