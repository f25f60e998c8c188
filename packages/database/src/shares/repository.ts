import { type ListQuery, type Owner, type SharesQuery, scopeKey } from '@chorus/contract';
import type { Db, Filter } from 'mongodb';
import {
  defineCollection,
  defined,
  fromStored,
  inScope,
  ofMaker,
  requireString,
  type Stored,
  storedOwner,
  toStored,
} from '../collection.ts';
import { listNewest, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

/** A message in the state in which it was shared. */
export interface SharedMessageRecord {
  id: string;
  /** The revision of its text. */
  revision: number;
  /** Assets that anyone with the link may see. */
  images: string[];
}

/** A link to a conversation, for people without an account. */
export interface ShareRecord {
  id: string;
  owner: Owner;
  session_id: string;
  token_hash: string;
  messages: SharedMessageRecord[];
  created_at: Date;
  expires_at: Date | null;
}

interface StoredShare extends Stored<ShareRecord, 'expires_at'> {
  /** Absent: never. */
  expires_at?: Date;
}

export const shareCollection = defineCollection<StoredShare>('shares', {
  erasedWith: 'maker',
  indexes: [
    { key: { token_hash: 1 }, unique: true },
    { key: { scope_key: 1, user_id: 1, _id: -1 } },
    { key: { scope_key: 1, _id: -1 } },
    { key: { session_id: 1, _id: -1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
});

/** Excludes links that have expired and are not removed yet. */
const open = () => ({ $or: [{ expires_at: null }, { expires_at: { $gt: new Date() } }] });

/** Links belong to the user who created them, like sessions. */
export function createShareRepository(db: Db) {
  const shares = shareCollection.in(db);

  return {
    insert: async ({ expires_at, ...share }: ShareRecord) => {
      await fromStore(shares.insertOne({ ...toStored(share), ...(expires_at !== null && { expires_at }) }));
    },
    /** Returns the link with this token, for any owner. It may have expired. */
    findByToken: async (tokenHash: string) =>
      readOne(shares.findOne({ token_hash: requireString(tokenHash) }), shareOf),
    /** Newest first. */
    list: async (owner: Owner, { session_id, ...query }: SharesQuery) => {
      const filter = { ...storedOwner(owner), ...defined({ session_id }), ...open() } as unknown as Filter<StoredShare>;
      return listNewest(shares, 'share', query, filter, shareOf);
    },
    /** Lists the links of all members of the scope, newest first. */
    listOfScope: async (owner: Owner, query: ListQuery) => {
      const filter = { scope_key: scopeKey(owner), ...open() } as unknown as Filter<StoredShare>;
      return listNewest(shares, 'share', query, filter, shareOf);
    },
    /** Counts up to a limit. */
    count: async (owner: Owner, limit: number) => fromStore(shares.countDocuments(storedOwner(owner), { limit })),
    /** Returns true to one of several concurrent calls. */
    remove: async (owner: Owner, id: string) =>
      (await fromStore(shares.deleteOne(ofMaker(owner, id)))).deletedCount > 0,
    /** Removes a link of any member of the scope. */
    removeOfScope: async (owner: Owner, id: string) =>
      (await fromStore(shares.deleteOne(inScope(owner, id)))).deletedCount > 0,
    removeBySession: async (owner: Owner, sessionId: string) => {
      await fromStore(shares.deleteMany({ session_id: requireString(sessionId), ...storedOwner(owner) }));
    },
  };
}

function shareOf(stored: StoredShare): ShareRecord {
  return { expires_at: null, ...fromStored(stored) };
}
