import type { Table } from '@lancedb/lancedb';
import { FOUND_COLUMNS, readFoundRows } from '../chunks/read-chunk.ts';
import type { StoredChunk } from '../search.ts';
import { withRetries } from '../store/with-retries.ts';
import { LruCache } from './lru-cache.ts';
import { IDLE_MS } from './scope-cache.ts';

const READ_MS = 15_000;

/** Per table: about 10,000 chunks. */
const MAX_BYTES = 32 * 1024 * 1024;

const CHUNK_BYTES = 600;
const CHARACTER_BYTES = 2;

/** Caches chunks by row number. A number always means the same row, since rewritten rows get new ones. */
export class ChunkCache {
  readonly #cache: LruCache<string, StoredChunk>;

  constructor({ maxBytes = MAX_BYTES, idleMs = IDLE_MS } = {}) {
    this.#cache = new LruCache({ maxBytes, idleMs });
  }

  get bytes(): number {
    return this.#cache.bytes;
  }

  async read(table: Table, scopeKey: string, rows: readonly bigint[]): Promise<Map<bigint, StoredChunk>> {
    const keyOf = (row: bigint) => `${row}:${scopeKey}`;
    const chunks = new Map<bigint, StoredChunk>();
    const unknown: bigint[] = [];
    for (const row of rows) {
      const chunk = this.#cache.get(keyOf(row));
      if (chunk === undefined) unknown.push(row);
      else chunks.set(row, chunk);
    }
    if (unknown.length === 0) return chunks;
    const taken = table.takeRowIds(unknown).select(FOUND_COLUMNS).withRowId();
    const found = await withRetries(() => taken.toArrow({ timeoutMs: READ_MS }));
    for (const [row, chunk] of readFoundRows(found, scopeKey)) {
      chunks.set(row, chunk);
      this.#cache.set(keyOf(row), chunk, CHUNK_BYTES + CHARACTER_BYTES * chunk.text.length);
    }
    return chunks;
  }
}
