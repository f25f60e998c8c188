import { ChorusError, type Owner, type PublishFeedEvent, type SessionPatch, titleFrom } from '@chorus/contract';
import type { Database, SessionRecord } from '@chorus/database';
import { checkFolder } from './folders.ts';
import { unknownSession } from './refusals.ts';

type Store = Pick<Database, 'sessions' | 'messages' | 'folders'>;

/**
 * Renames, pins, stars, archives, moves, or keeps a session, and publishes the change.
 *
 * @throws {ChorusError} `not_found`; `invalid_request` for an unknown folder, or to pin or move a temporary session
 */
export async function changeSession(
  { database, publishToFeed }: { database: Store; publishToFeed: PublishFeedEvent },
  owner: Owner,
  sessionId: string,
  patch: SessionPatch,
): Promise<SessionRecord> {
  if (typeof patch.folder_id === 'string') await checkFolder(database, owner, patch.folder_id);
  if (patch.temporary === undefined) await checkPlace(database, owner, sessionId, patch);
  const named = patch.temporary === false ? await titleOfKept(database, owner, sessionId, patch) : {};
  const record = await database.sessions.patch(owner, sessionId, { ...patch, ...named });
  if (record === null) throw unknownSession();
  publishToFeed(owner, { type: 'session.updated', session_id: sessionId });
  return record;
}

/** Refuses to pin, star, archive, or move a temporary session. */
async function checkPlace({ sessions }: Store, owner: Owner, id: string, patch: SessionPatch): Promise<void> {
  const places = (['pinned', 'starred', 'archived', 'folder_id'] as const).filter((field) => patch[field]);
  if (places.length === 0 || !(await sessions.get(owner, id))?.temporary) return;
  const message = 'is not for a temporary session. Keep it with `temporary: false`';
  throw new ChorusError('invalid_request', `body.${places[0]}: ${message}`, {
    details: places.map((field) => ({ path: `body.${field}`, message })),
  });
}

/** Returns the title for a temporary session that is kept. */
async function titleOfKept({ sessions, messages }: Store, owner: Owner, id: string, { title }: SessionPatch) {
  if (title !== undefined) return {};
  const session = await sessions.get(owner, id);
  if (!session?.temporary || session.title !== null) return {};
  const [first] = (await messages.listBySession(owner, id, { limit: 1 })).data;
  const found = first === undefined ? null : titleFrom(first.content);
  return found === null ? {} : { title: found };
}
