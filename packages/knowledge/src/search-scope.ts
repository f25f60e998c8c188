import { scopeKey } from '@chorus/contract';
import type { KnowledgeRecord } from '@chorus/database';

/**
 * Returns the scope of an entry's rows in the index. Documents for conversations have a separate one, so that searches
 * of shared ones do not find them, and their ranking is not affected.
 */
export function searchScope({ owner, session_ids }: Pick<KnowledgeRecord, 'owner' | 'session_ids'>): string {
  return session_ids === null ? scopeKey(owner) : `${scopeKey(owner)}/conversations`;
}
