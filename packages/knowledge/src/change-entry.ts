import { ChorusError, type KnowledgePatch, mayChange, type Owner, type Role } from '@chorus/contract';
import type { Database, KnowledgeRecord } from '@chorus/database';
import type { Search } from '@chorus/search';
import { allSpaces } from './knowledge-space.ts';
import {
  type EntryStore,
  factsOf,
  type Ingestion,
  ingestion,
  ownFiles,
  textBytes,
  textName,
  unknownEntry,
} from './plan-entry.ts';
import { searchScope } from './search-scope.ts';

export interface Asking {
  owner: Owner;
  role: Role;
}

interface FactsStore {
  database: Pick<Database, 'knowledge' | 'knowledgeSpaces'>;
  search: Pick<Search, 'chunks'>;
}

/**
 * Returns an entry that the caller may change.
 *
 * @throws {ChorusError} not_found; role_forbidden for another member's entry without the needed role;
 * store_unavailable
 */
export async function changeableEntry(
  { knowledge }: Pick<Database, 'knowledge'>,
  { owner, role }: Asking,
  id: string,
): Promise<KnowledgeRecord> {
  const record = await knowledge.get(owner, id);
  if (record === null) throw unknownEntry();
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', 'Another member created this entry; an admin can change it.');
  return record;
}

/**
 * Changes the title or tags of an entry, including in the index.
 *
 * @throws {ChorusError} not_found; store_unavailable, possibly after the change, which can be repeated
 */
export async function changeFacts(
  { database, search }: FactsStore,
  owner: Owner,
  id: string,
  { title, tags, metadata }: Pick<KnowledgePatch, 'title' | 'tags' | 'metadata'>,
): Promise<KnowledgeRecord> {
  const record = await database.knowledge.patch(owner, id, { title, tags, metadata });
  if (record === null) throw unknownEntry();
  const isIndexed = record.searchable_revision !== null || record.status === 'processing';
  if (isIndexed && (title !== undefined || tags !== undefined)) await tellFacts({ database, search }, record);
  return record;
}

/**
 * Updates title and tags in the index until they are current.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function tellFacts({ database, search }: FactsStore, record: KnowledgeRecord): Promise<void> {
  const { owner, id } = record;
  for (let current = record; ; ) {
    for (const space of allSpaces(await database.knowledgeSpaces.get())) {
      const table = await search.chunks(space);
      await table.setFacts(searchScope(record), id, { title: current.title, tags: current.tags });
    }
    const newest = await database.knowledge.get(owner, id);
    if (newest === null || newest.facts_revision === current.facts_revision) return;
    current = newest;
  }
}

/**
 * Plans new content for an entry. The old content stays until the new one is searchable.
 *
 * @throws {ChorusError} conflict if there is a newer one; store_unavailable
 */
export function planRevision(
  { database, blobs, keys, assets: { quota } }: EntryStore,
  record: KnowledgeRecord,
  change: { content: string; format: 'text' | 'markdown' | 'html' },
): Ingestion {
  const { id, owner, source } = record;
  const { content, format } = change;
  return ingestion(async (executionId) => {
    const text_name = textName(executionId);
    const charged = `${id}-${executionId}`;
    await quota.charge(owner, charged, Buffer.byteLength(content) - textBytes(record));
    await blobs.put(await keys.text(id, text_name), Buffer.from(content));
    const revised = await database.knowledge.revise(owner, id, record.revision, {
      execution_id: executionId,
      source: { type: 'text', format },
      text_name,
      ...factsOf({ type: 'text', content, format }),
      former_asset_ids: ownFiles(source),
    });
    if (revised === null) {
      // A repeated write whose first response was lost finds its own result.
      const newest = await database.knowledge.get(owner, id);
      if (newest?.execution_id !== executionId) {
        await blobs.remove(await keys.text(id, text_name)).catch(() => undefined);
        await quota.refund(owner, charged);
        throw newest === null ? unknownEntry() : revisedMeanwhile();
      }
    }
    await quota.settle(owner, charged);
    // The revision number stays taken. The entry is marked as failed and can be retried.
    return { input: { entry_id: id, revision: record.revision + 1 } };
  });
}

function revisedMeanwhile(): ChorusError {
  return new ChorusError('conflict', 'The entry has a newer revision. Read it again and retry.', { retryAfterS: 1 });
}
