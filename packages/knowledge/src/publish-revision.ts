import type { Database, KnowledgeRecord, Publication } from '@chorus/database';
import type { Search } from '@chorus/search';
import { tellFacts } from './change-entry.ts';
import { indexRevision } from './index-revision.ts';
import { allSpaces } from './knowledge-space.ts';
import { RevisionFiles, type RevisionStore } from './revision-files.ts';
import { searchScope } from './search-scope.ts';

export interface PublishParts extends RevisionStore {
  database: Pick<Database, 'knowledge' | 'knowledgeSpaces'>;
  search: Pick<Search, 'chunks'>;
}

/**
 * Marks a revision as searchable after indexing it. An ingestion that lost the entry meanwhile, for example while
 * suspended, repairs its changes to the index.
 *
 * @param indexed The entry with the title and tags that were given to the index.
 * @returns The current entry. Null: this ingestion lost it.
 * @throws {ChorusError} store_unavailable
 */
export async function publishRevision(
  parts: PublishParts,
  indexed: KnowledgeRecord,
  publication: Publication,
): Promise<KnowledgeRecord | null> {
  const { knowledge } = parts.database;
  const { owner, id } = indexed;
  const published = await knowledge.publish(owner, id, publication);
  if (published === null) {
    await makeGood(parts, indexed, publication);
    return null;
  }
  if (published.facts_revision !== indexed.facts_revision) await tellFacts(parts, published);
  return published;
}

async function makeGood(parts: PublishParts, indexed: KnowledgeRecord, publication: Publication): Promise<void> {
  const { owner, id } = indexed;
  const newest = await restoreIndex(parts, indexed, publication.revision);
  // Newer than the searchable revision, even if a still newer one is in progress.
  const isNewer = newest !== null && (newest.searchable_revision ?? 0) < publication.revision;
  if (!isNewer || newest.revision === publication.revision) return;
  if (!(await parts.database.knowledge.publishEarlier(owner, id, publication)))
    await restoreIndex(parts, indexed, publication.revision);
}

/**
 * Repairs the index after rows of a revision replaced newer ones or those of a deleted entry.
 *
 * @returns The current entry. Null: it was deleted.
 * @throws {ChorusError} store_unavailable; not_found if the files of the newer revision are gone
 */
export async function restoreIndex(
  parts: PublishParts,
  { id, owner, session_ids }: Pick<KnowledgeRecord, 'id' | 'owner' | 'session_ids'>,
  revision: number,
): Promise<KnowledgeRecord | null> {
  const { database, search } = parts;
  for (;;) {
    const newest = await database.knowledge.get(owner, id);
    const spaces = allSpaces(await database.knowledgeSpaces.get());
    if (newest === null) {
      for (const space of spaces) await (await search.chunks(space)).remove(searchScope({ owner, session_ids }), [id]);
      return null;
    }
    const { searchable_revision: searchable } = newest;
    if (searchable === null || searchable <= revision) return newest;
    // Restores the newer rows from the stored files.
    const files = new RevisionFiles(parts, id, searchable);
    for (const space of spaces.filter(({ name }) => newest.spaces.includes(name))) {
      const vectors = (await files.vectorParts(space.model)).starts.size > 0;
      await indexRevision(search, space, newest, { files, revision: searchable, vectors });
    }
    const after = await database.knowledge.get(owner, id);
    if (after?.searchable_revision === searchable) return after;
  }
}

/** Removes files of an entry's earlier revisions from object storage. */
export async function removeEarlierFiles(
  { blobs, keys }: RevisionStore,
  { id, revision, text_name }: Pick<KnowledgeRecord, 'id' | 'revision' | 'text_name'>,
): Promise<void> {
  if (revision === 1) return;
  const prefix = await keys.ofEntry(id);
  const old: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await blobs.list({ prefix, ...(after === undefined ? {} : { after }) });
    for (const { key } of page.blobs) {
      const [name = ''] = key.slice(prefix.length).split('/');
      // Names of texts end with time-ordered ids, so a newer one belongs to a change in progress.
      const isOld = name.startsWith('text-') ? text_name !== null && name < text_name : Number(name) < revision;
      if (isOld) old.push(key);
    }
    if (page.next === null) break;
    after = page.next;
  }
  await blobs.removeMany(old);
}
