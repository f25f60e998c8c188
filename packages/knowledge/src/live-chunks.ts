import type { Owner } from '@chorus/contract';
import type { Database, KnowledgeRecord } from '@chorus/database';

/**
 * Of what a search found, what the database knows of: it is the truth. What is being deleted, or was put there by a process that had long lost its entry,
 * is left out.
 *
 * @returns the chunks that are left, and the entries that they belong to
 * @throws {ChorusError} store_unavailable
 */
export async function liveChunks<C extends { entry_id: string; revision: number }>(
  { knowledge }: Pick<Database, 'knowledge'>,
  owner: Owner,
  found: readonly C[],
): Promise<{ chunks: C[]; entries: Map<string, KnowledgeRecord> }> {
  const ids = [...new Set(found.map(({ entry_id }) => entry_id))];
  const records = ids.length === 0 ? [] : await knowledge.getMany(owner, ids);
  const entries = new Map(records.map((record) => [record.id, record]));
  const chunks = found.filter(({ entry_id, revision }) => {
    const entry = entries.get(entry_id);
    return entry !== undefined && revision >= (entry.searchable_revision ?? 0);
  });
  return { chunks, entries };
}
