import type { SecretBox } from '@chorus/secrets';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { TotpRecord } from './account-records.ts';
import type { TotpRepository } from './account-repositories.ts';
import { sealContext } from './sealed-fields.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { requireText } from './stored-fields.ts';

export interface StoredTotp extends Omit<TotpRecord, 'user_id'> {
  /** The user's id. */
  _id: string;
}

export function defineTotpModel(connection: Connection) {
  const schema = new Schema<StoredTotp>(
    {
      _id: { type: String, required: true },
      secret: { type: String, required: true },
      confirmed_at: { type: Date, default: null },
      last_step: { type: Number, required: true },
      recovery_hashes: [String],
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'totp_factors' },
  );
  return connection.model('Totp', schema);
}

/** @param box encrypts the secrets of authenticator apps */
export function createTotpRepository(collection: mongo.Collection<StoredTotp>, box: () => SecretBox): TotpRepository {
  const contextOf = (userId: string) => sealContext('totp_factors', userId, 'secret');
  const change = async (filter: mongo.Filter<StoredTotp>, update: mongo.UpdateFilter<StoredTotp>) =>
    (await fromStore(collection.updateOne(filter, update))).modifiedCount > 0;
  const inUse = (userId: string) => ({ _id: requireText(userId), confirmed_at: { $ne: null } });

  return {
    get: async (userId) => {
      const stored = await fromStore(collection.findOne({ _id: requireText(userId) }));
      if (stored === null) return null;
      const { _id, secret, ...factor } = stored;
      return { user_id: _id, ...factor, secret: box().open(contextOf(_id), secret) };
    },
    begin: async (userId, factor) => {
      const waiting = { _id: requireText(userId), confirmed_at: null };
      const secret = box().seal(contextOf(userId), factor.secret);
      const fresh = { ...factor, secret, last_step: 0, recovery_hashes: [] };
      try {
        await fromStore(collection.updateOne(waiting, { $set: fresh }, { upsert: true }));
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    confirm: (userId, begunAt, { at, last_step, recovery_hashes }) =>
      change(
        { _id: requireText(userId), created_at: begunAt, confirmed_at: null },
        { $set: { confirmed_at: at, last_step, recovery_hashes } },
      ),
    useStep: (userId, step) => change({ ...inUse(userId), last_step: { $lt: step } }, { $set: { last_step: step } }),
    useRecoveryCode: (userId, hash) =>
      change({ ...inUse(userId), recovery_hashes: requireText(hash) }, { $pull: { recovery_hashes: hash } }),
    setRecoveryCodes: (userId, hashes) => change(inUse(userId), { $set: { recovery_hashes: hashes } }),
    remove: async (userId) => (await fromStore(collection.deleteOne({ _id: requireText(userId) }))).deletedCount > 0,
  };
}
