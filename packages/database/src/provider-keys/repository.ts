import type { StoredProviderKey } from '@chorus/contract';
import type { SecretBox } from '@chorus/secrets';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { readAll } from '../reading.ts';
import { sealContext } from '../secrets/sealed-fields.ts';
import { fromStore } from '../store-errors.ts';

/** The part of a stored key that may be shown. */
export interface ProviderKeyRecord {
  provider: string;
  /** Its last four characters. Null: an address without a key. */
  hint: string | null;
  base_url: string | null;
  updated_at: Date;
}

/** Keys of the platform, which do not belong to a user. The keys are encrypted. */
interface StoredKey extends Omit<ProviderKeyRecord, 'provider'> {
  _id: string;
  api_key?: string;
}

export const providerKeyCollection = defineCollection<StoredKey>('provider_keys');

const HINT_LENGTH = 4;

export function createProviderKeyRepository(db: Db, box: () => SecretBox) {
  const keys = providerKeyCollection.in(db);
  const contextOf = (provider: string) => sealContext('provider_keys', provider, 'api_key');

  return {
    list: async (): Promise<ProviderKeyRecord[]> =>
      readAll(keys.find({}, { projection: { api_key: 0 } }), ({ _id, hint, base_url, updated_at }) => ({
        provider: _id,
        hint,
        base_url,
        updated_at,
      })),
    /** Returns the decrypted keys. */
    open: async (): Promise<StoredProviderKey[]> =>
      readAll(keys.find({}), ({ _id, api_key, base_url }) => ({
        provider: _id,
        apiKey: api_key === undefined ? null : box().open(contextOf(_id), api_key),
        baseUrl: base_url,
      })),
    set: async ({ provider, apiKey, baseUrl }: StoredProviderKey) => {
      const secret = apiKey === null ? {} : { api_key: box().seal(contextOf(provider), apiKey) };
      const hint = apiKey === null ? null : apiKey.slice(-HINT_LENGTH);
      const record = { ...secret, hint, base_url: baseUrl, updated_at: new Date() };
      await fromStore(keys.replaceOne({ _id: requireString(provider) }, record, { upsert: true }));
    },
    /** Returns whether there was a key. */
    remove: async (provider: string) =>
      (await fromStore(keys.deleteOne({ _id: requireString(provider) }))).deletedCount > 0,
  };
}
