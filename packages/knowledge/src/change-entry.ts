import { ChorusError, type KnowledgePatch, mayChange, type Owner, type Role, scopeKey } from '@chorus/contract';
import type { Database, KnowledgeRecord } from '@chorus/database';
import type { Search } from '@chorus/search';
import { allSpaces } from './knowledge-space.ts';
import { type EntryStore, factsOf, type IngestionPlan, textBytes, textName, unknownEntry } from './plan-entry.ts';

/** Who asks, and in which scope. */
export interface Asking {
  owner: Owner;
  role: Role;
}

interface FactsStore {
  database: Pick<Database, 'knowledge' | 'knowledgeSpaces'>;
  search: Pick<Search, 'chunks'>;
}

/**
 * The entry, for who may change it.
 *
 * @throws {ChorusError} not_found; role_forbidden for one that another member made, unless the role covers that; store_unavailable
 */
export async function changeableEntry(
  { knowledge }: Pick<Database, 'knowledge'>,
  { owner, role }: Asking,
  id: string,
): Promise<KnowledgeRecord> {
  const record = await knowledge.get(owner, id);
  if (record === null) throw unknownEntry();
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', 'Another member made this entry; an admin can change it.');
  return record;
}

/**
 * Changes what is said of an entry; searches know it when this is done.
 *
 * @throws {ChorusError} not_found, store_unavailable: it may have been changed, and can be changed again
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
 * Tells the index an entry's title and tags, until it knows the newest.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function tellFacts({ database, search }: FactsStore, record: KnowledgeRecord): Promise<void> {
  const { owner, id } = record;
  for (let told = record; ; ) {
    for (const space of allSpaces(await database.knowledgeSpaces.get())) {
      const table = await search.chunks(space);
      await table.setFacts(scopeKey(owner), id, { title: told.title, tags: told.tags });
    }
    const newest = await database.knowledge.get(owner, id);
    if (newest === null || newest.facts_revision === told.facts_revision) return;
    told = newest;
  }
}

/**
 * A new content in the place of an entry's: the old one serves until it is searchable.
 *
 * @param change.expected the revision that the caller has seen; null: whichever there is
 * @throws {ChorusError} conflict when another is there by now; store_unavailable
 */
export function planRevision(
  { database, blobs, keys, assets: { quota } }: EntryStore,
  record: KnowledgeRecord,
  change: { content: string; format: 'text' | 'markdown' | 'html'; expected: number | null },
): IngestionPlan {
  const { id, owner, source } = record;
  const { content, format } = change;
  const from = change.expected ?? record.revision;
  return {
    prepare: async (executionId) => {
      if (from !== record.revision) throw revisedMeanwhile();
      const text_name = textName(executionId);
      const charged = `${id}-${executionId}`;
      await quota.charge(owner, charged, Buffer.byteLength(content) - textBytes(record));
      await blobs.put(await keys.text(id, text_name), Buffer.from(content));
      const revised = await database.knowledge.revise(owner, id, from, {
        execution_id: executionId,
        source: { type: 'text', format },
        text_name,
        ...factsOf({ type: 'text', content, format }),
        former_asset_ids: source.type === 'file' ? [source.asset_id] : [],
      });
      if (revised === null) {
        // A write whose answer was lost is done again, and then finds itself.
        const newest = await database.knowledge.get(owner, id);
        if (newest?.execution_id !== executionId) {
          await blobs.remove(await keys.text(id, text_name)).catch(() => undefined);
          await quota.refund(owner, charged);
          throw newest === null ? unknownEntry() : revisedMeanwhile();
        }
      }
      await quota.settle(owner, charged);
      return { input: { entry_id: id, revision: from + 1 } };
    },
    // The number is taken: that the new content could not be processed is told by the entry, and it can be retried.
    abandon: async () => undefined,
  };
}

function revisedMeanwhile(): ChorusError {
  return new ChorusError('conflict', 'The entry has another revision by now; read it again.', { retryAfterS: 1 });
}
