import { type Folder, type FolderName, type ListQuery, newId, type Owner } from '@chorus/contract';
import type { Db } from 'mongodb';
import {
  defineCollection,
  fromStored,
  ofMaker,
  type RecordOf,
  type Stored,
  storedOwner,
  toStored,
} from '../collection.ts';
import { listNewest, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

export type FolderRecord = RecordOf<Folder>;

type StoredFolder = Stored<FolderRecord>;

export const folderCollection = defineCollection<StoredFolder>('folders', {
  erasedWith: 'maker',
  indexes: [{ key: { scope_key: 1, user_id: 1, _id: -1 } }],
});

/** Folders belong to the user who created them, like sessions. */
export function createFolderRepository(db: Db) {
  const folders = folderCollection.in(db);

  return {
    create: async (owner: Owner, { name }: FolderName): Promise<FolderRecord> => {
      const now = new Date();
      const record: FolderRecord = { id: newId('folder'), owner, name, created_at: now, updated_at: now };
      await fromStore(folders.insertOne(toStored(record)));
      return record;
    },
    get: async (owner: Owner, id: string) => readOne(folders.findOne(ofMaker(owner, id)), fromStored),
    /** Newest first. */
    list: async (owner: Owner, query: ListQuery) =>
      listNewest(
        folders,
        'folder',
        query,
        storedOwner(owner),
        (stored: StoredFolder): FolderRecord => fromStored(stored),
      ),
    /** Counts up to a limit. */
    count: async (owner: Owner, limit: number) => fromStore(folders.countDocuments(storedOwner(owner), { limit })),
    rename: async (owner: Owner, id: string, { name }: FolderName) => {
      const change = { $set: { name, updated_at: new Date() } };
      return readOne(folders.findOneAndUpdate(ofMaker(owner, id), change, { returnDocument: 'after' }), fromStored);
    },
    remove: async (owner: Owner, id: string) =>
      (await fromStore(folders.deleteOne(ofMaker(owner, id)))).deletedCount > 0,
  };
}
