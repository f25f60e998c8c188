import { type Owner, scopeKey } from '@chorus/contract';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import { assetCollection } from '../assets/repository.ts';
import { defineCollection, requireString } from '../collection.ts';
import { knowledgeCollection } from '../knowledge/schema.ts';
import { fromStore, insertOrGet } from '../store-errors.ts';

interface StoredUse {
  /** The scope. */
  _id: string;
  bytes: number;
  /** Records that are being added or removed, by id: when that started, and how much a refund subtracts. */
  marks: Record<string, { at: Date; bytes: number }>;
  /** Increases with each change, so that a recount notices changes. */
  version: number;
  counted_at: Date;
}

export const storageCollection = defineCollection<StoredUse>('storage_use');

const SUM_DEADLINE_MS = 30_000;

export type StorageRepository = ReturnType<typeof createStorageRepository>;

/**
 * Counts the stored bytes of each scope: files, and texts of knowledge entries.
 * A record is marked while it is being added or removed. `recount` cleans up after dead processes.
 */
export function createStorageRepository(db: Db) {
  const use = storageCollection.in(db);

  const sumOf = async (scope: string): Promise<number> => {
    const group = { $group: { _id: null, bytes: { $sum: '$size_bytes' } } };
    const files = assetCollection.in(db).aggregate<{ bytes: number }>([{ $match: { scope_key: scope } }, group]);
    // The content of other entries is in files, or comes from web pages.
    const written = { scope_key: scope, text_name: { $type: 'string' } };
    const texts = knowledgeCollection.in(db).aggregate<{ bytes: number }>([{ $match: written }, group]);
    const sums = await Promise.all([files, texts].map((found) => fromStore(found.toArray(), SUM_DEADLINE_MS)));
    return sums.flat().reduce((sum, { bytes }) => sum + bytes, 0);
  };

  /** Returns the scope's count, and creates it on first use. */
  const useOf = async (scope: string): Promise<StoredUse> =>
    (await fromStore(use.findOne({ _id: scope }))) ??
    insertOrGet(use, { _id: scope, bytes: await sumOf(scope), marks: {}, version: 0, counted_at: new Date() });

  const markOf = (id: string) => `marks.${requireString(id)}`;

  const change = async (owner: Owner, filter: Record<string, unknown>, update: Record<string, unknown>) => {
    const changing = use.updateOne({ _id: scopeKey(owner), ...filter } as Filter<StoredUse>, update);
    return (await fromStore(changing)).matchedCount > 0;
  };

  const recountOne = async (known: StoredUse): Promise<boolean> => {
    const bytes = await sumOf(known._id);
    const set: UpdateFilter<StoredUse> = { $set: { bytes, marks: {}, counted_at: new Date() }, $inc: { version: 1 } };
    const { matchedCount } = await fromStore(use.updateOne({ _id: known._id, version: known.version }, set));
    return matchedCount > 0 && bytes !== known.bytes;
  };

  return {
    used: async (owner: Owner) => (await useOf(scopeKey(owner))).bytes,
    /** Adds the bytes of a record that is about to be stored or changed. Returns false beyond `limitBytes`. */
    charge: async (owner: Owner, id: string, bytes: number, limitBytes: number | null) => {
      const mark = markOf(id);
      const update = { $inc: { bytes, version: 1 }, $set: { [mark]: { at: new Date(), bytes } } };
      const room = limitBytes === null || bytes <= 0 ? {} : { bytes: { $lte: limitBytes - bytes } };
      const filter = { ...room, [mark]: { $exists: false } };
      if (await change(owner, filter, update)) return true;
      // There was no count yet, or the first call succeeded and its reply was lost.
      const { marks } = await useOf(scopeKey(owner));
      return Object.hasOwn(marks, id) || change(owner, filter, update);
    },
    /** Removes the mark of a record that is stored. */
    settle: async (owner: Owner, id: string) => {
      const mark = markOf(id);
      await change(owner, { [mark]: { $exists: true } }, { $unset: { [mark]: '' }, $inc: { version: 1 } });
    },
    /** Marks a record that is about to be removed. */
    mark: async (owner: Owner, id: string, bytes: number) => {
      await useOf(scopeKey(owner));
      await change(owner, {}, { $set: { [markOf(id)]: { at: new Date(), bytes } }, $inc: { version: 1 } });
    },
    /** Subtracts the bytes of a marked record, once, and removes the mark. */
    refund: async (owner: Owner, id: string) => {
      const mark = markOf(id);
      const known = await fromStore(use.findOne({ _id: scopeKey(owner) }));
      const bytes = known?.marks[id]?.bytes;
      if (bytes === undefined) return;
      const update = { $unset: { [mark]: '' }, $inc: { bytes: -bytes, version: 1 } };
      await change(owner, { [mark]: { $exists: true } }, update);
    },
    /**
     * Recounts scopes with marks older than `marksBefore`, or that were last counted before `countedBefore`.
     * Returns how many were wrong.
     */
    recount: async ({ marksBefore, countedBefore }: { marksBefore: Date; countedBefore: Date }) => {
      let wrong = 0;
      const all = use.find().sort({ _id: 1 });
      try {
        for (let known = await fromStore(all.next()); known !== null; known = await fromStore(all.next())) {
          const marks = Object.values(known.marks);
          // The records may or may not include a change in progress.
          if (marks.some(({ at }) => at >= marksBefore)) continue;
          if ((marks.length > 0 || known.counted_at < countedBefore) && (await recountOne(known))) wrong += 1;
        }
        return wrong;
      } finally {
        await all.close().catch(() => undefined);
      }
    },
  };
}
