import { type Connection, Schema, trusted } from 'mongoose';
import type { RefreshTokenRepository } from './account-repositories.ts';
import { invalidCursor, pageOf } from './page.ts';
import type { RefreshFamilyRecord } from './records.ts';
import { fromStore } from './store-errors.ts';

interface StoredFamily extends Omit<RefreshFamilyRecord, 'id'> {
  _id: string;
}

/** Uses that are remembered: all of the grace period must fit, also when many tabs of a browser open at once. */
const REMEMBERED_ROTATIONS = 32;

export function defineRefreshTokenModel(connection: Connection) {
  const rotation = new Schema({ hash: String, at: Date }, { _id: false });
  const schema = new Schema<StoredFamily>(
    {
      _id: { type: String, required: true },
      user_id: { type: String, required: true },
      current_hash: { type: String, required: true },
      rotations: [rotation],
      address: { type: String, default: null },
      user_agent: { type: String, default: null },
      revoked_at: { type: Date, default: null },
      created_at: { type: Date, required: true },
      expires_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'refresh_tokens' },
  );
  schema.index({ user_id: 1, created_at: -1, _id: -1 });
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
  return connection.model('RefreshToken', schema);
}

export function createRefreshTokenRepository(
  model: ReturnType<typeof defineRefreshTokenModel>,
): RefreshTokenRepository {
  return {
    open: async ({ id, ...family }) => {
      const stored: StoredFamily = { _id: id, ...family, rotations: [], revoked_at: null, created_at: new Date() };
      await fromStore(model.create(stored));
    },
    find: async (familyId) => {
      const stored = await fromStore(model.findOne({ _id: familyId }).lean<StoredFamily>().exec());
      return stored === null ? null : familyOf(stored);
    },
    rotate: async (familyId, { from_hash, to_hash, at, expires_at, address, user_agent }) => {
      const stored = await fromStore(
        model
          .findOneAndUpdate(
            { _id: familyId, current_hash: from_hash, revoked_at: null, expires_at: trusted({ $gt: at }) },
            {
              $set: { current_hash: to_hash, expires_at, address, user_agent },
              $push: { rotations: { $each: [{ hash: from_hash, at }], $slice: -REMEMBERED_ROTATIONS } },
            },
            { returnDocument: 'after' },
          )
          .lean<StoredFamily>()
          .exec(),
      );
      return stored === null ? null : familyOf(stored);
    },
    revoke: async (familyId, at, userId) => {
      const filter = { _id: familyId, revoked_at: null, ...(userId !== undefined && { user_id: userId }) };
      return (await fromStore(model.updateOne(filter, { $set: { revoked_at: at } }).exec())).modifiedCount > 0;
    },
    listOfUser: async (userId, { limit, after }, now) => {
      const good = { user_id: userId, revoked_at: null, expires_at: trusted({ $gt: now }) };
      const found = model.find({ ...good, ...olderThan(after) }).sort({ created_at: -1, _id: -1 });
      const stored = await fromStore(
        found
          .limit(limit + 1)
          .lean<StoredFamily[]>()
          .exec(),
      );
      return pageOf(stored, limit, familyOf, ({ created_at, _id }) => `${created_at.getTime()}.${_id}`);
    },
    revokeOfUser: async (userId, at, exceptId) => {
      const good = { user_id: userId, revoked_at: null };
      const found = await fromStore(model.find(good, { _id: 1 }).lean<{ _id: string }[]>().exec());
      const ids = found.map(({ _id }) => _id).filter((id) => id !== exceptId);
      await fromStore(model.updateMany({ ...good, _id: trusted({ $in: ids }) }, { $set: { revoked_at: at } }).exec());
      return ids;
    },
  };
}

/** @throws {ChorusError} invalid_request for a cursor that is not of this list */
function olderThan(after: string | undefined) {
  if (after === undefined) return {};
  const [, time, id] = /^(\d{1,15})\.([\w-]{22})$/.exec(after) ?? [];
  if (time === undefined || id === undefined) throw invalidCursor();
  const at = new Date(Number(time));
  return { $or: [{ created_at: trusted({ $lt: at }) }, { created_at: at, _id: trusted({ $lt: id }) }] };
}

function familyOf({ _id, ...family }: StoredFamily): RefreshFamilyRecord {
  return { id: _id, ...family };
}
