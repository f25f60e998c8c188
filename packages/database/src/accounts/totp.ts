import type { SecretBox } from '@chorus/secrets';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { readOne } from '../reading.ts';
import { sealContext } from '../secrets/sealed-fields.ts';
import { fromStore, unlessDuplicate } from '../store-errors.ts';

/** A second factor: time-based codes (RFC 6238). */
interface TotpRecord {
  user_id: string;
  secret: string;
  /** Null: not active yet. */
  confirmed_at: Date | null;
  /** The time step of the last used code. A code is valid once. */
  last_step: number;
  /** Hashes of the unused recovery codes. */
  recovery_hashes: string[];
  created_at: Date;
}

/** The user's id, and the secret sealed. */
type StoredTotp = Omit<TotpRecord, 'user_id'> & { _id: string };

export const totpCollection = defineCollection<StoredTotp>('totp_factors');

export type TotpRepository = ReturnType<typeof createTotpRepository>;

export function createTotpRepository(db: Db, box: () => SecretBox) {
  const factors = totpCollection.in(db);
  const contextOf = (userId: string) => sealContext('totp_factors', userId, 'secret');
  const change = async (filter: Filter<StoredTotp>, update: UpdateFilter<StoredTotp>) =>
    (await fromStore(factors.updateOne(filter, update))).modifiedCount > 0;
  const active = (userId: string) => ({ _id: requireString(userId), confirmed_at: { $ne: null } });
  const totpOf = ({ _id, secret, ...factor }: StoredTotp): TotpRecord => ({
    user_id: _id,
    ...factor,
    secret: box().open(contextOf(_id), secret),
  });

  return {
    get: async (userId: string) => readOne(factors.findOne({ _id: requireString(userId) }), totpOf),
    /** Stores an unconfirmed factor, replacing an earlier one. Returns false if there is a confirmed one. */
    begin: async (userId: string, factor: Pick<TotpRecord, 'secret' | 'created_at'>) => {
      const unconfirmed = { _id: requireString(userId), confirmed_at: null };
      const secret = box().seal(contextOf(userId), factor.secret);
      const fresh = { ...factor, secret, last_step: 0, recovery_hashes: [] };
      return unlessDuplicate(factors.updateOne(unconfirmed, { $set: fresh }, { upsert: true }));
    },
    /** Confirms the factor that was created at `begunAt`. Returns false if there is none. */
    confirm: async (
      userId: string,
      begunAt: Date,
      { at, last_step, recovery_hashes }: { at: Date } & Pick<TotpRecord, 'last_step' | 'recovery_hashes'>,
    ) =>
      change(
        { _id: requireString(userId), created_at: begunAt, confirmed_at: null },
        { $set: { confirmed_at: at, last_step, recovery_hashes } },
      ),
    /** Uses the code of a time step. Returns false if this or a later one was used. */
    useStep: async (userId: string, step: number) =>
      change({ ...active(userId), last_step: { $lt: step } }, { $set: { last_step: step } }),
    /** Uses a recovery code. Returns false if there is none with this hash. */
    useRecoveryCode: async (userId: string, hash: string) =>
      change({ ...active(userId), recovery_hashes: requireString(hash) }, { $pull: { recovery_hashes: hash } }),
    setRecoveryCodes: async (userId: string, hashes: string[]) =>
      change(active(userId), { $set: { recovery_hashes: hashes } }),
    /** Returns false if there was none. */
    remove: async (userId: string) =>
      (await fromStore(factors.deleteOne({ _id: requireString(userId) }))).deletedCount > 0,
  };
}
