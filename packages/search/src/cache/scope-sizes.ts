import type { Table } from '@lancedb/lancedb';
import { literal } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';

/** How long counts are reused; they only decide which search is faster. */
const CACHED_MS = 60_000;

const MAX_SCOPES = 10_000;

export class ScopeSizes {
  readonly #counts = new Map<string, { rows: number; at: number }>();

  async rowsOf(table: Table, scopeKey: string): Promise<number> {
    const known = this.#counts.get(scopeKey);
    const now = performance.now();
    if (known !== undefined && now - known.at < CACHED_MS) return known.rows;
    const rows = await withRetries(() => table.countRows(`scope_key = ${literal(scopeKey)}`));
    this.#counts.delete(scopeKey);
    this.#counts.set(scopeKey, { rows, at: now });
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= MAX_SCOPES) break;
      this.#counts.delete(oldest);
    }
    return rows;
  }
}
