import { totalmem } from 'node:os';
import type { Query, Table, TakeQuery } from '@lancedb/lancedb';
import type { RecordBatch } from 'apache-arrow';
import { readRows } from '../store/read-rows.ts';
import { allOf, literal } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { TERMS } from '../store/words.ts';
import { LruCache } from './lru-cache.ts';
import { type PackedRows, packRows, type RowBatch } from './packed-rows.ts';
import { ScopeIndex } from './scope-index.ts';

const READ_MS = 15_000;

/** Per table: a share of the memory, at least 35,000 and at most 300,000 chunks with vectors of 512 dimensions. */
const MEMORY_SHARE = 1 / 16;
const MIN_BYTES = 64 * 1024 * 1024;
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * Idle scopes are dropped after this time. Must be shorter than the lifetime of an open table, since a recreated table
 * numbers rows and versions from 1.
 */
export const IDLE_MS = 300_000;

/** Comparing this many numbers takes a few milliseconds: 8,000 chunks with vectors of 512 dimensions. */
const MAX_NUMBERS = 4_000_000;

/** A scope is reread when this share of its memory is unused, or it has this many parts. */
const MAX_WASTE = 0.5;
const MAX_PARTS = 32;

/** How long a scope counts as too large, and its size is reused. */
const SIZE_MS = 60_000;
const MAX_SIZES = 10_000;

/**
 * Caches recently searched small scopes, without their texts. A row number always means the same row, since rewritten
 * rows get new ones. After a commit, the scope's row numbers show which rows to read, mostly none.
 */
export class ScopeCache {
  readonly #dimensions: number;
  readonly #most: number;
  readonly #cache: LruCache<string, ScopeIndex>;
  readonly #loading = new Map<string, Promise<unknown>>();
  /** When scopes were found to be too large. */
  readonly #large = new Map<string, number>();

  constructor(dimensions: number, { maxBytes = maxBytesHere(), idleMs = IDLE_MS, maxNumbers = MAX_NUMBERS } = {}) {
    this.#dimensions = dimensions;
    this.#most = Math.floor(maxNumbers / dimensions);
    this.#cache = new LruCache({ maxBytes, idleMs, comparing: true });
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
      if (held !== undefined && held.version >= version) return held;
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
    const known = held !== undefined && isWorthKeeping(held) ? held : null;
    if (known === null && (await this.#isLarge(table, scopeKey))) return null;
    const shown = known === null ? null : await readRows(query().limit(this.#most + 1));
    const read = await this.#read(table, query, known, shown);
    if (Math.max(shown?.length ?? 0, read?.rows.length ?? 0) > this.#most) {
      this.#cache.delete(scopeKey);
      this.#noteLarge(scopeKey);
      return null;
    }
    const packed = [...(known?.packed ?? []), ...(read === null ? [] : [read])];
    const index = new ScopeIndex(version, this.#dimensions, packed, shown && new Set(shown));
    this.#cache.set(scopeKey, index, index.bytes);
    return index;
  }

  /** Reads the rows that are not known yet, or all. */
  async #read(
    table: Table,
    query: () => Query,
    known: ScopeIndex | null,
    shown: readonly bigint[] | null,
  ): Promise<PackedRows | null> {
    if (known === null || shown === null) return readPacked(query().limit(this.#most + 1), this.#dimensions);
    const before = known.rows();
    const missing = shown.filter((row) => !before.has(row));
    return missing.length === 0 ? null : readPacked(table.takeRowIds(missing), this.#dimensions);
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

const isWorthKeeping = ({ waste, packed }: ScopeIndex): boolean => waste <= MAX_WASTE && packed.length < MAX_PARTS;

function maxBytesHere(): number {
  // Without a limit on this process, the latter is absent or exceeds the former.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(MOST_BYTES, Math.max(MIN_BYTES, memory * MEMORY_SHARE));
}

async function readPacked(query: Query | TakeQuery, dimensions: number): Promise<PackedRows> {
  const asked = query.select([TERMS, 'vector']).withRowId();
  const found = await withRetries(() => asked.toArrow({ timeoutMs: READ_MS }));
  return packRows(
    found.batches.map((batch) => readBatch(batch, dimensions)),
    dimensions,
  );
}

/** Uses the columns' memory as it is: an object per cell would take longer than reading them. */
function readBatch(batch: RecordBatch, dimensions: number): RowBatch {
  const column = (name: string) => batch.getChild(name)!.data[0]!;
  const [rows, terms, vectors] = [column('_rowid'), column(TERMS), column('vector')];
  const numbers: Float32Array | undefined = vectors.children[0]?.values;
  return {
    rows: rows.values,
    terms: { values: terms.values, offsets: terms.valueOffsets },
    vectorAt: (at) =>
      numbers !== undefined && vectors.getValid(at) ? numbers.subarray(at * dimensions, (at + 1) * dimensions) : null,
  };
}
