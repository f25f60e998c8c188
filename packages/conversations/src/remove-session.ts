import { type AuditContext, type Owner, type PublishFeedEvent, scopeKey } from '@chorus/contract';
import type { ConversationStore } from './conversation-store.ts';
import { turnHolds } from './lock-session.ts';
import { sessionLocked, unknownSession } from './refusals.ts';

/**
 * Deletes a session's record, and publishes that. The caller deletes its messages and executions.
 *
 * @throws {ChorusError} `not_found`; `session_locked` while a turn runs
 */
export async function removeSession(
  store: ConversationStore,
  owner: Owner,
  sessionId: string,
  { actor, audit, publishToFeed }: AuditContext & { publishToFeed: PublishFeedEvent },
): Promise<void> {
  await removeFree(store, owner, sessionId);
  publishToFeed(owner, { type: 'session.deleted', session_id: sessionId });
  const target = { type: 'session', id: sessionId };
  await audit.record(actor, { scope_key: scopeKey(owner), action: 'session.deleted', target });
}

const RUNNING = 'A turn of this session is running. Cancel it first, then delete the session.';

async function removeFree(store: ConversationStore, owner: Owner, sessionId: string): Promise<void> {
  if ((await store.sessions.get(owner, sessionId)) === null) throw unknownSession();
  // A voice turn also runs before and after it locks the session.
  const running = await store.executions.findUnfinished(sessionId);
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
