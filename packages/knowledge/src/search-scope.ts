import { scopeKey } from '@chorus/contract';
import type { KnowledgeRecord } from '@chorus/database';

/**
 * Returns the scope of an entry's rows in the index. Documents for conversations have their own, so that no search of
 * the shared ones finds them, and they change no ranking.
 */
export function searchScope({ owner, session_ids }: Pick<KnowledgeRecord, 'owner' | 'session_ids'>): string {
  return session_ids === null ? scopeKey(owner) : `${scopeKey(owner)}/conversations`;
}
