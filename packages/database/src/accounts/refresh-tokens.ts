import type { ListQuery } from '@chorus/contract';
import type { Db, Filter } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { invalidCursor, readIds, readOne, readPage } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

/** The address and client that last used a login. */
export interface LoginDevice {
  address: string | null;
  user_agent: string | null;
}

/** The refresh tokens of one login, in one document so that using a token is atomic. */
export interface RefreshFamilyRecord extends Partial<LoginDevice> {
  id: string;
  user_id: string;
  /** Hash of the token that is valid now. */
  current_hash: string;
  /** The last uses, oldest first, to answer retries and detect reuse. */
  rotations: { hash: string; at: Date }[];
  revoked_at: Date | null;
  created_at: Date;
  expires_at: Date;
}

type StoredFamily = Omit<RefreshFamilyRecord, 'id'> & { _id: string };

export const refreshTokenCollection = defineCollection<StoredFamily>('refresh_tokens', {
  indexes: [{ key: { user_id: 1, created_at: -1, _id: -1 } }, { key: { expires_at: 1 }, expireAfterSeconds: 0 }],
});

/** Covers the grace period, even when a browser opens many tabs at once. */
const KEPT_ROTATIONS = 32;

export type RefreshTokenRepository = ReturnType<typeof createRefreshTokenRepository>;

export function createRefreshTokenRepository(db: Db) {
  const families = refreshTokenCollection.in(db);

  return {
    open: async (family: LoginDevice & Pick<RefreshFamilyRecord, 'id' | 'user_id' | 'current_hash' | 'expires_at'>) => {
      const { id: _id, user_id, current_hash, address, user_agent, expires_at } = family;
      const unused = { rotations: [], revoked_at: null, created_at: new Date() };
      await fromStore(families.insertOne({ _id, user_id, current_hash, address, user_agent, expires_at, ...unused }));
    },
    find: async (familyId: string) => readOne(families.findOne({ _id: requireString(familyId) }), familyOf),
    /** Uses the current token. One of several concurrent calls gets the changed family, the others null. */
    rotate: async (
      familyId: string,
      use: LoginDevice & { from_hash: string; to_hash: string; at: Date; expires_at: Date },
    ) => {
      const { from_hash, to_hash, at, expires_at, address, user_agent } = use;
      const valid = {
        _id: requireString(familyId),
        current_hash: from_hash,
        revoked_at: null,
        expires_at: { $gt: at },
      };
      const change = {
        $set: { current_hash: to_hash, expires_at, address, user_agent },
        $push: { rotations: { $each: [{ hash: from_hash, at }], $slice: -KEPT_ROTATIONS } },
      };
      return readOne(families.findOneAndUpdate(valid, change, { returnDocument: 'after' }), familyOf);
    },
    /** Returns false if it has ended, or belongs to another user. */
    revoke: async (familyId: string, at: Date, userId?: string) => {
      const user = userId === undefined ? {} : { user_id: requireString(userId) };
      const filter = { _id: requireString(familyId), revoked_at: null, ...user };
      return (await fromStore(families.updateOne(filter, { $set: { revoked_at: at } }))).modifiedCount > 0;
    },
    /** A user's valid logins, newest first. The cursor is the last one's time and id. */
    listOfUser: async (userId: string, { limit, after }: ListQuery, now: Date) => {
      const valid = { user_id: requireString(userId), revoked_at: null, expires_at: { $gt: now } };
      const found = families.find({ ...valid, ...olderThan(after) }).sort({ created_at: -1, _id: -1 });
      return readPage(
        found.limit(limit + 1),
        limit,
        familyOf,
        ({ created_at, _id }) => `${created_at.getTime()}.${_id}`,
      );
    },
    /** Ends a user's logins except one. Returns the ids of those that were not revoked. Two round trips. */
    revokeOfUser: async (userId: string, at: Date, exceptId: string | null) => {
      const valid = { user_id: requireString(userId), revoked_at: null };
      const ids = (await readIds(families.find(valid))).filter((id) => id !== exceptId);
      await fromStore(families.updateMany({ ...valid, _id: { $in: ids } }, { $set: { revoked_at: at } }));
      return ids;
    },
  };
}

/** @throws {ChorusError} invalid_request */
function olderThan(after: string | undefined): Filter<StoredFamily> {
  if (after === undefined) return {};
  const [, time, id] = /^(\d{1,15})\.([\w-]{22})$/.exec(after) ?? [];
  if (time === undefined || id === undefined) throw invalidCursor();
  const at = new Date(Number(time));
  return { $or: [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: id } }] };
}

function familyOf({ _id, ...family }: StoredFamily): RefreshFamilyRecord {
  return { id: _id, ...family };
}
