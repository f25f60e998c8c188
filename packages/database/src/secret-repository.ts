import { type Connection, Schema } from 'mongoose';
import type { SecretRepository } from './repositories.ts';
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

export function createSecretRepository(model: ReturnType<typeof defineSecretModel>): SecretRepository {
  const find = (name: string) => fromStore(model.findOne({ _id: name }).lean<StoredSecret>().exec());
  return {
    getOrCreate: async (name, candidate) => {
      const existing = await find(name);
      if (existing !== null) return existing.value;
      try {
        await fromStore(model.create({ _id: name, value: candidate, created_at: new Date() }));
        return candidate;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        // Another process was quicker: its secret counts.
        const theirs = await find(name);
        if (theirs === null) throw error;
        return theirs.value;
      }
    },
  };
}
