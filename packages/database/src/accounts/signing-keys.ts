import type { SecretBox } from '@chorus/secrets';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { readAll } from '../reading.ts';
import { sealContext } from '../secrets/sealed-fields.ts';
import { fromStore, unlessDuplicate } from '../store-errors.ts';

/** A key for access tokens. The newest generation signs, older ones only verify. */
export interface SigningKeyRecord {
  /** The `kid` of its tokens. */
  id: string;
  /** 1, 2, …. Unique, so that concurrent processes create a generation once. */
  generation: number;
  algorithm: 'EdDSA';
  public_jwk: Record<string, string>;
  private_jwk: Record<string, string>;
  created_at: Date;
}

interface StoredSigningKey extends Omit<SigningKeyRecord, 'id' | 'private_jwk'> {
  _id: string;
  /** Sealed JSON. */
  private_jwk: string;
}

export const signingKeyCollection = defineCollection<StoredSigningKey>('signing_keys', {
  indexes: [{ key: { generation: 1 }, unique: true }],
});

export type SigningKeyRepository = ReturnType<typeof createSigningKeyRepository>;

export function createSigningKeyRepository(db: Db, box: () => SecretBox) {
  const keys = signingKeyCollection.in(db);
  const contextOf = (id: string) => sealContext('signing_keys', id, 'private_jwk');
  const keyOf = ({ _id, private_jwk, ...key }: StoredSigningKey): SigningKeyRecord => ({
    id: _id,
    ...key,
    private_jwk: JSON.parse(box().open(contextOf(_id), private_jwk)),
  });

  return {
    /** Newest generation first. */
    list: async () => readAll(keys.find({}).sort({ generation: -1 }), keyOf),
    /** Returns false if another process has created this generation. */
    add: async ({ id, private_jwk, ...key }: Omit<SigningKeyRecord, 'created_at'>) => {
      const sealed = box().seal(contextOf(id), JSON.stringify(private_jwk));
      return unlessDuplicate(keys.insertOne({ _id: id, ...key, private_jwk: sealed, created_at: new Date() }));
    },
    remove: async (id: string) => {
      await fromStore(keys.deleteOne({ _id: requireString(id) }));
    },
  };
}
