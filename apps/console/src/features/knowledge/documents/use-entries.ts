import type { KnowledgeEntry } from '@chorus/client';
import { useCursorList } from '../../../data/use-cursor-list.ts';

export type EntryStatus = KnowledgeEntry['status'];

/** The documents of the scope, the newest first. */
export function useEntries(status: EntryStatus | null) {
  const filters = status === null ? {} : { status };
  return useCursorList({
    name: 'knowledge',
    filters,
    readPage: (client, query, options) => client.knowledge.list({ ...query, ...filters }, options),
  });
}
