import type { Table } from '@lancedb/lancedb';
import { FOUND_COLUMNS, readFound } from '../chunks/read-chunk.ts';
import type { StoredChunk } from '../search.ts';
import { withRetries } from '../store/with-retries.ts';
import { BoundedMemory } from './bounded-memory.ts';
import { IDLE_MS } from './vector-memory.ts';

/** How long reading chunks may take, in milliseconds. */
const READ_MS = 15_000;

/** For each table that is searched: about 10,000 chunks. */
const MAX_BYTES = 32 * 1024 * 1024;

/** What a chunk takes beside its text. */
const CHUNK_BYTES = 600;
const CHARACTER_BYTES = 2;

/** The chunks that were found lately, by the numbers of their rows. What such a number stands for never changes: what is written anew has a new one. */
export class ChunkMemory {
  readonly #memory: BoundedMemory<string, StoredChunk>;

  constructor({ maxBytes = MAX_BYTES, idleMs = IDLE_MS } = {}) {
    this.#memory = new BoundedMemory({ maxBytes, idleMs });
  }

  get bytes(): number {
    return this.#memory.bytes;
  }

  /** Rows that were found in a scope, as chunks; one that is not there is left out. */
  async read(table: Table, scopeKey: string, rows: readonly bigint[]): Promise<Map<bigint, StoredChunk>> {
    const keyOf = (row: bigint) => `${row}:${scopeKey}`;
    const chunks = new Map<bigint, StoredChunk>();
    const unknown: bigint[] = [];
    for (const row of rows) {
      const chunk = this.#memory.get(keyOf(row));
      if (chunk === undefined) unknown.push(row);
      else chunks.set(row, chunk);
    }
    if (unknown.length === 0) return chunks;
    const taken = table.takeRowIds(unknown).select(FOUND_COLUMNS).withRowId();
    const found = await withRetries(() => taken.toArrow({ timeoutMs: READ_MS }));
    const numbers: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
    numbers?.forEach((row, at) => {
      const chunk = readFound(found.get(at), scopeKey);
      chunks.set(row, chunk);
      this.#memory.set(keyOf(row), chunk, CHUNK_BYTES + CHARACTER_BYTES * chunk.text.length);
    });
    return chunks;
  }
}
