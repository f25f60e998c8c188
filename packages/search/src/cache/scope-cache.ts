import type { Query, Table, TakeQuery } from '@lancedb/lancedb';
import { FOUND_COLUMNS, readFoundRows } from '../chunks/read-chunk.ts';
import { allOf, literal } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { LruCache } from './lru-cache.ts';
import { type IndexedRow, ScopeIndex } from './scope-index.ts';

const READ_MS = 15_000;

/** Per table: about 25,000 chunks with vectors of 512 dimensions. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Idle scopes are dropped. Must be shorter than the lifetime of an open table: a recreated table numbers rows
 * and versions from 1.
 */
export const IDLE_MS = 300_000;

/** Comparing this many numbers takes a few milliseconds: 8,000 chunks with vectors of 512 dimensions. */
const MAX_NUMBERS = 4_000_000;

/** A scope is read again when this share of its memory is unused. */
const MAX_WASTE = 0.5;

/** How long a scope counts as too large, and its size is reused. */
const SIZE_MS = 60_000;
const MAX_SIZES = 10_000;

interface Held {
  version: number;
  index: ScopeIndex;
}

/**
 * Caches recently searched small scopes. A row number always means the same row: rewritten rows get new ones. After
 * a commit, the scope's row numbers show which rows to read, mostly none.
 */
export class ScopeCache {
  readonly #dimensions: number;
  readonly #most: number;
  readonly #cache: LruCache<string, Held>;
  readonly #loading = new Map<string, Promise<unknown>>();
  /** When scopes were found to be too large. */
  readonly #large = new Map<string, number>();

  constructor(dimensions: number, { maxBytes = MAX_BYTES, idleMs = IDLE_MS, maxNumbers = MAX_NUMBERS } = {}) {
    this.#dimensions = dimensions;
    this.#most = Math.floor(maxNumbers / dimensions);
    this.#cache = new LruCache({ maxBytes, idleMs });
  }

  get bytes(): number {
    return this.#cache.bytes;
  }

  /**
   * Returns the chunks of a scope at a version of the table, or a newer one.
   *
   * @param table at that version
   * @returns null if there are too many
   */
  async get(table: Table, scopeKey: string): Promise<ScopeIndex | null> {
    const version = await withRetries(() => table.version());
    for (;;) {
      const held = this.#cache.get(scopeKey);
      if (held !== undefined && held.version >= version) return held.index;
      const loading = this.#loading.get(scopeKey);
      if (loading === undefined) break;
      // If that search's table is closed early, only that search fails.
      await loading.catch(() => undefined);
    }
    const loading = this.#load(table, version, scopeKey);
    this.#loading.set(scopeKey, loading);
    try {
      return await loading;
    } finally {
      this.#loading.delete(scopeKey);
    }
  }

  async #load(table: Table, version: number, scopeKey: string): Promise<ScopeIndex | null> {
    const query = () => table.query().where(liveRows(scopeKey));
    const held = this.#cache.get(scopeKey);
    const known = held !== undefined && held.index.waste <= MAX_WASTE ? held.index : null;
    if (known === null && (await this.#isLarge(table, scopeKey))) return null;
    const rows = known === null ? null : await readRows(query().limit(this.#most + 1));
    const missing = rows?.filter((row) => !known?.has(row)) ?? null;
    const read = await readAll(
      missing === null ? query().limit(this.#most + 1) : missing.length > 0 ? table.takeRowIds(missing) : null,
      scopeKey,
      this.#dimensions,
    );
    const shown = rows ?? read.map(({ row }) => row);
    if (shown.length > this.#most) {
      this.#cache.delete(scopeKey);
      this.#noteLarge(scopeKey);
      return null;
    }
    const index = known ?? new ScopeIndex(this.#dimensions);
    await index.add(read);
    index.show(shown);
    this.#cache.set(scopeKey, { version, index }, index.bytes);
    return index;
  }

  async #isLarge(table: Table, scopeKey: string): Promise<boolean> {
    if (performance.now() - (this.#large.get(scopeKey) ?? Number.NEGATIVE_INFINITY) < SIZE_MS) return true;
    this.#large.delete(scopeKey);
    const rows = await withRetries(() => table.countRows(liveRows(scopeKey)));
    if (rows > this.#most) this.#noteLarge(scopeKey);
    return rows > this.#most;
  }

  #noteLarge(scopeKey: string): void {
    this.#large.set(scopeKey, performance.now());
    for (const oldest of this.#large.keys()) {
      if (this.#large.size <= MAX_SIZES) break;
      this.#large.delete(oldest);
    }
  }
}

const liveRows = (scopeKey: string): string => allOf(`scope_key = ${literal(scopeKey)}`, 'live = true');

async function readRows(query: Query): Promise<bigint[]> {
  const found = await withRetries(() => query.select([]).withRowId().toArrow({ timeoutMs: READ_MS }));
  const rows: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  return Array.from(rows ?? []);
}

async function readAll(query: Query | TakeQuery | null, scopeKey: string, dimensions: number): Promise<IndexedRow[]> {
  if (query === null) return [];
  const asked = query.select([...FOUND_COLUMNS, 'terms', 'vector']).withRowId();
  const found = await withRetries(() => asked.toArrow({ timeoutMs: READ_MS }));
  const terms = found.getChild('terms');
  // Uses the contiguous values: an object per vector would take longer than reading them.
  const vectors = (found.getChild('vector')?.data ?? []).flatMap((part) => {
    const numbers: Float32Array | undefined = part.children[0]?.values;
    return Array.from({ length: part.length }, (_, at) =>
      numbers !== undefined && part.getValid(at) ? numbers.subarray(at * dimensions, (at + 1) * dimensions) : null,
    );
  });
  return readFoundRows(found, scopeKey).map(([row, chunk], at) => ({
    row,
    chunk,
    terms: String(terms?.get(at) ?? ''),
    vector: vectors[at] ?? null,
  }));
}
