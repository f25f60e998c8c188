import type { Owner } from '@chorus/contract';
import { applyEnding, type SettleStore } from '@chorus/executions';
import type { ConversationStore } from './conversation-store.ts';
import { sessionLocked, unknownSession } from './refusals.ts';

const ANOTHER_TURN = 'Another turn of this session is running.';

/**
 * Locks a session for a turn and reserves positions for its messages.
 *
 * @returns The first position, and whether the session still needs a title.
 * @throws {ChorusError} `not_found`; `session_locked` with `active_execution_id` while another turn runs
 */
export async function lockSession(
  store: ConversationStore,
  owner: Owner,
  sessionId: string,
  executionId: string,
  messages: number,
): Promise<{ position: number; needsTitle: boolean }> {
  for (let mayFree = true; ; mayFree = false) {
    const lock = await store.sessions.lock(owner, sessionId, executionId, messages);
    if (lock === null) throw unknownSession();
    if ('position' in lock) return lock;
    if (!mayFree || (await turnHolds(store, owner, lock.locked_by))) throw sessionLocked(ANOTHER_TURN, lock.locked_by);
  }
}

/** Throws what locking the session would throw: `not_found` or `session_locked`. */
export async function checkUnlocked(store: ConversationStore, owner: Owner, sessionId: string): Promise<void> {
  const session = await store.sessions.get(owner, sessionId);
  if (session === null) throw unknownSession();
  const { active_execution_id: holder } = session;
  if (holder !== null && (await turnHolds(store, owner, holder))) throw sessionLocked(ANOTHER_TURN, holder);
}

/**
 * Returns whether the turn that locks a session still runs. If its end is stored, unlocks the session: a client may
 * ask after the end but before the worker unlocks, or after the worker died.
 */
export async function turnHolds(store: SettleStore, owner: Owner, executionId: string): Promise<boolean> {
  const record = await store.executions.get(owner, executionId);
  if (record === null || record.finished_at === null) return true;
  await applyEnding(store, record);
  return false;
}
