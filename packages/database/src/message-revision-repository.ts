import type { CitationItem, Owner } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import { invalidCursor, pageOf } from './page.ts';
import { listQuoting } from './quoting-texts.ts';
import type { MessageRevisionRecord } from './records.ts';
import type { MessageRevisionRepository } from './repositories.ts';
import { fromStore, isDuplicate, upsert } from './store-errors.ts';
import { ownerOf, requireText, type StoredOwner, storedOwner } from './stored-fields.ts';

export interface StoredRevision extends StoredOwner, Omit<MessageRevisionRecord, 'owner' | 'user_id' | 'citations'> {
  /** `<message>:<revision>`: two changes can't take one number. */
  _id: string;
  /** Who did it; `user_id` is whose it is. */
  author_id: string | null;
  /** Absent in rows of before there were any. */
  citations?: CitationItem[];
}

/** A session may have very many messages. */
const MANY_DEADLINE_MS = 60_000;

export function defineMessageRevisionModel(connection: Connection) {
  const schema = new Schema<StoredRevision>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      session_id: { type: String, required: true },
      message_id: { type: String, required: true },
      revision: { type: Number, required: true },
      action: { type: String, required: true },
      content: String,
      citations: [Schema.Types.Mixed],
      restores: Number,
      undo_to: Number,
      author_id: String,
      execution_id: String,
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'message_revisions' },
  );
  schema.index({ message_id: 1, revision: 1 });
  schema.index({ session_id: 1 });
  schema.index({ 'citations.entry_id': 1 }, { sparse: true });
  return connection.model('MessageRevision', schema);
}

export function createMessageRevisionRepository(
  collection: mongo.Collection<StoredRevision>,
): MessageRevisionRepository {
  return {
    keep: async (owner, row) => {
      const { _id, content, citations, ...once } = storedRevision(owner, row);
      const written = { $set: { content, citations }, $setOnInsert: once };
      await upsert(() => collection.updateOne({ _id }, written, { upsert: true }));
    },
    claim: async (owner, row) => {
      try {
        await fromStore(collection.insertOne(storedRevision(owner, row)));
        return true;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        return false;
      }
    },
    get: async (owner, messageId, revision) => {
      const stored = await fromStore(
        collection.findOne({ _id: rowId(messageId, revision), ...storedOwner(owner) } as mongo.Filter<StoredRevision>),
      );
      return stored === null ? null : revisionOf(stored);
    },
    list: async (owner, messageId, { limit, after }) => {
      const from = after === undefined ? {} : { revision: { $gt: readCursor(after) } };
      const found = collection
        .find({ message_id: requireText(messageId), ...storedOwner(owner), ...from })
        .sort({ revision: 1 })
        .limit(limit + 1);
      return pageOf(await fromStore(found.toArray()), limit, revisionOf, (last) => String(last.revision));
    },
    removeByMessage: async (owner, messageId) => {
      await fromStore(collection.deleteMany({ message_id: requireText(messageId), ...storedOwner(owner) }));
    },
    removeSome: async (owner, sessionId, limit) => {
      const rows = { session_id: requireText(sessionId), ...storedOwner(owner) };
      const ids = collection.find(rows).limit(limit).project<{ _id: string }>({ _id: 1 });
      const found = (await fromStore(ids.toArray(), MANY_DEADLINE_MS)).map(({ _id }) => _id);
      if (found.length > 0) await fromStore(collection.deleteMany({ _id: { $in: found } }), MANY_DEADLINE_MS);
      return found.length;
    },
    listQuoting: (entryId, limit) => listQuoting(collection, entryId, limit),
    requote: async ({ id, content: before }, { content, citations }) => {
      const row = { _id: requireText(id), content: before };
      await fromStore(collection.updateOne(row, { $set: { content, citations } }));
    },
  };
}

function rowId(messageId: string, revision: number): string {
  return `${requireText(messageId)}:${revision}`;
}

function storedRevision(owner: Owner, row: MessageRevisionRecord): StoredRevision {
  const { owner: _owner, user_id, ...plain } = row;
  return { _id: rowId(row.message_id, row.revision), ...storedOwner(owner), ...plain, author_id: user_id };
}

function revisionOf(stored: StoredRevision): MessageRevisionRecord {
  const { _id, scope_key, user_id, author_id, citations = [], ...plain } = stored;
  return { ...plain, citations, owner: ownerOf({ scope_key, user_id }), user_id: author_id };
}

function readCursor(cursor: string): number {
  if (!/^\d{1,9}$/.test(cursor)) throw invalidCursor();
  return Number(cursor);
}
