import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { readOne } from '../reading.ts';
import { fromStore, unlessDuplicate } from '../store-errors.ts';

/** An account at an identity provider, and the user that logs in with it. */
export interface IdentityRecord {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: Date;
  last_login_at: Date;
}

/** Derived from issuer and subject, which are unique together. */
interface StoredIdentity extends IdentityRecord {
  _id: string;
}

export const identityCollection = defineCollection<StoredIdentity>('identities', {
  indexes: [{ key: { user_id: 1 } }],
});

const idOf = (issuer: string, subject: string) =>
  createHash('sha256')
    .update(JSON.stringify([requireString(issuer), requireString(subject)]))
    .digest('base64url');

export function createIdentityRepository(db: Db) {
  const identities = identityCollection.in(db);
  return {
    /** Records a login, and returns the identity. Null: it is unknown. */
    use: async (issuer: string, subject: string, now: Date) => {
      const used = { $set: { last_login_at: now } };
      return readOne(identities.findOneAndUpdate({ _id: idOf(issuer, subject) }, used), identityOf);
    },
    /** Returns false if the identity already belongs to a user. */
    link: async (identity: IdentityRecord) => {
      const _id = idOf(identity.issuer, identity.subject);
      return unlessDuplicate(identities.insertOne({ _id, ...identity }));
    },
    /** Returns whether a user logs in with an account at this provider, or at any by default. */
    isLinked: async (userId: string, issuer?: string) => {
      const of = issuer === undefined ? {} : { issuer: requireString(issuer) };
      return (await fromStore(identities.findOne({ user_id: requireString(userId), ...of }))) !== null;
    },
    /** Removes the identity of a user who no longer exists. */
    unlink: async ({ issuer, subject, user_id }: Pick<IdentityRecord, 'issuer' | 'subject' | 'user_id'>) => {
      await fromStore(identities.deleteOne({ _id: idOf(issuer, subject), user_id }));
    },
  };
}

const identityOf = ({ _id, ...identity }: StoredIdentity): IdentityRecord => identity;
