import { type Connection, Schema } from 'mongoose';
import type { SigningKeyRepository } from './account-repositories.ts';
import type { SigningKeyRecord } from './records.ts';
import { fromStore, isDuplicate } from './store-errors.ts';

interface StoredSigningKey extends Omit<SigningKeyRecord, 'id'> {
  _id: string;
}

export function defineSigningKeyModel(connection: Connection) {
  const schema = new Schema<StoredSigningKey>(
    {
      _id: { type: String, required: true },
      generation: { type: Number, required: true },
      algorithm: { type: String, required: true },
      public_jwk: { type: Schema.Types.Mixed, required: true },
      private_jwk: { type: Schema.Types.Mixed, required: true },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'signing_keys' },
  );
  schema.index({ generation: 1 }, { unique: true });
  return connection.model('SigningKey', schema);
}

export function createSigningKeyRepository(model: ReturnType<typeof defineSigningKeyModel>): SigningKeyRepository {
  return {
    list: async () => {
      const stored = await fromStore(model.find({}).sort({ generation: -1 }).lean<StoredSigningKey[]>().exec());
      return stored.map(({ _id, ...key }) => ({ id: _id, ...key }));
    },
    add: async ({ id, ...key }) => {
      try {
        await fromStore(model.create({ _id: id, ...key, created_at: new Date() }));
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    remove: async (id) => {
      await fromStore(model.deleteOne({ _id: id }).exec());
    },
  };
}
