import type { Owner } from '@chorus/contract';
import type { ConversationStore } from './conversation-store.ts';
import { sessionLocked, unknownSession } from './refusals.ts';
import { turnHolds } from './turn-holds.ts';

const ANOTHER_TURN = 'Another turn of this session is running.';

/**
 * Locks a session for a turn, and makes room for its messages.
 *
 * @returns the position of the first of them, and whether the session has no title
 * @throws {ChorusError} `not_found`; `session_locked` with `active_execution_id` while another turn runs
 */
export async function lockSession(
  store: ConversationStore,
  owner: Owner,
  sessionId: string,
  executionId: string,
  messages: number,
): Promise<{ position: number; untitled: boolean }> {
  for (let mayFree = true; ; mayFree = false) {
    const lock = await store.sessions.lock(owner, sessionId, executionId, messages);
    if (lock === null) throw unknownSession();
    if ('position' in lock) return lock;
    if (!mayFree || (await turnHolds(store, owner, lock.locked_by))) throw sessionLocked(ANOTHER_TURN, lock.locked_by);
  }
}

/** Throws what beginning a turn of this session would: `not_found`, or `session_locked`. */
export async function checkTurn(store: ConversationStore, owner: Owner, sessionId: string): Promise<void> {
  const session = await store.sessions.get(owner, sessionId);
  if (session === null) throw unknownSession();
  const { active_execution_id: holder } = session;
  if (holder !== null && (await turnHolds(store, owner, holder))) throw sessionLocked(ANOTHER_TURN, holder);
}
