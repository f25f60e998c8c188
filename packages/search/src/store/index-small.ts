import type { Table } from '@lancedb/lancedb';
import { withRetries } from './with-retries.ts';

/** With more rows a few new ones hardly change what is known of the words, and upkeep indexes them in time. */
const SMALL_ROWS = 2_000;

/**
 * Indexes what was just written, where a table is small: some hundredths of a second. For rows that no index knows yet the engine counts each occurrence of
 * a word as a document that has it. Where these then outnumber all documents the word weighs less than nothing, and is not found: a single text
 * that says one word twice would never be.
 */
export async function indexSmall(table: Table): Promise<void> {
  if ((await withRetries(() => table.countRows())) > SMALL_ROWS) return;
  await withRetries(() => table.optimize());
}
