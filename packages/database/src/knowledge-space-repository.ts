import { type Connection, type mongo, Schema } from 'mongoose';
import type { KnowledgeSpaceRepository, KnowledgeSpaces, StoredSpace } from './knowledge-records.ts';
import { fromStore, upsert } from './store-errors.ts';

export interface StoredSpaces {
  _id: 'spaces';
  wanted: string | null;
  current: StoredSpace | null;
  next: StoredSpace | null;
  former: (StoredSpace & { since: Date })[];
}

const ONE = { _id: 'spaces' } as const;
const NONE: Omit<StoredSpaces, '_id'> = { wanted: null, current: null, next: null, former: [] };

export function defineKnowledgeSpaceModel(connection: Connection) {
  const schema = new Schema<StoredSpaces>(
    {
      _id: { type: String, required: true },
      wanted: String,
      current: Schema.Types.Mixed,
      next: Schema.Types.Mixed,
      former: [Schema.Types.Mixed],
    },
    { versionKey: false, collection: 'knowledge_spaces' },
  );
  return connection.model('KnowledgeSpaces', schema);
}

/** One document: of many processes that change it, each change is made once. */
export function createKnowledgeSpaceRepository(collection: mongo.Collection<StoredSpaces>): KnowledgeSpaceRepository {
  const get = async () => spacesOf(await fromStore(collection.findOne(ONE)));
  const without = (fields: (keyof typeof NONE)[]) =>
    Object.fromEntries(Object.entries(NONE).filter(([name]) => !fields.includes(name as keyof typeof NONE)));

  return {
    get,
    want: async (model) => {
      const change = { $set: { wanted: model }, $setOnInsert: without(['wanted']) };
      const options = { upsert: true, returnDocument: 'after' } as const;
      return spacesOf(await upsert(() => collection.findOneAndUpdate(ONE, change, options)));
    },
    found: async (space) => {
      await upsert(() => collection.updateOne(ONE, { $setOnInsert: NONE }, { upsert: true }));
      await fromStore(collection.updateOne({ ...ONE, current: null }, { $set: { current: space } }));
      return get();
    },
    prepare: async (space) => {
      const prepared = { ...ONE, 'current.name': { $ne: space?.name ?? '' } };
      // One that was searched before, and is wanted again, is not one that goes.
      const kept = space === null ? {} : { $pull: { former: { name: space.name } } };
      await fromStore(collection.updateOne(prepared, { $set: { next: space }, ...kept }));
      return get();
    },
    switchTo: async (space) => {
      const before = await get();
      if (before.current === null || before.next?.name !== space.name) return false;
      const { modifiedCount } = await fromStore(
        collection.updateOne(
          { ...ONE, 'next.name': space.name, 'current.name': before.current.name },
          {
            $set: { current: space, next: null },
            $push: { former: { ...before.current, since: new Date() } },
          },
        ),
      );
      return modifiedCount > 0;
    },
    forget: async (name) => {
      await fromStore(collection.updateOne(ONE, { $pull: { former: { name } } }));
    },
  };
}

function spacesOf(stored: StoredSpaces | null): KnowledgeSpaces {
  const { wanted, current, next, former } = stored ?? NONE;
  return { wanted, current, next, former };
}
