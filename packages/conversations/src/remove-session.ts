import { type Deed, type Owner, scopeKey } from '@chorus/contract';
import type { ConversationStore } from './conversation-store.ts';
import { sessionLocked, unknownSession } from './refusals.ts';
import { turnHolds } from './turn-holds.ts';

/** Deletes a session with its messages. Throws `not_found`, or `session_locked` while a turn runs. */
export async function removeSession(
  store: ConversationStore,
  owner: Owner,
  sessionId: string,
  { actor, audit }: Deed,
): Promise<void> {
  await removeFree(store, owner, sessionId);
  await Promise.all([
    store.messages.removeBySession(owner, sessionId),
    store.messageRevisions.removeBySession(owner, sessionId),
  ]);
  const target = { type: 'session', id: sessionId };
  await audit.record(actor, { scope_key: scopeKey(owner), action: 'session.deleted', target });
}

async function removeFree(store: ConversationStore, owner: Owner, sessionId: string): Promise<void> {
  for (let mayFree = true; ; mayFree = false) {
    const removed = await store.sessions.remove(owner, sessionId);
    if (removed === null) throw unknownSession();
    if (removed !== 'locked') return;
    const session = await store.sessions.get(owner, sessionId);
    const holder = session?.active_execution_id ?? null;
    if (!mayFree || (holder !== null && (await turnHolds(store, owner, holder))))
      throw sessionLocked('A turn of this session is running.', holder);
  }
}
