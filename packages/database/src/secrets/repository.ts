import type { SecretBox } from '@chorus/secrets';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { fromStore, insertOrGet } from '../store-errors.ts';
import { PLAIN_SECRETS, sealContext } from './sealed-fields.ts';

interface StoredSecret {
  _id: string;
  value: string;
  created_at: Date;
}

export const secretCollection = defineCollection<StoredSecret>('secrets');

export type SecretRepository = ReturnType<typeof createSecretRepository>;

export function createSecretRepository(db: Db, box: () => SecretBox) {
  const secrets = secretCollection.in(db);
  const contextOf = (name: string) => sealContext('secrets', name, 'value');
  const seal = (name: string, value: string) =>
    PLAIN_SECRETS.includes(name) ? value : box().seal(contextOf(name), value);
  const open = ({ _id, value }: StoredSecret) =>
    PLAIN_SECRETS.includes(_id) ? value : box().open(contextOf(_id), value);

  return {
    /** Returns a secret. `candidate` becomes it if there is none; all processes get the same one. */
    getOrCreate: async (name: string, candidate: string) => {
      const existing = await fromStore(secrets.findOne({ _id: requireString(name) }));
      if (existing !== null) return open(existing);
      return open(await insertOrGet(secrets, { _id: name, value: seal(name, candidate), created_at: new Date() }));
    },
  };
}
