import type { Owner, PublishFeedEvent, SessionPatch } from '@chorus/contract';
import type { Database, SessionRecord } from '@chorus/database';
import { checkFolder } from './folders.ts';
import { unknownSession } from './refusals.ts';

/**
 * Renames, pins, stars, archives, or moves a session, and publishes that.
 *
 * @throws {ChorusError} `not_found`; `invalid_request` for an unknown folder
 */
export async function changeSession(
  { database, tell }: { database: Pick<Database, 'sessions' | 'folders'>; tell: PublishFeedEvent },
  owner: Owner,
  sessionId: string,
  patch: SessionPatch,
): Promise<SessionRecord> {
  if (typeof patch.folder_id === 'string') await checkFolder(database, owner, patch.folder_id);
  const record = await database.sessions.patch(owner, sessionId, patch);
  if (record === null) throw unknownSession();
  tell(owner, { type: 'session.updated', session_id: sessionId });
  return record;
}
