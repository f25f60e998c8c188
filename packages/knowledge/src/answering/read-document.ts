import type { Database, KnowledgeRecord } from '@chorus/database';
import type { Search } from '@chorus/search';
import { searchScope } from '../search-scope.ts';
import type { Passage } from './find-passages.ts';

/** Without a search, each chunk counts as found. */
const WHOLE = { score: 1, textScore: 1, vectorScore: 1, similarity: null };

/**
 * Returns all chunks of a document as passages, in order. Empty if it has none yet.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function readDocument(
  { database, search }: { database: Pick<Database, 'knowledgeSpaces'>; search: Pick<Search, 'chunks'> },
  entry: KnowledgeRecord,
): Promise<Passage[]> {
  const { current } = await database.knowledgeSpaces.get();
  if (current === null || entry.searchable_revision === null) return [];
  const table = await search.chunks(current);
  const where = { scopeKey: searchScope(entry), entryId: entry.id };
  const chunks = await table.read({ ...where, limit: entry.chunk_count });
  return chunks.map((chunk) => ({ ...chunk, title: entry.title, ...WHOLE }));
}
