import type { Owner, PublishFeedEvent, SessionPatch } from '@chorus/contract';
import type { SessionRecord } from '@chorus/database';
import type { ConversationStore } from './conversation-store.ts';
import { unknownSession } from './refusals.ts';

/**
 * Renames, pins, or stars a session, and publishes that.
 *
 * @throws {ChorusError} `not_found`
 */
export async function changeSession(
  { database, tell }: { database: Pick<ConversationStore, 'sessions'>; tell: PublishFeedEvent },
  owner: Owner,
  sessionId: string,
  patch: SessionPatch,
): Promise<SessionRecord> {
  const record = await database.sessions.patch(owner, sessionId, patch);
  if (record === null) throw unknownSession();
  tell(owner, { type: 'session.updated', session_id: sessionId });
  return record;
}
