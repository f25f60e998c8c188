import type { Db } from 'mongodb';
import { defineCollection } from '../collection.ts';
import { fromStore, upsert } from '../store-errors.ts';

/** The vectors of one embedding model, and the table of the index that contains them. */
export interface StoredSpace {
  /** Name of the table. */
  name: string;
  /** `provider/model` */
  model: string;
  dimensions: number;
}

/** The vector spaces of the knowledge of all owners. */
export interface KnowledgeSpaces {
  /** The configured embedding model. Null: no worker has started yet. */
  wanted: string | null;
  /** The space that is searched. Null: nothing is embedded yet. */
  current: StoredSpace | null;
  /** The space that is being filled to replace it. */
  next: StoredSpace | null;
  /** Replaced spaces whose tables still exist. */
  former: (StoredSpace & { since: Date })[];
}

export const knowledgeSpaceCollection = defineCollection<KnowledgeSpaces & { _id: string }>('knowledge_spaces');

const ONE = { _id: 'spaces' } as const;
const NONE: KnowledgeSpaces = { wanted: null, current: null, next: null, former: [] };

/** All in one document, so that concurrent processes make each change once. */
export function createKnowledgeSpaceRepository(db: Db) {
  const spaces = knowledgeSpaceCollection.in(db);
  const get = async (): Promise<KnowledgeSpaces> => {
    const { _id, ...stored } = (await fromStore(spaces.findOne(ONE))) ?? { _id: '', ...NONE };
    return stored;
  };

  return {
    get,
    /** Sets the configured model. */
    setWanted: async (model: string): Promise<KnowledgeSpaces> => {
      const { wanted: _, ...others } = NONE;
      const change = { $set: { wanted: model }, $setOnInsert: others };
      const options = { upsert: true, returnDocument: 'after' } as const;
      const stored = await upsert(() => spaces.findOneAndUpdate(ONE, change, options));
      const { _id, ...wanted } = stored ?? { _id: '', ...NONE };
      return wanted;
    },
    /** Sets the first space that contains anything. */
    setFirst: async (space: StoredSpace) => {
      await upsert(() => spaces.updateOne(ONE, { $setOnInsert: NONE }, { upsert: true }));
      await fromStore(spaces.updateOne({ ...ONE, current: null }, { $set: { current: space } }));
      return get();
    },
    /** Sets the space to fill next, unless it is the current one. Null: none. */
    prepare: async (space: StoredSpace | null) => {
      const prepared = { ...ONE, 'current.name': { $ne: space?.name ?? '' } };
      // A former space that becomes the next one again must not be dropped.
      const kept = space === null ? {} : { $pull: { former: { name: space.name } } };
      await fromStore(spaces.updateOne(prepared, { $set: { next: space }, ...kept }));
      return get();
    },
    /** Makes the prepared space current. Returns false if another one was prepared. */
    switchTo: async (space: StoredSpace) => {
      const before = await get();
      if (before.current === null || before.next?.name !== space.name) return false;
      const { modifiedCount } = await fromStore(
        spaces.updateOne(
          { ...ONE, 'next.name': space.name, 'current.name': before.current.name },
          {
            $set: { current: space, next: null },
            $push: { former: { ...before.current, since: new Date() } },
          },
        ),
      );
      return modifiedCount > 0;
    },
    /** Removes a former space whose table is gone. */
    removeFormer: async (name: string) => {
      await fromStore(spaces.updateOne(ONE, { $pull: { former: { name } } }));
    },
  };
}
