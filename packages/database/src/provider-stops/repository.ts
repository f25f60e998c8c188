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
  /** Whether operators were notified of the stop. */
  notified: boolean;
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
      readAll(stops.find({}), ({ _id, reason, since, notified }) => ({ lane: _id, reason, since, notified })),
    /** Notes a stop for operators. Does nothing if the lane has one. */
    begin: async ({ lane, reason, since }: Omit<ProviderStopRecord, 'notified'>) =>
      unlessDuplicate(stops.insertOne({ _id: requireString(lane), reason, since, notified: false })),
    markNotified: async (lane: string) => {
      await fromStore(stops.updateOne({ _id: requireString(lane) }, { $set: { notified: true } }));
    },
    end: async (lane: string) => {
      await fromStore(stops.deleteOne({ _id: requireString(lane) }));
    },
  };
}
