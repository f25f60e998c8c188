import { ChorusError } from '@chorus/contract/errors';
import type { Logger } from '@chorus/runtime/log';
import { openChunkTable } from './chunks/open-chunk-table.ts';
import { createMaintenance } from './maintenance/create-maintenance.ts';
import { purgeIndex } from './maintenance/purge-index.ts';
import type { Search, VectorSpace } from './search.ts';
import { connectIndex, type IndexConnections, type SearchConfig } from './store/connect-index.ts';
import { literal } from './store/sql.ts';
import { assertName, CHUNKS, TEXTS, tableNames } from './store/table-names.ts';
import { withRetries } from './store/with-retries.ts';
import { openTextTable } from './texts/open-text-table.ts';

/** Opens the index lazily: the engine is loaded on first use. */
export function openSearch({ log, ...config }: SearchConfig & { log: Logger }): Search {
  let connecting: Promise<IndexConnections> | null = null;
  const connections = (): Promise<IndexConnections> => {
    connecting ??= connectIndex(config).catch((error) => {
      connecting = null;
      throw error;
    });
    return connecting;
  };
  const latest = async () => (await connections()).latest;

  const tables = new Map<string, Promise<unknown>>();
  function once<T>(name: string, open: (index: IndexConnections) => Promise<T>): Promise<T> {
    const found = tables.get(name) as Promise<T> | undefined;
    if (found) return found;
    const opening = connections().then(open);
    tables.set(name, opening);
    opening.catch(() => tables.delete(name));
    return opening;
  }

  async function removeFrom(fits: (name: string) => boolean, condition: string): Promise<void> {
    const open = await latest();
    for (const name of (await tableNames(open)).filter(fits)) {
      const table = await withRetries(() => open.openTable(name));
      if ((await withRetries(() => table.countRows(condition))) > 0) await withRetries(() => table.delete(condition));
    }
  }

  return {
    chunks: async (space) => {
      assertName(space.name);
      const name = `${CHUNKS}${space.name}`;
      const table = await once(name, (index) => openChunkTable(index, name, space));
      if (table.space.dimensions !== space.dimensions) throw otherDimensions(space, table.space.dimensions);
      return table;
    },
    spaces: async () =>
      (await tableNames(await latest()))
        .filter((name) => name.startsWith(CHUNKS))
        .map((name) => name.slice(CHUNKS.length)),
    dropChunks: async (name) => {
      assertName(name);
      const open = await latest();
      if (!(await tableNames(open)).includes(`${CHUNKS}${name}`)) return;
      tables.delete(`${CHUNKS}${name}`);
      await withRetries(() => open.dropTable(`${CHUNKS}${name}`));
    },
    texts: async (name) => {
      assertName(name);
      return once(`${TEXTS}${name}`, (index) => openTextTable(index.latest, `${TEXTS}${name}`));
    },
    removeScope: (scopeKey) => removeFrom(() => true, `scope_key = ${literal(scopeKey)}`),
    removeUser: (userId) => removeFrom((name) => name.startsWith(TEXTS), `user_id = ${literal(userId)}`),
    maintain: createMaintenance(config, latest, log),
    purge: () => purgeIndex(config, latest),
    close: () => {
      tables.clear();
      void connecting?.then((index) => index.close()).catch(() => undefined);
      connecting = null;
    },
  };
}

const otherDimensions = (space: VectorSpace, dimensions: number): ChorusError =>
  new ChorusError(
    'invalid_request',
    `The vectors of ${space.name} have ${dimensions} dimensions, not ${space.dimensions}.`,
  );
