import type { Connection, Table } from '@lancedb/lancedb';
import type { Schema } from 'apache-arrow';
import { loadLanceDB } from './load-lancedb.ts';
import { withRetries } from './with-retries.ts';
import { TERMS, WORDS, wordsIn } from './words.ts';

export interface TableShape {
  name: string;
  schema: Schema;
  /** Columns used by filters; `bitmap` for few distinct values. Without an index a filter reads the column. */
  filters: Readonly<Record<string, 'btree' | 'bitmap'>>;
}

/** Terms are split at spaces and not changed further, since `analyze` has prepared them. */
const FULL_TEXT = {
  baseTokenizer: 'whitespace',
  lowercase: false,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
  // Positions only serve phrase searches, and merging indexes that have them fails in this engine.
  withPosition: false,
  maxTokenLength: 256,
} as const;

/** Opens a table or creates it, even if several processes do so at once. */
export async function openTable(connection: Connection, shape: TableShape): Promise<Table> {
  const { Index } = await loadLanceDB();
  const table = await withRetries(() => openOrCreate(connection, shape));
  await withRetries(() => addWords(table));
  const indices = await withRetries(() => table.listIndices());
  const made = new Set(indices.flatMap(({ columns }) => columns));
  // Indexes the empty table, so that no search finds it without a full-text index.
  if (!made.has(WORDS)) await withRetries(() => table.createIndex(WORDS, { config: Index.fts(FULL_TEXT) }));
  const ofTerms = indices.filter(({ columns }) => columns.includes(TERMS));
  for (const { name } of ofTerms) await withRetries(() => table.dropIndex(name).catch(unlessGone));
  for (const [column, kind] of Object.entries(shape.filters)) {
    if (!made.has(column)) await withRetries(() => table.createIndex(column, { config: Index[kind]() }));
  }
  return table;
}

/** Upgrades a table of an earlier version, whose index covered all terms. */
async function addWords(table: Table): Promise<void> {
  const hasWords = async () => (await table.schema()).fields.some(({ name }) => name === WORDS);
  if (await hasWords()) return;
  await table.addColumns([{ name: WORDS, valueSql: wordsIn(TERMS) }]).catch(async (error: unknown) => {
    // Another process may have added it.
    if (!(await hasWords())) throw error;
  });
}

/** Another process may have been first. */
function unlessGone(error: unknown): void {
  if (!/not found/i.test(String(error))) throw error;
}

async function openOrCreate(connection: Connection, { name, schema }: TableShape): Promise<Table> {
  const found = await open(connection, name);
  if (found !== null) return found;
  try {
    return await connection.createEmptyTable(name, schema);
  } catch (error) {
    // Another process created it first, or it was only half visible a moment ago.
    const made = await open(connection, name);
    if (made === null) throw error;
    return made;
  }
}

async function open(connection: Connection, name: string): Promise<Table | null> {
  try {
    return await connection.openTable(name);
  } catch (error) {
    if (/was not found/i.test(String(error))) return null;
    throw error;
  }
}
