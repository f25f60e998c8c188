import type { KnowledgeRecord, StoredSpace } from '@chorus/database';
import type { ChunkRow, Search } from '@chorus/search';
import { PIECES_PER_PART, type RevisionFiles } from './revision-files.ts';
import { searchScope } from './search-scope.ts';

type Facts = Pick<KnowledgeRecord, 'id' | 'owner' | 'title' | 'tags' | 'session_ids'>;

/**
 * Replaces an entry's revision in a space atomically. Without vectors, it can only be found by words.
 *
 * @throws {ChorusError} store_unavailable; not_found if its pieces or vectors are gone
 */
export async function indexRevision(
  search: Pick<Search, 'chunks'>,
  space: StoredSpace,
  entry: Facts,
  { files, revision, vectors }: { files: RevisionFiles; revision: number; vectors: boolean },
): Promise<void> {
  const table = await search.chunks({ name: space.name, dimensions: space.dimensions });
  const rows = rowsOf(entry, revision, files, vectors ? space : null);
  await table.replace(searchScope(entry), entry.id, rows);
}

async function* rowsOf(
  entry: Facts,
  revision: number,
  files: RevisionFiles,
  space: StoredSpace | null,
): AsyncGenerator<ChunkRow, void, undefined> {
  const { id, title, tags } = entry;
  const scope_key = searchScope(entry);
  let part: readonly Float32Array[] = [];
  for await (const { position, text, heading_path, page } of files.pieces()) {
    const place = position % PIECES_PER_PART;
    if (space !== null && place === 0) part = await files.vectors(space.model, space.dimensions, position);
    const vector = space === null ? null : part[place];
    if (vector === undefined) throw new Error(`piece ${position} of ${id} has no vector`);
    yield {
      id: `${id}:${revision}:${position}`,
      scope_key,
      entry_id: id,
      revision,
      tags,
      title,
      text,
      heading_path,
      page,
      position,
      vector,
    };
  }
}
