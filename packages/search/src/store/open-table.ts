import type { Connection, Table } from '@lancedb/lancedb';
import type { Schema } from 'apache-arrow';
import { loadLanceDB } from './load-lancedb.ts';
import { withRetries } from './with-retries.ts';

/** What a table is made with. */
export interface TableShape {
  name: string;
  schema: Schema;
  /** The column of terms. */
  terms: string;
  /** The columns that filters use; `bitmap`: those that have few values. Without an index a filter reads its column. */
  filters: Readonly<Record<string, 'btree' | 'bitmap'>>;
}

/** Terms are split at blanks and taken as they are: `analyse` has done the rest. */
const FULL_TEXT = {
  baseTokenizer: 'whitespace',
  lowercase: false,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
  // Positions serve phrases alone, and joining indexes that have them fails in this engine.
  withPosition: false,
  maxTokenLength: 256,
} as const;

/** Opens a table; makes it where it is missing, also when several processes do so at once. */
export async function openTable(connection: Connection, shape: TableShape): Promise<Table> {
  const { Index } = await loadLanceDB();
  const table = await withRetries(() => openOrCreate(connection, shape));
  const made = new Set((await withRetries(() => table.listIndices())).flatMap(({ columns }) => columns));
  // Made while the table is empty, so that no search ever meets a table without its full-text index.
  if (!made.has(shape.terms)) {
    await withRetries(() => table.createIndex(shape.terms, { config: Index.fts(FULL_TEXT) }));
  }
  for (const [column, kind] of Object.entries(shape.filters)) {
    if (!made.has(column)) await withRetries(() => table.createIndex(column, { config: Index[kind]() }));
  }
  return table;
}

async function openOrCreate(connection: Connection, { name, schema }: TableShape): Promise<Table> {
  const found = await open(connection, name);
  if (found !== null) return found;
  try {
    return await connection.createEmptyTable(name, schema);
  } catch (error) {
    // Another process was first, or its making was only half visible a moment ago.
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
