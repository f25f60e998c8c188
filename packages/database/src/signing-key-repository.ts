import type { SecretBox } from '@chorus/secrets';
import { type Connection, Schema } from 'mongoose';
import type { SigningKeyRepository } from './account-repositories.ts';
import type { SigningKeyRecord } from './records.ts';
import { sealContext } from './sealed-fields.ts';
import { fromStore, isDuplicate } from './store-errors.ts';

interface StoredSigningKey extends Omit<SigningKeyRecord, 'id' | 'private_jwk'> {
  _id: string;
  /** Sealed. */
  private_jwk: string;
}

export function defineSigningKeyModel(connection: Connection) {
  const schema = new Schema<StoredSigningKey>(
    {
      _id: { type: String, required: true },
      generation: { type: Number, required: true },
      algorithm: { type: String, required: true },
      public_jwk: { type: Schema.Types.Mixed, required: true },
      private_jwk: { type: String, required: true },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'signing_keys' },
  );
  schema.index({ generation: 1 }, { unique: true });
  return connection.model('SigningKey', schema);
}

export function createSigningKeyRepository(
  model: ReturnType<typeof defineSigningKeyModel>,
  box: () => SecretBox,
): SigningKeyRepository {
  const contextOf = (id: string) => sealContext('signing_keys', id, 'private_jwk');
  return {
    list: async () => {
      const stored = await fromStore(model.find({}).sort({ generation: -1 }).lean<StoredSigningKey[]>().exec());
      return stored.map(({ _id, private_jwk, ...key }) => ({
        id: _id,
        ...key,
        private_jwk: JSON.parse(box().open(contextOf(_id), private_jwk)),
      }));
    },
    add: async ({ id, private_jwk, ...key }) => {
      const sealed = box().seal(contextOf(id), JSON.stringify(private_jwk));
      try {
        await fromStore(model.create({ _id: id, ...key, private_jwk: sealed, created_at: new Date() }));
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
