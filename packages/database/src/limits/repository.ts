import { LIMIT_NAMES, type StoredLimits } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection } from '../collection.ts';
import { readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

interface Stored extends StoredLimits {
  _id: string;
}

export const limitsCollection = defineCollection<Stored>('limits');

const ID = 'limits';

/** Limits of the platform, which do not belong to a user. */
export function createLimitsRepository(db: Db) {
  const limits = limitsCollection.in(db);
  return {
    get: async (): Promise<StoredLimits> =>
      (await readOne(limits.findOne({ _id: ID }), ({ _id, ...stored }): StoredLimits => stored)) ?? {},
    /** Sets limits. Null removes one. */
    patch: async (patch: { [Name in keyof StoredLimits]?: number | null | undefined }) => {
      const given = LIMIT_NAMES.filter((name) => patch[name] !== undefined);
      const fieldsOf = (isRemoved: boolean) =>
        given.filter((name) => (patch[name] === null) === isRemoved).map((name) => [name, patch[name] ?? '']);
      const [$set, $unset] = [Object.fromEntries(fieldsOf(false)), Object.fromEntries(fieldsOf(true))];
      const update = {
        ...(Object.keys($set).length > 0 && { $set }),
        ...(Object.keys($unset).length > 0 && { $unset }),
      };
      await fromStore(limits.updateOne({ _id: ID }, update, { upsert: true }));
    },
  };
}
