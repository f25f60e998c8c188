import type { Query, Table, TakeQuery } from '@lancedb/lancedb';
import { all, literal } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { BoundedMemory } from './bounded-memory.ts';
import { type RowVector, ScopeVectors } from './scope-vectors.ts';

/** How long reading vectors may take, in milliseconds. */
const READ_MS = 15_000;

/** For each table that is searched: 120,000 vectors of 512 dimensions. */
const MAX_BYTES = 128 * 1024 * 1024;

/** What nobody searches goes, in milliseconds. Shorter than a table that was searched stays: one that is made anew under its name numbers rows and versions from 1. */
export const IDLE_MS = 300_000;

interface Held {
  version: number;
  vectors: ScopeVectors;
}

/**
 * The vectors of scopes that were searched lately. What a row's number stands for never changes: whatever is written, by whichever process, comes with a new one. So after
 * a commit the numbers of the scope's rows tell which vectors are to be read, mostly none.
 */
export class VectorMemory {
  readonly #dimensions: number;
  readonly #memory: BoundedMemory<string, Held>;
  readonly #loading = new Map<string, { version: number; vectors: Promise<ScopeVectors | null> }>();

  constructor(dimensions: number, { maxBytes = MAX_BYTES, idleMs = IDLE_MS } = {}) {
    this.#dimensions = dimensions;
    this.#memory = new BoundedMemory({ maxBytes, idleMs });
  }

  get bytes(): number {
    return this.#memory.bytes;
  }

  /**
   * The vectors of a scope, as a table that stays as it is has them.
   *
   * @param most how many rows it may have
   * @returns null: there are more
   */
  async of(table: Table, scopeKey: string, most: number): Promise<ScopeVectors | null> {
    const version = await withRetries(() => table.version());
    const held = this.#memory.get(scopeKey);
    if (held?.version === version) return held.vectors;
    const begun = this.#loading.get(scopeKey);
    // Whose table is closed before it is done fails alone.
    const joined = begun?.version === version ? await begun.vectors.catch(() => undefined) : undefined;
    if (joined !== undefined) return joined;
    // An older version than is held: of a table that was made anew, or of a search that began earlier.
    const known = held !== undefined && held.version < version ? held.vectors : null;
    const loading = { version, vectors: this.#load(table, scopeKey, most, known) };
    this.#loading.set(scopeKey, loading);
    try {
      const vectors = await loading.vectors;
      if (vectors === null) this.#memory.delete(scopeKey);
      else this.#memory.set(scopeKey, { version, vectors }, vectors.bytes);
      return vectors;
    } finally {
      if (this.#loading.get(scopeKey) === loading) this.#loading.delete(scopeKey);
    }
  }

  async #load(table: Table, scopeKey: string, most: number, known: ScopeVectors | null): Promise<ScopeVectors | null> {
    const query = () => table.query().where(all(`scope_key = ${literal(scopeKey)}`, 'live = true'));
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

/** The numbers of the rows that a query finds. */
export async function readRows(query: Query): Promise<bigint[]> {
  const found = await withRetries(() => query.select([]).withRowId().toArrow({ timeoutMs: READ_MS }));
  const rows: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  return Array.from(rows ?? []);
}

async function readVectors(query: Query | TakeQuery, dimensions: number): Promise<RowVector[]> {
  const found = await withRetries(() => query.select(['vector']).withRowId().toArrow({ timeoutMs: READ_MS }));
  const rows: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  // As they lie there one behind the other: an object for each takes longer than reading them.
  const vectors = (found.getChild('vector')?.data ?? []).flatMap((part) => {
    const numbers: Float32Array | undefined = part.children[0]?.values;
    return Array.from({ length: part.length }, (_, at) =>
      numbers !== undefined && part.getValid(at) ? numbers.subarray(at * dimensions, (at + 1) * dimensions) : null,
    );
  });
  return Array.from(rows ?? [], (row, at) => ({ row, vector: vectors[at] ?? null }));
}
