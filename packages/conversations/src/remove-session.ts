import { type Deed, type Owner, scopeKey } from '@chorus/contract';
import type { ConversationStore } from './conversation-store.ts';
import { sessionLocked, unknownSession } from './refusals.ts';
import { turnHolds } from './turn-holds.ts';

/**
 * Deletes a session's record. Its messages, and what its executions say, go with the deletion that the caller carries out.
 *
 * @throws {ChorusError} `not_found`; `session_locked` while a turn runs
 */
export async function removeSession(
  store: ConversationStore,
  owner: Owner,
  sessionId: string,
  { actor, audit }: Deed,
): Promise<void> {
  await removeFree(store, owner, sessionId);
  const target = { type: 'session', id: sessionId };
  await audit.record(actor, { scope_key: scopeKey(owner), action: 'session.deleted', target });
}

const RUNNING = 'A turn of this session is running. Cancel it first, then delete the session.';

async function removeFree(store: ConversationStore, owner: Owner, sessionId: string): Promise<void> {
  if ((await store.sessions.get(owner, sessionId)) === null) throw unknownSession();
  // A spoken turn runs before it locks the session, and after.
  const running = await store.executions.unfinishedOf(sessionId);
  if (running !== null) throw sessionLocked(RUNNING, running);
  for (let mayFree = true; ; mayFree = false) {
    const removed = await store.sessions.remove(owner, sessionId);
    if (removed === null) throw unknownSession();
    if (removed !== 'locked') return;
    const session = await store.sessions.get(owner, sessionId);
    const holder = session?.active_execution_id ?? null;
    if (!mayFree || (holder !== null && (await turnHolds(store, owner, holder)))) throw sessionLocked(RUNNING, holder);
  }
}
