import { ChorusError, firstIdAt, newId, type Owner, type SessionPatch, type SessionQuery } from '@chorus/contract';
import type { mongo } from 'mongoose';
import { invalidCursor, pageOf } from './page.ts';
import type { NewSession, SessionRepository } from './repositories.ts';
import { type StoredSession, sessionOf } from './session-model.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { ofMaker, requireText, storedOwner, storedPairs } from './stored-fields.ts';
import { noteRemoval, type StoredTextRemoval } from './text-removals.ts';
import { newMark } from './unindexed-mark.ts';
import { wordsOf } from './words-of.ts';

type Filter = mongo.Filter<StoredSession>;

const LOCK_TRIES = 10;

export function createSessionRepository(
  collection: mongo.Collection<StoredSession>,
  removals: mongo.Collection<StoredTextRemoval>,
): SessionRepository {
  const find = (owner: Owner, id: string) => fromStore(collection.findOne(ofMaker(owner, id)));

  return {
    create: async (owner, session) => {
      const stored = newSession(owner, session);
      try {
        await fromStore(collection.insertOne(stored));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw new ChorusError('conflict', 'A session with this id exists.', { cause: error });
      }
      return sessionOf(stored);
    },
    get: async (owner, id) => {
      const stored = await find(owner, id);
      return stored === null ? null : sessionOf(stored);
    },
    list: async (owner, query) => {
      const found = collection
        .find(listFilter(owner, query))
        .sort({ pinned: -1, updated_at: -1, _id: -1 })
        .limit(query.limit + 1);
      return pageOf(await fromStore(found.toArray()), query.limit, sessionOf, cursorOf);
    },
    getMany: async (owner, ids, { untitled, ...flags }) => {
      const titled = titleConditions(untitled);
      const found = collection.find({
        ...flagFilter(owner, flags),
        _id: { $in: ids.map(requireText) },
        ...(titled.length === 0 ? {} : { $nor: [{ $and: titled }] }),
      });
      return (await fromStore(found.toArray())).map(sessionOf);
    },
    patch: async (owner, id, patch) => {
      const change = { $set: patchedFields(owner, patch) };
      const stored = await fromStore(
        collection.findOneAndUpdate(ofMaker(owner, id), change, { returnDocument: 'after' }),
      );
      return stored === null ? null : sessionOf(stored);
    },
    giveTitle: async (owner, id, title) => {
      const change = { $set: { title, ...newMark(storedOwner(owner)) } };
      await fromStore(collection.updateOne({ ...ofMaker(owner, id), title: null }, change));
    },
    clearTitle: async (owner, id, title) => {
      const change = { $set: { title: null, ...newMark(storedOwner(owner)) } };
      await fromStore(collection.updateOne({ ...ofMaker(owner, id), title: requireText(title) }, change));
    },
    remove: async (owner, id) => {
      await noteRemoval(removals, 'sessions', [requireText(id)]);
      const { deletedCount } = await fromStore(
        collection.deleteOne({ ...ofMaker(owner, id), active_execution_id: null }),
      );
      if (deletedCount > 0) return 'deleted';
      return (await find(owner, id)) === null ? null : 'locked';
    },
    removeLocked: async (owner, id, executionId) => {
      await noteRemoval(removals, 'sessions', [requireText(id)]);
      await fromStore(collection.deleteOne({ ...ofMaker(owner, id), active_execution_id: executionId }));
    },
    lock: async (owner, id, executionId, messages) => {
      for (let tries = 0; tries < LOCK_TRIES; tries++) {
        const now = new Date();
        const before = await fromStore(
          collection.findOneAndUpdate(
            { ...ofMaker(owner, id), active_execution_id: null },
            {
              $set: { active_execution_id: executionId, locked_at: now, updated_at: now },
              $inc: { message_count: messages, next_position: messages },
            },
            { returnDocument: 'before', projection: { next_position: 1, title: 1 } },
          ),
        );
        if (before !== null) return { position: before.next_position, untitled: before.title === null };
        const held = await find(owner, id);
        if (held === null) return null;
        // Asked again after a lost answer: the first asking was done.
        if (held.active_execution_id === executionId)
          return { position: held.next_position - messages, untitled: held.title === null };
        if (held.active_execution_id !== null) return { locked_by: held.active_execution_id };
        // Freed between the two looks: try once more.
      }
      throw new ChorusError('conflict', 'The session is changing too quickly.', { retryAfterS: 1 });
    },
    release: async (owner, id, executionId, removedMessages = 0) => {
      await fromStore(
        collection.updateOne(
          { ...ofMaker(owner, id), active_execution_id: executionId },
          {
            $set: { active_execution_id: null },
            $unset: { locked_at: '' },
            ...(removedMessages === 0 ? {} : { $inc: { message_count: -removedMessages } }),
          },
        ),
      );
    },
    changeCount: async (owner, id, by) => {
      await fromStore(collection.updateOne(ofMaker(owner, id), { $inc: { message_count: by } }));
    },
    listIdle: async ({ before, limit, after }) => {
      // An idle session was made before, too, and ids begin with their time.
      const old = { _id: { $gt: after ?? '', $lt: firstIdAt('session', before.getTime()) } };
      const found = collection
        .find({ ...old, updated_at: { $lt: before }, active_execution_id: null })
        .sort({ _id: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map(sessionOf);
    },
    listLocked: async ({ olderThan, limit, since = new Date(0) }) => {
      const found = collection
        .find({ locked_at: { $gte: since, $lt: olderThan } })
        .sort({ locked_at: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map(sessionOf);
    },
  };
}

function newSession(owner: Owner, session: NewSession): StoredSession {
  const now = new Date();
  const count = session.message_count ?? 0;
  const lockedBy = session.active_execution_id ?? null;
  const stored = storedOwner(owner);
  return {
    _id: session.id ?? newId('session'),
    ...stored,
    ...(session.title === null ? {} : newMark(stored)),
    title: session.title,
    pinned: session.pinned,
    starred: session.starred,
    agent_id: session.agent_id ?? null,
    message_count: count,
    next_position: count,
    active_execution_id: lockedBy,
    ...(lockedBy === null ? {} : { locked_at: now }),
    metadata: storedPairs(session.metadata),
    created_at: now,
    updated_at: now,
  };
}

function patchedFields(owner: Owner, patch: SessionPatch): Partial<StoredSession> {
  const { metadata, title, pinned, starred } = patch;
  return {
    ...(title === undefined ? {} : { title, ...newMark(storedOwner(owner)) }),
    ...(pinned === undefined ? {} : { pinned }),
    ...(starred === undefined ? {} : { starred }),
    ...(metadata === undefined ? {} : { metadata: storedPairs(metadata) }),
    updated_at: new Date(),
  };
}

function listFilter(owner: Owner, query: SessionQuery): Filter {
  const conditions = titleConditions(query.q);
  if (query.after !== undefined) conditions.push(afterCursor(query.after));
  return {
    ...flagFilter(owner, query),
    ...(conditions.length === 0 ? {} : { $and: conditions }),
  };
}

function titleConditions(q: string | undefined): Filter[] {
  return wordsOf(q).map((word) => ({ title: { $regex: word, $options: 'i' } }));
}

function flagFilter(owner: Owner, { pinned, starred }: Pick<SessionQuery, 'pinned' | 'starred'>): Filter {
  return {
    ...storedOwner(owner),
    ...(pinned === undefined ? {} : { pinned }),
    ...(starred === undefined ? {} : { starred }),
  };
}

function cursorOf(last: StoredSession): string {
  return Buffer.from(JSON.stringify([last.pinned ? 1 : 0, last.updated_at.getTime(), last._id])).toString('base64url');
}

function afterCursor(cursor: string): Filter {
  const { pinned, updatedAt, id } = readCursor(cursor);
  const later: Filter[] = [
    { pinned, updated_at: { $lt: updatedAt } },
    { pinned, updated_at: updatedAt, _id: { $lt: id } },
  ];
  if (pinned) later.push({ pinned: false });
  return { $or: later };
}

function readCursor(cursor: string): { pinned: boolean; updatedAt: Date; id: string } {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw invalidCursor();
  }
  const [pinned, time, id] = Array.isArray(parts) ? (parts as unknown[]) : [];
  const updatedAt = new Date(typeof time === 'number' ? time : Number.NaN);
  if ((pinned !== 0 && pinned !== 1) || Number.isNaN(updatedAt.getTime()) || typeof id !== 'string')
    throw invalidCursor();
  return { pinned: pinned === 1, updatedAt, id };
}
