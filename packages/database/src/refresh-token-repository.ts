import { type Connection, Schema, trusted } from 'mongoose';
import type { RefreshTokenRepository } from './account-repositories.ts';
import type { RefreshFamilyRecord } from './records.ts';
import { fromStore } from './store-errors.ts';

interface StoredFamily extends Omit<RefreshFamilyRecord, 'id'> {
  _id: string;
}

/** How many uses are remembered: a retry within the grace time is among them. */
const REMEMBERED_ROTATIONS = 8;

export function defineRefreshTokenModel(connection: Connection) {
  const rotation = new Schema({ hash: String, at: Date }, { _id: false });
  const schema = new Schema<StoredFamily>(
    {
      _id: { type: String, required: true },
      user_id: { type: String, required: true },
      current_hash: { type: String, required: true },
      rotations: [rotation],
      revoked_at: { type: Date, default: null },
      created_at: { type: Date, required: true },
      expires_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'refresh_tokens' },
  );
  schema.index({ user_id: 1 });
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
    rotate: async (familyId, { from_hash, to_hash, at, expires_at }) => {
      const stored = await fromStore(
        model
          .findOneAndUpdate(
            { _id: familyId, current_hash: from_hash, revoked_at: null, expires_at: trusted({ $gt: at }) },
            {
              $set: { current_hash: to_hash, expires_at },
              $push: { rotations: { $each: [{ hash: from_hash, at }], $slice: -REMEMBERED_ROTATIONS } },
            },
            { returnDocument: 'after' },
          )
          .lean<StoredFamily>()
          .exec(),
      );
      return stored === null ? null : familyOf(stored);
    },
    revoke: async (familyId, at) => {
      await fromStore(model.updateOne({ _id: familyId, revoked_at: null }, { $set: { revoked_at: at } }).exec());
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

function familyOf({ _id, ...family }: StoredFamily): RefreshFamilyRecord {
  return { id: _id, ...family };
}
