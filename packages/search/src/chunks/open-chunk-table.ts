import { ChorusError } from '@chorus/contract/errors';
import type { Table } from '@lancedb/lancedb';
import type { FixedSizeList } from 'apache-arrow';
import { createSearchCache } from '../cache/search-cache.ts';
import type { ChunkTable, VectorSpace } from '../search.ts';
import type { IndexConnections } from '../store/connect-index.ts';
import { openTable } from '../store/open-table.ts';
import { allOf, literal, literals, oneOf } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { wordsIn } from '../store/words.ts';
import { retitledTerms } from './chunk-terms.ts';
import { findChunks } from './find-chunks.ts';
import { readChunk, STORED_COLUMNS } from './read-chunk.ts';
import { createReplacement } from './replace-entry.ts';

const MAX_PAGE = 1_000;

export async function openChunkTable(
  { latest, snapshots }: IndexConnections,
  name: string,
  space: VectorSpace,
): Promise<ChunkTable> {
  const { chunkSchema } = await import('./chunk-schema.ts');
  const schema = chunkSchema(space.dimensions);
  const filters = { scope_key: 'btree', entry_id: 'btree', live: 'bitmap' } as const;
  const table = await openTable(latest, { name, schema, filters });
  const opened = { name: space.name, dimensions: await dimensionsOf(table) };
  return chunkTable(table, () => snapshots.openTable(name), opened);
}

async function dimensionsOf(table: Table): Promise<number> {
  const { fields } = await withRetries(() => table.schema());
  const type: unknown = fields.find(({ name }) => name === 'vector')?.type;
  // The engine returns types from another copy of the library.
  const size = type && (type as FixedSizeList).listSize;
  if (typeof size !== 'number') throw new ChorusError('internal_error', 'The index has an incompatible table.');
  return size;
}

function chunkTable(table: Table, snapshot: () => Promise<Table>, space: VectorSpace): ChunkTable {
  const cache = createSearchCache(space.dimensions);
  const replace = createReplacement(table, space);
  const remove = async (condition: string) => {
    await withRetries(() => table.delete(condition));
  };
  const select = async (condition: string) => {
    const rows = await withRetries(() => table.query().where(condition).select(STORED_COLUMNS).toArray());
    return rows.map(readChunk);
  };
  return {
    space,
    replace: (scopeKey, entryId, rows) => replace({ scopeKey, entryId }, rows),
    setFacts: async (scopeKey, entryId, { title, tags }) => {
      const values: Record<string, string> = {};
      if (title !== undefined) {
        const terms = retitledTerms(title);
        Object.assign(values, { title: literal(title), terms, words: wordsIn(terms) });
      }
      if (tags !== undefined) values.tags = tags.length === 0 ? 'NULL' : `[${literals(tags)}]`;
      if (Object.keys(values).length === 0) return;
      const where = allOf(`scope_key = ${literal(scopeKey)}`, `entry_id = ${literal(entryId)}`);
      await withRetries(() => table.update({ valuesSql: values, where }));
    },
    remove: async (scopeKey, entryIds) => {
      if (entryIds.length > 0) await remove(allOf(`scope_key = ${literal(scopeKey)}`, oneOf('entry_id', entryIds)));
    },
    removeScope: (scopeKey) => remove(`scope_key = ${literal(scopeKey)}`),
    find: (query) => findChunks(snapshot, cache, space, query),
    read: async ({ scopeKey, entryId, after = -1, limit }) => {
      const last = after + Math.min(limit, MAX_PAGE);
      const chunks = await select(
        allOf(
          `scope_key = ${literal(scopeKey)}`,
          `entry_id = ${literal(entryId)}`,
          `position > ${integer(after)}`,
          `position <= ${integer(last)}`,
          'live = true',
        ),
      );
      return chunks.sort((one, other) => one.position - other.position);
    },
    async *scan({ scopeKey } = {}) {
      const scope = scopeKey === undefined ? null : `scope_key = ${literal(scopeKey)}`;
      const batches = await withRetries(async () =>
        table.query().where(allOf(scope, 'live = true')).select(STORED_COLUMNS),
      );
      for await (const batch of batches) for (const row of batch.toArray()) yield readChunk(row);
    },
    count: ({ scopeKey, entryIds } = {}) => {
      const scope = scopeKey === undefined ? null : `scope_key = ${literal(scopeKey)}`;
      const entries = entryIds === undefined ? null : oneOf('entry_id', entryIds);
      return withRetries(() => table.countRows(allOf(scope, entries, 'live = true')));
    },
  };
}

function integer(value: number): number {
  if (!Number.isSafeInteger(value)) throw new ChorusError('invalid_request', 'The position must be a whole number.');
  return value;
}
