import { ChorusError, type KnowledgeChunk, type ListQuery, type Page } from '@chorus/contract';
import type { Database, KnowledgeRecord } from '@chorus/database';
import type { Search } from '@chorus/search';
import { presentChunk } from './present-entry.ts';
import { searchScope } from './search-scope.ts';

/**
 * Returns a page of an entry's chunks in document order. The cursor is the last position.
 *
 * @throws {ChorusError} invalid_request for a foreign cursor; store_unavailable
 */
export async function readChunks(
  { database, search }: { database: Pick<Database, 'knowledgeSpaces'>; search: Pick<Search, 'chunks'> },
  { id, title, searchable_revision, ...entry }: KnowledgeRecord,
  { limit, after }: Pick<ListQuery, 'limit' | 'after'>,
): Promise<Page<KnowledgeChunk>> {
  if (after !== undefined && !/^\d{1,9}$/.test(after)) throw invalidCursor();
  const { current } = await database.knowledgeSpaces.get();
  if (current === null || searchable_revision === null) return { data: [], has_more: false, next_cursor: null };
  const table = await search.chunks(current);
  const page = { scopeKey: searchScope(entry), entryId: id, limit: limit + 1 };
  const found = await table.read(after === undefined ? page : { ...page, after: Number(after) });
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const more = found.length > limit && last !== undefined;
  return {
    data: shown.map((chunk) => presentChunk({ ...chunk, title }, null)),
    has_more: more,
    next_cursor: more ? String(last.position) : null,
  };
}

function invalidCursor(): ChorusError {
  return new ChorusError('invalid_request', 'The cursor does not belong to this list.', {
    details: [{ path: 'query.after', message: 'must be the next_cursor of the previous page' }],
  });
}
