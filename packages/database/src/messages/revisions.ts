import type { ListQuery, Owner } from '@chorus/contract';
import type { Db, Filter } from 'mongodb';
import { requireString, storedOwner } from '../collection.ts';
import { numberCursor, readIds, readOne, readPage } from '../reading.ts';
import { fromStore, unlessDuplicate, upsert } from '../store-errors.ts';
import {
  listQuoting,
  type MessageRevisionRecord,
  messageRevisionCollection,
  type QuotingText,
  revisionOf,
  type StoredMessageRevision,
} from './schema.ts';

const MANY_DEADLINE_MS = 60_000;

/** The history of messages. A message that was never changed has no rows. */
export function createMessageRevisionRepository(db: Db) {
  const revisions = messageRevisionCollection.in(db);

  return {
    /** Stores the current text of a message before it changes. Can be repeated. */
    keep: async (owner: Owner, row: MessageRevisionRecord) => {
      const { _id, content, citations, ...once } = storedRevision(owner, row);
      const written = { $set: { content, citations }, $setOnInsert: once };
      await upsert(() => revisions.updateOne({ _id }, written, { upsert: true }));
    },
    /** Claims a revision number for a change. Returns false if another change has it. */
    claim: async (owner: Owner, row: MessageRevisionRecord) =>
      unlessDuplicate(revisions.insertOne(storedRevision(owner, row))),
    get: async (owner: Owner, messageId: string, revision: number) => {
      const row: Filter<StoredMessageRevision> = { _id: rowId(messageId, revision), ...storedOwner(owner) };
      return readOne(revisions.findOne(row), revisionOf);
    },
    /** Oldest first. */
    list: async (owner: Owner, messageId: string, { limit, after }: ListQuery) => {
      const from = after === undefined ? {} : { revision: { $gt: numberCursor(after) } };
      const found = revisions
        .find({ message_id: requireString(messageId), ...storedOwner(owner), ...from })
        .sort({ revision: 1 })
        .limit(limit + 1);
      return readPage(found, limit, revisionOf, (last) => String(last.revision));
    },
    removeByMessage: async (owner: Owner, messageId: string) => {
      await fromStore(revisions.deleteMany({ message_id: requireString(messageId), ...storedOwner(owner) }));
    },
    /** Deletes up to `limit` rows of a session and returns how many. Two round trips. */
    removeSome: async (owner: Owner, sessionId: string, limit: number) => {
      const rows = revisions.find({ session_id: requireString(sessionId), ...storedOwner(owner) });
      const ids = await readIds(rows.limit(limit), MANY_DEADLINE_MS);
      if (ids.length > 0) await fromStore(revisions.deleteMany({ _id: { $in: ids } }), MANY_DEADLINE_MS);
      return ids.length;
    },
    /** Returns revisions of all owners that quote a knowledge entry. */
    listQuoting: async (entryId: string, limit: number) => listQuoting(revisions, entryId, limit),
    /** Replaces the text of a revision if it has not changed since it was read. */
    replaceQuotes: async (read: QuotingText, { content, citations }: Pick<QuotingText, 'content' | 'citations'>) => {
      const row = { _id: requireString(read.id), content: read.content };
      await fromStore(revisions.updateOne(row, { $set: { content, citations } }));
    },
  };
}

function rowId(messageId: string, revision: number): string {
  return `${requireString(messageId)}:${revision}`;
}

function storedRevision(owner: Owner, row: MessageRevisionRecord): StoredMessageRevision {
  const { owner: _owner, user_id, ...plain } = row;
  return { _id: rowId(row.message_id, row.revision), ...storedOwner(owner), ...plain, author_id: user_id };
}
