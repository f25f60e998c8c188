import type { StopReason } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { readAll } from '../reading.ts';
import { fromStore, unlessDuplicate } from '../store-errors.ts';

/** A lane that its provider has stopped, until operators know that it goes on. */
export interface ProviderStopRecord {
  lane: string;
  reason: StopReason;
  since: Date;
  /** Whether operators were told of the stop. */
  told: boolean;
}

interface StoredStop extends Omit<ProviderStopRecord, 'lane'> {
  _id: string;
}

export const providerStopCollection = defineCollection<StoredStop>('provider_stops');

/** Stops of the platform's providers, which do not belong to a user. */
export function createProviderStopRepository(db: Db) {
  const stops = providerStopCollection.in(db);
  return {
    list: async (): Promise<ProviderStopRecord[]> =>
      readAll(stops.find({}), ({ _id, reason, since, told }) => ({ lane: _id, reason, since, told })),
    /** Notes a stop that operators must be told of. Does nothing if the lane has one. */
    begin: async ({ lane, reason, since }: Omit<ProviderStopRecord, 'told'>) =>
      unlessDuplicate(stops.insertOne({ _id: requireString(lane), reason, since, told: false })),
    markTold: async (lane: string) => {
      await fromStore(stops.updateOne({ _id: requireString(lane) }, { $set: { told: true } }));
    },
    end: async (lane: string) => {
      await fromStore(stops.deleteOne({ _id: requireString(lane) }));
    },
  };
}
