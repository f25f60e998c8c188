import type { mongo } from 'mongoose';
import type { StoredArchiveUnit } from './archive-model.ts';
import type { StoredMessage } from './message-model.ts';
import type { StoredSession } from './session-model.ts';
import { fromStore } from './store-errors.ts';
import { requireText, type StoredOwner, storedOwner } from './stored-fields.ts';
import { takeWithin } from './take-within.ts';
import type { TextKind, TextRepository, UnindexedText } from './text-records.ts';
import type { StoredTextRemoval } from './text-removals.ts';
import { marksOf, newMark, type StoredMark } from './unindexed-mark.ts';

/** What all records with words have in common. */
interface StoredText extends StoredOwner, StoredMark {
  _id: string;
  /** Of units and sessions. */
  title?: string | null;
  /** Of units and messages. */
  content?: string;
}

type Texts = mongo.Collection<StoredText>;
type Filter = mongo.Filter<StoredText>;

/** Records that come at once; long ones fill a batch of the store's alone. */
const BATCH = 100;

/** Marking or looking at many takes its time, in milliseconds. */
const MANY_DEADLINE_MS = 30_000;

const FIELDS = { scope_key: 1, user_id: 1, title: 1, content: 1, unindexed: 1 } as const;

export interface TextCollections {
  archive: mongo.Collection<StoredArchiveUnit>;
  sessions: mongo.Collection<StoredSession>;
  messages: mongo.Collection<StoredMessage>;
  removals: mongo.Collection<StoredTextRemoval>;
}

export function createTextRepository({ removals, ...texts }: TextCollections): TextRepository {
  const collections = texts as unknown as Record<TextKind, Texts>;

  const find = async (kind: TextKind, marks: Filter['unindexed'], order: 1 | -1, limit: number) => {
    const found = collections[kind]
      .find({ unindexed: marks } as Filter)
      .sort({ unindexed: order })
      .limit(limit)
      .project<StoredText>(FIELDS)
      .batchSize(BATCH);
    const { taken } = await takeWithin(found, limit, ({ content = '' }) => Buffer.byteLength(content));
    return taken.map(textOf);
  };

  return {
    listUnindexed: (kind, { after = '', limit }) => find(kind, { $gt: after }, 1, limit),
    unindexedOf: (kind, owner, { ofMaker, limit }) => find(kind, marksOf(storedOwner(owner), ofMaker), -1, limit),
    noteIndexed: async (kind, texts) => {
      if (texts.length === 0) return;
      const collection = collections[kind];
      const cleared = texts.map(({ id, mark }) => ({
        updateOne: { filter: { _id: id, unindexed: mark }, update: { $unset: { unindexed: '' as const } } },
      }));
      const { matchedCount } = await fromStore(
        collection.bulkWrite(cleared as mongo.AnyBulkWriteOperation<StoredText>[], { ordered: false }),
        MANY_DEADLINE_MS,
      );
      if (matchedCount < texts.length) await markOvertaken(collection, texts, matchedCount);
    },
    markAll: async (kind, { after, limit }) => {
      const collection = collections[kind];
      const found = collection
        .find({ _id: { $gt: after } } as Filter)
        .sort({ _id: 1 })
        .limit(limit)
        .project<StoredOwner & StoredMark & { _id: string }>({ scope_key: 1, user_id: 1, unindexed: 1 });
      const stored = await fromStore(found.toArray(), MANY_DEADLINE_MS);
      await mark(
        collection,
        stored.filter(({ unindexed }) => unindexed === undefined),
      );
      return stored.length < limit ? null : (stored.at(-1)?._id ?? null);
    },
    existing: async (kind, ids) => {
      const found = collections[kind].find({ _id: { $in: ids.map(requireText) } } as Filter).project({ _id: 1 });
      return new Set((await fromStore(found.toArray(), MANY_DEADLINE_MS)).map(({ _id }) => String(_id)));
    },
    listRemovals: async (now, limit) => {
      const found = removals
        .find({ due: { $lte: now } })
        .sort({ due: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map(({ _id, kind, record_ids, seen }) => ({
        id: _id,
        kind,
        record_ids,
        seen,
      }));
    },
    setRemovalDue: async (id, due) => {
      const _id = requireText(id);
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
 * Of some texts not all had their marks any more: a change gave them others, or they were deleted, and all is well; or somebody else who indexed has taken
 * newer ones away, and may have been before us at the index with newer words. Then they are marked again.
 */
async function markOvertaken(
  collection: Texts,
  texts: readonly Pick<UnindexedText, 'id'>[],
  cleared: number,
): Promise<void> {
  const found = collection
    .find({ _id: { $in: texts.map(({ id }) => id) }, unindexed: { $exists: false } } as Filter)
    .project<StoredOwner & { _id: string }>({ scope_key: 1, user_id: 1 });
  const unmarked = await fromStore(found.toArray(), MANY_DEADLINE_MS);
  if (unmarked.length > cleared) await mark(collection, unmarked);
}

async function mark(collection: Texts, records: readonly (StoredOwner & { _id: string })[]): Promise<void> {
  if (records.length === 0) return;
  const writes = records.map((record) => ({
    updateOne: { filter: { _id: record._id, unindexed: { $exists: false } }, update: { $set: newMark(record) } },
  }));
  const marking = collection.bulkWrite(writes as mongo.AnyBulkWriteOperation<StoredText>[], { ordered: false });
  await fromStore(marking, MANY_DEADLINE_MS);
}
