import { randomBytes } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import type { Table } from '@lancedb/lancedb';
import type { ChunkRow, VectorSpace } from '../search.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { allOf, literal, oneOf } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { chunkTerms } from './chunk-terms.ts';

/** Rows to hold in memory and write at once: 12 MB with 3,072 dimensions. */
const BATCH_ROWS = 1_000;

/** Hidden rows belong to a replacement in progress until this age. */
export const ABANDONED_AFTER_MS = 3_600_000;

interface Entry {
  scopeKey: string;
  entryId: string;
}

/**
 * Writes an entry's new chunks hidden, then shows them and hides the old ones in one commit, then deletes the
 * old ones. A new entry that fits into one commit is shown by it.
 *
 * The engine's merge is atomic too, but holds all rows in memory and reads the whole table each time.
 */
export async function replaceEntry(
  table: Table,
  space: VectorSpace,
  entry: Entry,
  rows: AsyncIterable<ChunkRow> | readonly ChunkRow[],
): Promise<void> {
  const batch = `${String(Date.now()).padStart(13, '0')}-${randomBytes(8).toString('hex')}`;
  const { chunkSchema } = await import('./chunk-schema.ts');
  const schema = chunkSchema(space.dimensions);
  const ours = allOf(`scope_key = ${literal(entry.scopeKey)}`, `entry_id = ${literal(entry.entryId)}`);
  const write = async (chunks: readonly ChunkRow[], live: boolean) => {
    const { makeArrowTable } = await loadLanceDB();
    const stored = chunks.map((chunk) => storedRow(chunk, batch, live));
    const data = makeArrowTable(stored, { schema });
    await withRetries(() => table.add(data));
  };

  let written = 0;
  let held: ChunkRow[] = [];
  for await (const row of rows) {
    assertFits(row, entry, space);
    held.push(row);
    if (held.length < BATCH_ROWS) continue;
    await write(held, false);
    written += held.length;
    held = [];
  }
  if (written === 0 && held.length === 0) {
    await withRetries(() => table.delete(ours));
    return;
  }
  const before = await liveBatches(table, ours);
  const first = written === 0 && before.length === 0;
  if (held.length > 0) await write(held, first);
  if (first && (await liveBatches(table, ours)).length === 1) return;

  await withRetries(() => table.update({ valuesSql: { live: `batch = ${literal(batch)}` }, where: ours }));
  const oldest = literal(String(Date.now() - ABANDONED_AFTER_MS).padStart(13, '0'));
  const replaced = before.length > 0 ? `(${oneOf('batch', before)} OR batch < ${oldest})` : `batch < ${oldest}`;
  await withRetries(() => table.delete(allOf(ours, 'live = false', replaced)));
}

/** Returns the replacements whose rows are visible: none or one; more if two first ones ran at once. */
async function liveBatches(table: Table, ours: string): Promise<string[]> {
  const rows: { batch: string }[] = await withRetries(() =>
    table.query().where(allOf(ours, 'live = true')).select(['batch']).toArray(),
  );
  return [...new Set(rows.map(({ batch }) => batch))];
}

function storedRow(chunk: ChunkRow, batch: string, live: boolean): Record<string, unknown> {
  return {
    ...chunk,
    tags: chunk.tags.length > 0 ? chunk.tags : null,
    terms: chunkTerms(chunk),
    batch,
    live,
  };
}

function assertFits(chunk: ChunkRow, entry: Entry, space: VectorSpace): void {
  const { id, scope_key, entry_id, revision, position, vector } = chunk;
  if (scope_key !== entry.scopeKey || entry_id !== entry.entryId)
    throw new ChorusError('invalid_request', 'The chunk belongs to another scope or entry.');
  if (id !== `${entry_id}:${revision}:${position}`)
    throw new ChorusError('invalid_request', "The chunk's id does not match its entry, revision, and position.");
  if (vector !== null && vector.length !== space.dimensions)
    throw new ChorusError(
      'invalid_request',
      `The vector has ${vector.length} dimensions; ${space.name} needs ${space.dimensions}.`,
    );
}
