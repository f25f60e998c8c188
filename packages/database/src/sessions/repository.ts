import {
  ChorusError,
  firstIdAt,
  newId,
  type Owner,
  type Page,
  type SessionPatch,
  type SessionQuery,
} from '@chorus/contract';
import type { Db, UpdateFilter } from 'mongodb';
import { defined, ofMaker, requireString, storedOwner, storedPairs } from '../collection.ts';
import { joinInserts, joinUpdates } from '../joined-writes.ts';
import { readAll, readOne, readPage, titleConditions } from '../reading.ts';
import { fromStore } from '../store-errors.ts';
import { newMark } from '../texts/marks.ts';
import { noteRemoval } from '../texts/removals.ts';
import { cursorOf, type Flags, flagFilter, listFilter, NOT_ARCHIVED } from './list-filter.ts';
import { type SessionRecord, type StoredSession, sessionCollection, sessionOf } from './schema.ts';

export type NewSession = Pick<SessionRecord, 'title' | 'pinned' | 'starred' | 'metadata'> &
  Partial<
    Pick<
      SessionRecord,
      | 'id'
      | 'agent_id'
      | 'message_count'
      | 'active_execution_id'
      | 'folder_id'
      | 'archived'
      | 'temporary'
      | 'import_key'
      | 'created_at'
      | 'updated_at'
    >
  >;

const LOCK_TRIES = 10;

const NOT_BY_MODEL = { $unset: { titled_from: '' } } as const;

/** Conditions for removing a session, which may have been used since it was found. */
export interface Unused {
  temporary?: true;
  /** Only if it has had no turn since then. */
  before?: Date;
}

/** Sessions belong to the user who created them, even in a workspace. */
export function createSessionRepository(db: Db) {
  const sessions = sessionCollection.in(db);
  const insert = joinInserts(sessions);
  const free = joinUpdates(sessions);
  const find = (owner: Owner, id: string) => fromStore(sessions.findOne(ofMaker(owner, id)));
  const archive = (owner: Owner, id: string) =>
    fromStore(sessions.updateOne(ofMaker(owner, id), { $set: { archived: true }, $unset: { pinned: '' } }));
  const unarchive = (owner: Owner, id: string) => {
    const archived = { ...ofMaker(owner, id), archived: true as const };
    return fromStore(sessions.updateOne(archived, { $set: { pinned: false }, $unset: { archived: '' } }));
  };

  const keep = (owner: Owner, id: string) => {
    const temporary = { ...ofMaker(owner, id), temporary: true as const };
    return fromStore(sessions.updateOne(temporary, { $set: { pinned: false }, $unset: { temporary: '' } }));
  };

  return {
    /** Throws `conflict` if the id exists. */
    create: async (owner: Owner, session: NewSession) => {
      const stored = newSession(owner, session);
      if (!(await insert(stored))) throw new ChorusError('conflict', 'A session with this id exists.');
      return sessionOf(stored);
    },
    get: async (owner: Owner, id: string) => readOne(sessions.findOne(ofMaker(owner, id)), sessionOf),
    /** Pinned first, then by last update. The title must contain every word of `q`, in any case. */
    list: async (owner: Owner, query: SessionQuery): Promise<Page<SessionRecord>> => {
      const found = sessions
        .find(listFilter(owner, query))
        .sort({ pinned: -1, updated_at: -1, _id: -1 })
        .limit(query.limit + 1);
      return readPage(found, query.limit, sessionOf, cursorOf);
    },
    /** Returns the given sessions that match, in no particular order. `untitled` excludes those that `q` would list. */
    getMany: async (owner: Owner, ids: string[], { untitled, ...flags }: Flags & { untitled?: string }) => {
      const titled = titleConditions(untitled);
      const found = sessions.find({
        ...flagFilter(owner, flags, true),
        _id: { $in: ids.map(requireString) },
        ...(titled.length === 0 ? {} : { $nor: [{ $and: titled }] }),
      });
      return readAll(found, sessionOf);
    },
    /** Returns which of the given sessions are temporary. */
    temporaryAmong: async (owner: Owner, ids: readonly string[]) => {
      const temporary = { ...storedOwner(owner), _id: { $in: ids.map(requireString) }, temporary: true as const };
      return new Set(await readAll(sessions.find(temporary, { projection: { _id: 1 } }), ({ _id }) => _id));
    },
    patch: async (owner: Owner, id: string, patch: SessionPatch) => {
      const { archived, pinned, temporary, ...others } = patch;
      if (temporary === false) await keep(owner, id);
      if (archived === true) await archive(owner, id);
      else if (archived === false || pinned === true) await unarchive(owner, id);
      if (pinned !== undefined && archived !== true)
        await fromStore(sessions.updateOne({ ...ofMaker(owner, id), ...NOT_ARCHIVED }, { $set: { pinned } }));
      const change = patchOf(owner, others);
      const patched =
        change === null
          ? find(owner, id)
          : fromStore(sessions.findOneAndUpdate(ofMaker(owner, id), change, { returnDocument: 'after' }));
      return readOne(patched, sessionOf);
    },
    /** Returns the id of the session that a conversation was imported as. Null: none. */
    findImported: async (owner: Owner, key: string) => {
      const found = sessions.findOne({ import_key: requireString(key), ...storedOwner(owner) });
      return readOne(found, ({ _id }) => _id);
    },
    /** Sets the title of a session that has none. */
    setMissingTitle: async (owner: Owner, id: string, title: string) => {
      const change = { $set: { title, ...newMark(storedOwner(owner)) } };
      await fromStore(sessions.updateOne({ ...ofMaker(owner, id), title: null }, change));
    },
    /** Sets a title that a model wrote, if it is still `replaces`. Returns whether it did. */
    setModelTitle: async (
      owner: Owner,
      id: string,
      title: { title: string; from: string[]; replaces: string | null },
    ) => {
      const change = { $set: { title: title.title, titled_from: title.from, ...newMark(storedOwner(owner)) } };
      const replaced = { ...ofMaker(owner, id), title: title.replaces };
      return (await fromStore(sessions.updateOne(replaced, change))).matchedCount > 0;
    },
    /** Records the messages from which a model wrote the title. */
    noteTitledFrom: async (owner: Owner, id: string, messageIds: string[]) => {
      await fromStore(sessions.updateOne(ofMaker(owner, id), { $set: { titled_from: messageIds } }));
    },
    /** Removes a title if a model wrote it from the message. */
    clearModelTitle: async (owner: Owner, id: string, messageId: string) => {
      const change = { $set: { title: null, ...newMark(storedOwner(owner)) }, ...NOT_BY_MODEL };
      await fromStore(sessions.updateOne({ ...ofMaker(owner, id), titled_from: requireString(messageId) }, change));
    },
    /** Removes the title if it has not changed. */
    clearTitle: async (owner: Owner, id: string, title: string) => {
      const change = { $set: { title: null, ...newMark(storedOwner(owner)) } };
      await fromStore(sessions.updateOne({ ...ofMaker(owner, id), title: requireString(title) }, change));
    },
    /** Removes all sessions from a folder. */
    leaveFolder: async (owner: Owner, folderId: string) => {
      const inFolder = { ...storedOwner(owner), folder_id: requireString(folderId) };
      await fromStore(sessions.updateMany(inFolder, { $unset: { folder_id: '' } }));
    },
    /** Deletes the session, not its messages, unless a turn is running. Two round trips, three when refused. */
    remove: async (owner: Owner, id: string, only: Unused = {}): Promise<'deleted' | 'locked' | null> => {
      await noteRemoval(db, 'sessions', [requireString(id)]);
      const unused = {
        ...(only.temporary && { temporary: true as const }),
        ...(only.before && { updated_at: { $lt: only.before } }),
      };
      const free = { ...ofMaker(owner, id), active_execution_id: null, ...unused };
      const { deletedCount } = await fromStore(sessions.deleteOne(free));
      if (deletedCount > 0) return 'deleted';
      return (await find(owner, id)) === null ? null : 'locked';
    },
    /** Undoes `create` of a session that was created locked by `executionId`. */
    removeLocked: async (owner: Owner, id: string, executionId: string) => {
      await noteRemoval(db, 'sessions', [requireString(id)]);
      await fromStore(sessions.deleteOne({ ...ofMaker(owner, id), active_execution_id: executionId }));
    },
    /**
     * Locks a free session for an execution that adds messages. Returns the position of the first of them.
     * Can be repeated by the same execution. Two round trips when refused.
     */
    lock: async (
      owner: Owner,
      id: string,
      executionId: string,
      messages: number,
    ): Promise<{ position: number; needsTitle: boolean } | { locked_by: string } | null> => {
      for (let tries = 0; tries < LOCK_TRIES; tries++) {
        const now = new Date();
        const before = await fromStore(
          sessions.findOneAndUpdate(
            { ...ofMaker(owner, id), active_execution_id: null },
            {
              $set: { active_execution_id: executionId, locked_at: now, updated_at: now },
              $inc: { message_count: messages, next_position: messages },
            },
            { returnDocument: 'before', projection: { next_position: 1, title: 1, archived: 1, temporary: 1 } },
          ),
        );
        if (before?.archived && messages > 0) await unarchive(owner, id);
        if (before !== null) return { position: before.next_position, needsTitle: needsTitle(before) };
        const held = await find(owner, id);
        if (held === null) return null;
        // The first call succeeded, and its reply was lost.
        if (held.active_execution_id === executionId)
          return { position: held.next_position - messages, needsTitle: needsTitle(held) };
        if (held.active_execution_id !== null) return { locked_by: held.active_execution_id };
        // The session was freed between the two calls.
      }
      throw new ChorusError('conflict', 'The session is changing too quickly.', { retryAfterS: 1 });
    },
    /** Frees the session if `executionId` still holds it, and subtracts `removedMessages` from its count. */
    release: async (owner: Owner, id: string, executionId: string, removedMessages = 0) => {
      await free(
        { ...ofMaker(owner, id), active_execution_id: executionId },
        {
          $set: { active_execution_id: null },
          $unset: { locked_at: '' },
          ...(removedMessages === 0 ? {} : { $inc: { message_count: -removedMessages } }),
        },
      );
    },
    /** Adds `by`, which may be negative, to the message count. */
    changeCount: async (owner: Owner, id: string, by: number) => {
      await fromStore(sessions.updateOne(ofMaker(owner, id), { $inc: { message_count: by } }));
    },
    /** For retention: sessions of all owners without activity since `before`, by id. */
    listIdle: async ({ before, limit, after }: { before: Date; limit: number; after?: string | undefined }) => {
      // An idle session was also created before that, and ids start with their creation time.
      const old = { _id: { $gt: after ?? '', $lt: firstIdAt('session', before.getTime()) } };
      const found = sessions.find({ ...old, updated_at: { $lt: before }, active_execution_id: null });
      return readAll(found.sort({ _id: 1 }).limit(limit), sessionOf);
    },
    /** For expiry: temporary sessions of all owners without a turn since `before`, oldest first. */
    listTemporary: async ({ before, limit }: { before: Date; limit: number }) => {
      const found = sessions.find({ temporary: true, updated_at: { $lt: before }, active_execution_id: null });
      return readAll(found.sort({ updated_at: 1 }).limit(limit), sessionOf);
    },
    /** For sweeps: sessions of all owners locked between `since` and `olderThan`, longest first. */
    listLocked: async ({ olderThan, limit, since = new Date(0) }: { olderThan: Date; limit: number; since?: Date }) => {
      const found = sessions.find({ locked_at: { $gte: since, $lt: olderThan } });
      return readAll(found.sort({ locked_at: 1 }).limit(limit), sessionOf);
    },
  };
}

/** Temporary sessions get no title. */
function needsTitle({ title, temporary }: Pick<StoredSession, 'title' | 'temporary'>): boolean {
  return title === null && temporary !== true;
}

function newSession(owner: Owner, session: NewSession): StoredSession {
  const now = new Date();
  const { title, pinned, starred, metadata, folder_id, archived, temporary, import_key } = session;
  const { id = newId('session'), agent_id = null, message_count = 0, active_execution_id = null } = session;
  const { created_at = now, updated_at = now } = session;
  return {
    _id: id,
    ...storedOwner(owner),
    ...(title === null ? {} : newMark(storedOwner(owner))),
    title,
    ...(archived ? { archived } : temporary ? { temporary } : { pinned }),
    starred,
    agent_id,
    ...(folder_id && { folder_id }),
    ...(import_key !== undefined && { import_key }),
    message_count,
    next_position: message_count,
    active_execution_id,
    ...(active_execution_id === null ? {} : { locked_at: now }),
    metadata: storedPairs(metadata),
    created_at,
    updated_at,
  };
}

/** Returns null if nothing changes. A change of `updated_at` would move the session in lists. */
function patchOf(
  owner: Owner,
  { metadata, title, starred, folder_id }: Omit<SessionPatch, 'archived' | 'pinned' | 'temporary'>,
): UpdateFilter<StoredSession> | null {
  const $set = {
    ...(title === undefined ? {} : { title, ...newMark(storedOwner(owner)) }),
    ...defined({ starred, metadata: metadata && storedPairs(metadata) }),
    ...(folder_id && { folder_id: requireString(folder_id) }),
  };
  const $unset = {
    ...(title !== undefined && NOT_BY_MODEL.$unset),
    ...(folder_id === null && { folder_id: '' as const }),
  };
  const [sets, unsets] = [$set, $unset].map((fields) => Object.keys(fields).length > 0);
  return sets || unsets ? { ...(sets && { $set }), ...(unsets && { $unset }) } : null;
}
