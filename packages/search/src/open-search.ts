import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { Connection } from '@lancedb/lancedb';
import { openChunkTable } from './chunks/open-chunk-table.ts';
import type { ChunkTable, Search, TextTable, VectorSpace } from './search.ts';
import { loadLanceDB } from './store/load-lancedb.ts';
import { literal } from './store/sql.ts';
import { withRetries } from './store/with-retries.ts';
import { openTextTable } from './texts/open-text-table.ts';

export interface SearchConfig {
  /** A folder, made at the first use, or `s3://bucket/path`. */
  location: string;
  /** What the engine is told of an object storage: `aws_access_key_id`, `aws_endpoint`, … */
  storageOptions?: Record<string, string> | undefined;
}

const CHUNKS = 'chunks-';
const TEXTS = 'texts-';
const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$/;

/** The index at a place. Cheap: the engine is loaded and the place opened at the first use. */
export function openSearch({ location, storageOptions, log }: SearchConfig & { log: Logger }): Search {
  let connecting: Promise<Connection> | null = null;
  const connection = (): Promise<Connection> => {
    connecting ??= connect().catch((error) => {
      connecting = null;
      throw error;
    });
    return connecting;
  };
  const connect = () =>
    withRetries(async () => {
      const lancedb = await loadLanceDB();
      // Without the interval a process goes on reading what it saw when it opened the table.
      return lancedb.connect(location, { readConsistencyInterval: 0, ...(storageOptions && { storageOptions }) });
    });

  const tables = new Map<string, Promise<unknown>>();
  /** Each table is opened once for each process. */
  function once<T>(name: string, open: () => Promise<T>): Promise<T> {
    const found = tables.get(name) as Promise<T> | undefined;
    if (found) return found;
    const opening = open();
    tables.set(name, opening);
    opening.catch(() => tables.delete(name));
    return opening;
  }

  const tableNames = async () => {
    const open = await connection();
    return withRetries(() => open.tableNames({ limit: 10_000 }));
  };

  return {
    chunks: async (space: VectorSpace): Promise<ChunkTable> => {
      assertName(space.name);
      const table = await once(`${CHUNKS}${space.name}`, async () =>
        openChunkTable(await connection(), `${CHUNKS}${space.name}`, space),
      );
      if (table.space.dimensions !== space.dimensions) throw otherDimensions(space, table.space.dimensions);
      return table;
    },
    spaces: async () =>
      (await tableNames()).filter((name) => name.startsWith(CHUNKS)).map((name) => name.slice(CHUNKS.length)),
    dropChunks: async (name) => {
      assertName(name);
      if (!(await tableNames()).includes(`${CHUNKS}${name}`)) return;
      tables.delete(`${CHUNKS}${name}`);
      const open = await connection();
      await withRetries(() => open.dropTable(`${CHUNKS}${name}`));
    },
    texts: async (name): Promise<TextTable> => {
      assertName(name);
      return once(`${TEXTS}${name}`, async () => openTextTable(await connection(), `${TEXTS}${name}`));
    },
    removeScope: async (scopeKey) => {
      const open = await connection();
      for (const name of await tableNames()) {
        const table = await withRetries(() => open.openTable(name));
        await withRetries(() => table.delete(`scope_key = ${literal(scopeKey)}`));
      }
    },
    maintain: async () => {
      log.debug('nothing is maintained yet');
      return { tables: [] };
    },
    close: () => {
      tables.clear();
      void connecting?.then((open) => open.close()).catch(() => undefined);
      connecting = null;
    },
  };
}

function assertName(name: string): void {
  if (!NAME.test(name))
    throw new ChorusError('invalid_request', 'A name in the index has letters, digits, dots and dashes.');
}

const otherDimensions = (space: VectorSpace, dimensions: number): ChorusError =>
  new ChorusError(
    'invalid_request',
    `The vectors of ${space.name} have ${dimensions} dimensions, not ${space.dimensions}.`,
  );
