import { type Deed, type Owner, scopeKey } from '@chorus/contract';
import type { ConversationStore } from './conversation-store.ts';
import { sessionLocked, unknownSession } from './refusals.ts';

/** Deletes a session with its messages. Throws `not_found`, or `session_locked` while a turn runs. */
export async function removeSession(
  store: ConversationStore,
  owner: Owner,
  sessionId: string,
  { actor, audit }: Deed,
): Promise<void> {
  const removed = await store.sessions.remove(owner, sessionId);
  if (removed === null) throw unknownSession();
  if (removed === 'locked') {
    const session = await store.sessions.get(owner, sessionId);
    throw sessionLocked('A turn of this session is running.', session?.active_execution_id ?? null);
  }
  await Promise.all([
    store.messages.removeBySession(owner, sessionId),
    store.messageRevisions.removeBySession(owner, sessionId),
  ]);
  const target = { type: 'session', id: sessionId };
  await audit.record(actor, { scope_key: scopeKey(owner), action: 'session.deleted', target });
}
