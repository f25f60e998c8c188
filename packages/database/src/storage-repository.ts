import { type Owner, scopeKey } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { StoredAsset } from './asset-repository.ts';
import type { StoredKnowledge } from './knowledge-model.ts';
import type { StorageRepository } from './storage-records.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { requireText } from './stored-fields.ts';

export interface StoredUse {
  /** The scope. */
  _id: string;
  bytes: number;
  /** Records whose adding or removal is under way, by id: since when, and what a refund takes off. */
  marks: Record<string, { at: Date; bytes: number }>;
  /** Goes up with each change, so that a recount sees what happened meanwhile. */
  version: number;
  counted_at: Date;
}

/** A scope may have very many records. */
const SUM_DEADLINE_MS = 30_000;

export function defineStorageModel(connection: Connection) {
  const schema = new Schema<StoredUse>(
    {
      _id: { type: String, required: true },
      bytes: { type: Number, required: true },
      marks: Schema.Types.Mixed,
      version: { type: Number, required: true },
      counted_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'storage_use' },
  );
  return connection.model('StorageUse', schema);
}

interface Collections {
  use: mongo.Collection<StoredUse>;
  assets: mongo.Collection<StoredAsset>;
  knowledge: mongo.Collection<StoredKnowledge>;
}

export function createStorageRepository({ use, assets, knowledge }: Collections): StorageRepository {
  const sumOf = async (scope: string): Promise<number> => {
    const group = { $group: { _id: null, bytes: { $sum: '$size_bytes' } } };
    const files = assets.aggregate<{ bytes: number }>([{ $match: { scope_key: scope } }, group]);
    // Other entries are made of files, or of pages elsewhere.
    const written = { scope_key: scope, text_name: { $type: 'string' } };
    const texts = knowledge.aggregate<{ bytes: number }>([{ $match: written }, group]);
    const sums = await Promise.all([files, texts].map((found) => fromStore(found.toArray(), SUM_DEADLINE_MS)));
    return sums.flat().reduce((sum, { bytes }) => sum + bytes, 0);
  };

  /** The scope's count, made when it is first needed. */
  const useOf = async (scope: string): Promise<StoredUse> => {
    const known = await fromStore(use.findOne({ _id: scope }));
    if (known !== null) return known;
    const made: StoredUse = { _id: scope, bytes: await sumOf(scope), marks: {}, version: 0, counted_at: new Date() };
    try {
      await fromStore(use.insertOne(made));
      return made;
    } catch (error) {
      if (isDuplicate(error)) return useOf(scope);
      throw error;
    }
  };

  const markOf = (id: string) => `marks.${requireText(id)}`;

  const change = async (owner: Owner, filter: mongo.Filter<StoredUse>, update: mongo.UpdateFilter<StoredUse>) =>
    (await fromStore(use.updateOne({ _id: scopeKey(owner), ...filter } as mongo.Filter<StoredUse>, update)))
      .matchedCount > 0;

  const recountOne = async (known: StoredUse): Promise<boolean> => {
    const bytes = await sumOf(known._id);
    const set = { $set: { bytes, marks: {}, counted_at: new Date() }, $inc: { version: 1 } };
    const { matchedCount } = await fromStore(use.updateOne({ _id: known._id, version: known.version }, set));
    return matchedCount > 0 && bytes !== known.bytes;
  };

  return {
    used: async (owner) => (await useOf(scopeKey(owner))).bytes,
    charge: async (owner, id, bytes, limitBytes) => {
      const mark = markOf(id);
      const update = {
        $inc: { bytes, version: 1 },
        $set: { [mark]: { at: new Date(), bytes } },
      } as mongo.UpdateFilter<StoredUse>;
      const room = limitBytes === null || bytes <= 0 ? {} : { bytes: { $lte: limitBytes - bytes } };
      const filter = { ...room, [mark]: { $exists: false } } as mongo.Filter<StoredUse>;
      if (await change(owner, filter, update)) return true;
      // There was no count yet; or this was done, and its answer lost.
      const { marks } = await useOf(scopeKey(owner));
      return Object.hasOwn(marks, id) || change(owner, filter, update);
    },
    settle: async (owner, id) => {
      const mark = markOf(id);
      await change(owner, { [mark]: { $exists: true } }, { $unset: { [mark]: '' }, $inc: { version: 1 } });
    },
    mark: async (owner, id, bytes) => {
      await useOf(scopeKey(owner));
      const set = { [markOf(id)]: { at: new Date(), bytes } };
      await change(owner, {}, { $set: set, $inc: { version: 1 } } as mongo.UpdateFilter<StoredUse>);
    },
    refund: async (owner, id) => {
      const mark = markOf(id);
      const known = await fromStore(use.findOne({ _id: scopeKey(owner) }));
      const bytes = known?.marks[id]?.bytes;
      if (bytes === undefined) return;
      const update = { $unset: { [mark]: '' }, $inc: { bytes: -bytes, version: 1 } } as mongo.UpdateFilter<StoredUse>;
      await change(owner, { [mark]: { $exists: true } }, update);
    },
    recount: async ({ marksBefore, countedBefore }) => {
      let wrong = 0;
      const all = use.find().sort({ _id: 1 });
      try {
        for (let known = await fromStore(all.next()); known !== null; known = await fromStore(all.next())) {
          const marks = Object.values(known.marks);
          // What is under way now is not in the records yet, or still there.
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

/** Forgets what these scopes store: it is counted again when it is asked for. */
export async function forgetUse(store: mongo.Db, scopes: readonly string[], deadlineMs: number): Promise<void> {
  const deleting = store.collection<StoredUse>('storage_use').deleteMany({ _id: { $in: [...scopes] } });
  await fromStore(deleting, deadlineMs);
}
