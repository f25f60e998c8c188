import type { Db } from 'mongodb';
import { defineCollection } from './collection.ts';
import { upsert } from './store-errors.ts';

interface StoredProbe {
  _id: 'ready';
  at: Date;
  /** As long as a short turn, so that it needs about as much space. */
  filler: string;
}

export const readinessCollection = defineCollection<StoredProbe>('readiness');

const FILLER = 'x'.repeat(8_000);

/** Returns a function that throws `store_unavailable` if the store refuses writes, such as with a full disk. */
export function createWriteCheck(db: Db): () => Promise<void> {
  const probes = readinessCollection.in(db);
  return async () => {
    const change = { $set: { at: new Date(), filler: FILLER } };
    await upsert(() => probes.updateOne({ _id: 'ready' }, change, { upsert: true }));
  };
}
