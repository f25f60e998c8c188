import type { Owner } from '@chorus/contract';
import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import { archiveCollection } from '../archive/schema.ts';
import { requireString, type StoredOwner, storedOwner } from '../collection.ts';
import { messageCollection } from '../messages/schema.ts';
import { readAll, readIds, takeWithin } from '../reading.ts';
import { sessionCollection } from '../sessions/schema.ts';
import { fromStore } from '../store-errors.ts';
import { marksOf, newMark, type StoredMark, type TextKind } from './marks.ts';
import { textRemovalCollection } from './removals.ts';

/** A record whose current text is not in the full-text index. */
export interface UnindexedText extends StoredOwner {
  id: string;
  text: string;
  /** Identifies this version of the text. The next change replaces it. */
  mark: string;
}

interface StoredText extends StoredOwner, StoredMark {
  _id: string;
  title?: string | null;
  content?: string;
}

type Texts = Collection<StoredText>;
type TextFilter = Filter<StoredText>;

const BATCH_SIZE = 100;
const MANY_DEADLINE_MS = 30_000;
const FIELDS = { scope_key: 1, user_id: 1, title: 1, content: 1, unindexed: 1 } as const;

/**
 * Tracks texts that the full-text indexes do not contain yet. Every write that changes a record's text marks it, so no
 * change is lost when a process dies.
 */
export function createTextRepository(db: Db) {
  const removals = textRemovalCollection.in(db);
  const collections = {
    archive: archiveCollection.in(db),
    sessions: sessionCollection.in(db),
    messages: messageCollection.in(db),
  } as unknown as Record<TextKind, Texts>;

  const find = async (kind: TextKind, marks: TextFilter['unindexed'], order: 1 | -1, limit: number) => {
    const found = collections[kind]
      .find({ unindexed: marks } as TextFilter)
      .sort({ unindexed: order })
      .limit(limit)
      .project<StoredText>(FIELDS)
      .batchSize(BATCH_SIZE);
    const { taken } = await takeWithin(found, limit, ({ content = '' }) => Buffer.byteLength(content));
    return taken.map(textOf);
  };

  return {
    /** For the indexer: marked texts of all owners, by mark, up to `PAGE_BYTES`. */
    listUnindexed: async (kind: TextKind, { after = '', limit }: { after?: string | undefined; limit: number }) =>
      find(kind, { $gt: after }, 1, limit),
    /** For searches that must find recent writes: marked texts of a scope or of one user in it, up to `PAGE_BYTES`. */
    listUnindexedOf: async (kind: TextKind, owner: Owner, { ofMaker, limit }: { ofMaker: boolean; limit: number }) =>
      find(kind, marksOf(storedOwner(owner), ofMaker), -1, limit),
    /** Clears the marks of indexed texts. Marks a record again if another indexer may have overwritten newer text. */
    clearMarks: async (kind: TextKind, texts: readonly Pick<UnindexedText, 'id' | 'mark'>[]) => {
      if (texts.length === 0) return;
      const collection = collections[kind];
      const cleared = texts.map(({ id, mark }) => ({
        updateOne: { filter: { _id: id, unindexed: mark }, update: { $unset: { unindexed: '' as const } } },
      }));
      const { matchedCount } = await fromStore(
        collection.bulkWrite(cleared as AnyBulkWriteOperation<StoredText>[], { ordered: false }),
        MANY_DEADLINE_MS,
      );
      if (matchedCount < texts.length) await markOvertaken(collection, texts, matchedCount);
    },
    /** For a rebuild: marks a page of records after an id. Returns the last id, or null if none are left. */
    markAll: async (kind: TextKind, { after, limit }: { after: string; limit: number }) => {
      const collection = collections[kind];
      const found = collection
        .find({ _id: { $gt: after } } as TextFilter)
        .sort({ _id: 1 })
        .limit(limit)
        .project<StoredOwner & StoredMark & { _id: string }>({ scope_key: 1, user_id: 1, unindexed: 1 });
      const stored = await fromStore(found.toArray(), MANY_DEADLINE_MS);
      const unmarked = stored.filter(({ unindexed }) => unindexed === undefined);
      await mark(collection, unmarked);
      return stored.length < limit ? null : (stored.at(-1)?._id ?? null);
    },
    /** Returns whether any owner has a record. */
    hasAny: async (kind: TextKind) =>
      (await fromStore(collections[kind].findOne({}, { projection: { _id: 1 } }))) !== null,
    /** Returns which of these records of any owner exist. */
    existing: async (kind: TextKind, ids: readonly string[]) => {
      const found = collections[kind].find({ _id: { $in: ids.map(requireString) } } as TextFilter);
      return new Set(await readIds(found, MANY_DEADLINE_MS));
    },
    /** Returns deleted records to remove from an index, longest due first. */
    listRemovals: async (now: Date, limit: number) => {
      const due = removals.find({ due: { $lte: now } });
      return readAll(due.sort({ due: 1 }).limit(limit), ({ _id, due: _due, ...removal }) => ({ id: _id, ...removal }));
    },
    /** Schedules another pass of a removal. Null: it is complete. */
    setRemovalDue: async (id: string, due: Date | null) => {
      const _id = requireString(id);
      if (due === null) await fromStore(removals.deleteOne({ _id }));
      else await fromStore(removals.updateOne({ _id }, { $set: { due, seen: true } }));
    },
  };
}

function textOf({ _id, scope_key, user_id, title, content, unindexed = '' }: StoredText): UnindexedText {
  const text = [title, content].filter((part) => part).join('\n\n');
  return { id: _id, scope_key, user_id, text, mark: unindexed };
}

/**
 * Marks texts again if another indexer has cleared their marks, since it may have written newer text before us. Does
 * nothing for texts that were changed or deleted meanwhile.
 */
async function markOvertaken(
  collection: Texts,
  texts: readonly Pick<UnindexedText, 'id'>[],
  cleared: number,
): Promise<void> {
  const found = collection
    .find({ _id: { $in: texts.map(({ id }) => id) }, unindexed: { $exists: false } } as TextFilter)
    .project<StoredOwner & { _id: string }>({ scope_key: 1, user_id: 1 });
  const unmarked = await fromStore(found.toArray(), MANY_DEADLINE_MS);
  if (unmarked.length > cleared) await mark(collection, unmarked);
}

async function mark(collection: Texts, records: readonly (StoredOwner & { _id: string })[]): Promise<void> {
  if (records.length === 0) return;
  const writes = records.map((record) => ({
    updateOne: { filter: { _id: record._id, unindexed: { $exists: false } }, update: { $set: newMark(record) } },
  }));
  const marking = collection.bulkWrite(writes as AnyBulkWriteOperation<StoredText>[], { ordered: false });
  await fromStore(marking, MANY_DEADLINE_MS);
}
