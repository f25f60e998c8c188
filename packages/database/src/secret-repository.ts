import type { SecretBox } from '@chorus/secrets';
import { type Connection, Schema } from 'mongoose';
import type { SecretRepository } from './repositories.ts';
import { OPEN_WORDS, sealContext } from './sealed-fields.ts';
import { fromStore, isDuplicate } from './store-errors.ts';

interface StoredSecret {
  _id: string;
  value: string;
  created_at: Date;
}

export function defineSecretModel(connection: Connection) {
  const schema = new Schema<StoredSecret>(
    {
      _id: { type: String, required: true },
      value: { type: String, required: true },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'secrets' },
  );
  return connection.model('Secret', schema);
}

export function createSecretRepository(
  model: ReturnType<typeof defineSecretModel>,
  box: () => SecretBox,
): SecretRepository {
  const contextOf = (name: string) => sealContext('secrets', name, 'value');
  const storedOf = (name: string, value: string) =>
    OPEN_WORDS.includes(name) ? value : box().seal(contextOf(name), value);
  const openedOf = (name: string, stored: StoredSecret) =>
    OPEN_WORDS.includes(name) ? stored.value : box().open(contextOf(name), stored.value);
  const find = (name: string) => fromStore(model.findOne({ _id: name }).lean<StoredSecret>().exec());
  return {
    remove: async (name) => {
      await fromStore(model.deleteOne({ _id: name }).exec());
    },
    getOrCreate: async (name, candidate) => {
      const existing = await find(name);
      if (existing !== null) return openedOf(name, existing);
      try {
        await fromStore(model.create({ _id: name, value: storedOf(name, candidate), created_at: new Date() }));
        return candidate;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        // Another process was quicker: its secret counts.
        const theirs = await find(name);
        if (theirs === null) throw error;
        return openedOf(name, theirs);
      }
    },
  };
}
