import { ChorusError, type Owner } from '@chorus/contract';
import type { mongo } from 'mongoose';
import { messageOf, type StoredMessage, storedMessage } from './message-model.ts';
import { invalidCursor, pageOf } from './page.ts';
import { listQuoting } from './quoting-texts.ts';
import type { MessageRecord } from './records.ts';
import type { MessageRepository } from './repositories.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { ofMaker, requireText, storedOwner } from './stored-fields.ts';
import { noteRemoval, type StoredTextRemoval } from './text-removals.ts';
import { newMark } from './unindexed-mark.ts';

/** Messages that come at once; a large one fills a batch alone. */
const CONTEXT_BATCH = 200;

/** A session may have very many messages. */
const MANY_DEADLINE_MS = 60_000;

export function createMessageRepository(
  collection: mongo.Collection<StoredMessage>,
  removals: mongo.Collection<StoredTextRemoval>,
): MessageRepository {
  /** Deletes messages and answers their ids; before that the full-text index is told to forget them. Zero: no limit. */
  const removeAll = async (messages: mongo.Filter<StoredMessage>, limit = 0): Promise<string[]> => {
    const ids = collection.find(messages).limit(limit).project<{ _id: string }>({ _id: 1 });
    const found = (await fromStore(ids.toArray(), MANY_DEADLINE_MS)).map(({ _id }) => _id);
    if (found.length === 0) return [];
    await noteRemoval(removals, 'messages', found);
    await fromStore(collection.deleteMany({ _id: { $in: found } }), MANY_DEADLINE_MS);
    return found;
  };

  return {
    insert: async (owner, messages) => {
      const stored = messages.map((message) => storedMessage({ ...message, owner }));
      try {
        await fromStore(collection.insertMany(stored));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw new ChorusError('conflict', 'This place in the session is taken.', { cause: error });
      }
    },
    get: async (owner, id) => {
      const stored = await fromStore(collection.findOne(ofMaker(owner, id)));
      return stored === null ? null : messageOf(stored);
    },
    complete: async (owner, id, { execution_id, ...fields }) => {
      const written = { $set: { ...fields, ...newMark(storedOwner(owner)), updated_at: new Date() } };
      await fromStore(
        collection.updateOne({ ...ofMaker(owner, id), execution_id: requireText(execution_id) }, written),
      );
    },
    setVoice: async (owner, id, voice) => {
      await fromStore(collection.updateOne(ofMaker(owner, id), { $set: { voice } }));
    },
    revise: async (owner, id, fromRevision, change) => {
      const stored = await fromStore(
        collection.findOneAndUpdate(
          { ...ofMaker(owner, id), revision: fromRevision },
          { $set: { ...change, ...newMark(storedOwner(owner)), updated_at: new Date() } },
          { returnDocument: 'after' },
        ),
      );
      return stored === null ? null : messageOf(stored);
    },
    remove: async (owner, id) => (await removeAll(ofMaker(owner, id))).length > 0,
    placesOf: async (owner, ids) => {
      const wanted = { _id: { $in: ids.map(requireText) }, ...storedOwner(owner), superseded_by: null };
      const found = collection.find(wanted).project<{ _id: string; session_id: string }>({ session_id: 1 });
      return new Map((await fromStore(found.toArray())).map(({ _id, session_id }) => [_id, session_id]));
    },
    lastOfUser: async (owner, sessionId, beforePosition) => {
      const found = collection
        .find({ ...inConversation(owner, sessionId), position: { $lt: beforePosition }, role: 'user' })
        .sort({ position: -1 })
        .limit(1);
      const [stored] = await fromStore(found.toArray());
      return stored === undefined ? null : messageOf(stored);
    },
    supersede: async (owner, sessionId, { after, before }, executionId) => {
      const replaced = { ...inConversation(owner, sessionId), position: { $gt: after, $lt: before } };
      const written = { $set: { superseded_by: requireText(executionId) } };
      return (await fromStore(collection.updateMany(replaced, written), MANY_DEADLINE_MS)).modifiedCount;
    },
    bringBack: async (owner, sessionId, executionId) => {
      const replaced = { ...ofSession(owner, sessionId), superseded_by: requireText(executionId) };
      const written = { $set: { superseded_by: null } };
      return (await fromStore(collection.updateMany(replaced, written), MANY_DEADLINE_MS)).modifiedCount;
    },
    listBySession: async (owner, sessionId, { limit, after, include_superseded = false, order = 'asc' }) => {
      const behind = order === 'asc' ? '$gt' : '$lt';
      const from = after === undefined ? {} : { position: { [behind]: readCursor(after) } };
      const messages = include_superseded ? ofSession(owner, sessionId) : inConversation(owner, sessionId);
      const found = collection
        .find({ ...messages, ...from })
        .sort({ position: order === 'asc' ? 1 : -1 })
        .limit(limit + 1)
        .batchSize(limit + 1);
      return pageOf(await fromStore(found.toArray()), limit, messageOf, (last) => String(last.position));
    },
    context: async (owner, sessionId, beforePosition, { maxMessages, maxBytes }) => {
      const found = collection
        .find({ ...inConversation(owner, sessionId), position: { $lt: beforePosition }, content: { $ne: '' } })
        .sort({ position: -1 })
        .limit(maxMessages + 1)
        // One batch holds what fits nearly always; what does not fit is never fetched.
        .batchSize(CONTEXT_BATCH);
      const messages: MessageRecord[] = [];
      let bytes = 0;
      try {
        for (let stored = await fromStore(found.next()); stored !== null; stored = await fromStore(found.next())) {
          bytes += Buffer.byteLength(stored.content);
          const fits = messages.length < maxMessages && bytes <= maxBytes;
          if (!fits && messages.length > 0) return { messages: messages.reverse(), dropped: true };
          messages.push(messageOf(stored));
        }
        return { messages: messages.reverse(), dropped: false };
      } finally {
        // Where the store is away its cursor is gone too.
        await found.close().catch(() => undefined);
      }
    },
    removeTurn: async (owner, sessionId, executionId) => {
      const turn = { ...ofSession(owner, sessionId), execution_id: requireText(executionId) };
      return (await removeAll(turn)).length;
    },
    removeSome: (owner, sessionId, limit) => removeAll(ofSession(owner, sessionId), limit),
    listQuoting: (entryId, limit) => listQuoting(collection, entryId, limit),
    requote: async (read, { content, citations }) => {
      const stored = await fromStore(collection.findOne({ _id: requireText(read.id) }));
      if (stored === null || stored.content !== read.content) return;
      const change = { $set: { content, citations, ...newMark(stored) } };
      await fromStore(collection.updateOne({ _id: read.id, revision: stored.revision, content: read.content }, change));
    },
  };
}

function ofSession(owner: Owner, sessionId: string): mongo.Filter<StoredMessage> {
  return { session_id: requireText(sessionId), ...storedOwner(owner) };
}

/** Of a session, what no regeneration has replaced. */
function inConversation(owner: Owner, sessionId: string): mongo.Filter<StoredMessage> {
  return { ...ofSession(owner, sessionId), superseded_by: null };
}

function readCursor(cursor: string): number {
  const position = Number(cursor);
  if (!/^\d{1,15}$/.test(cursor) || !Number.isSafeInteger(position)) throw invalidCursor();
  return position;
}
