import { randomUUID } from 'node:crypto';
import type { Owner } from '@chorus/contract';
import type { Db, Filter } from 'mongodb';
import { defineCollection, fromStored, requireString, type Stored, toStored } from '../collection.ts';
import { readAll, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

/**
 * A part of a batch that runs as one batch of a provider. `new`: its requests are not chosen yet. `submitting`: the
 * provider may have them. `running`: it has.
 */
export interface BatchPartRecord {
  /** Also our mark at the provider. */
  id: string;
  owner: Owner;
  batch_id: string;
  /** `provider/model` */
  model: string;
  provider: string;
  /** Executions. Those held by another part, or no longer held, do not count. */
  ids: string[];
  state: 'new' | 'submitting' | 'running' | 'ended';
  /** The requests' endpoint at the provider. Null while new. */
  endpoint: string | null;
  submitted_at: Date | null;
  /** The provider's reference. */
  operation: { id: string; endpoint: string } | null;
  /** Failed and successful attempts to go on, since the state began. */
  tries: number;
  /** Why it must end early. */
  stop: 'cancelled' | 'expired' | null;
  /** Whether the provider was asked to stop. */
  stopped: boolean;
  /** Whether nothing of it is left at the provider. */
  deleted?: boolean;
  /** Whether its owner was erased. It only waits until nothing of it is left at the provider. */
  erased?: boolean;
  created_at: Date;
}

type StoredBatchPart = Stored<BatchPartRecord> & {
  /** When to go on. Absent: it has ended. */
  due_at?: Date;
  /** The process that works on it, and until when others keep away. */
  holder?: string;
  held_until?: Date;
};

export const batchPartCollection = defineCollection<StoredBatchPart>('batch_parts', {
  // `erasure.ts` keeps those that may be at a provider.
  indexes: [
    { key: { due_at: 1 }, sparse: true },
    { key: { batch_id: 1, created_at: 1 } },
    { key: { provider: 1, created_at: 1 } },
  ],
});

export type NewBatchPart = Pick<BatchPartRecord, 'owner' | 'batch_id' | 'model' | 'ids'> & { due_at?: Date };
export type BatchPartChange = Partial<
  Pick<BatchPartRecord, 'ids' | 'state' | 'endpoint' | 'submitted_at' | 'operation' | 'tries' | 'stopped' | 'deleted'>
>;

/** Parts of batches at providers. One process at a time works on a part: it claims it, and keeps its claim. */
export function createBatchPartRepository(db: Db) {
  const parts = batchPartCollection.in(db);
  const held = (id: string, holder: string): Filter<StoredBatchPart> => ({
    _id: requireString(id),
    holder: requireString(holder),
  });

  return {
    /** Returns the id of the new part. */
    insert: async ({ due_at = new Date(), ...part }: NewBatchPart): Promise<string> => {
      const record: BatchPartRecord = {
        id: `part_${randomUUID()}`,
        ...part,
        provider: part.model.split('/', 1)[0] as string,
        state: 'new',
        endpoint: null,
        submitted_at: null,
        operation: null,
        tries: 0,
        stop: null,
        stopped: false,
        created_at: new Date(),
      };
      await fromStore(parts.insertOne({ ...toStored(record), due_at }));
      return record.id;
    },
    /** Claims a part that is due. Returns null if there is none. */
    claimDue: async (holder: string, leaseMs: number): Promise<BatchPartRecord | null> => {
      const now = new Date();
      const free: Filter<StoredBatchPart> = {
        due_at: { $lte: now },
        $or: [{ held_until: { $exists: false } }, { held_until: { $lte: now } }],
      };
      const claim = { $set: { holder: requireString(holder), held_until: new Date(now.getTime() + leaseMs) } };
      return readOne(parts.findOneAndUpdate(free, claim, { sort: { due_at: 1 }, returnDocument: 'after' }), partOf);
    },
    /** Keeps a claim. Returns false if another process has the part. */
    keep: async (id: string, holder: string, leaseMs: number): Promise<boolean> => {
      const until = { $set: { held_until: new Date(Date.now() + leaseMs) } };
      return (await fromStore(parts.updateOne(held(id, holder), until))).matchedCount === 1;
    },
    /** Changes a claimed part. Returns null if another process has it. */
    save: async (id: string, holder: string, change: BatchPartChange): Promise<BatchPartRecord | null> =>
      readOne(parts.findOneAndUpdate(held(id, holder), { $set: change }, { returnDocument: 'after' }), partOf),
    /** Releases a claim. A part that has been stopped since is due at once. @param due Null: the part has ended. */
    giveBack: async (id: string, holder: string, due: Date | null): Promise<void> => {
      const free = { holder: '', held_until: '' } as const;
      const mine = held(id, holder);
      if (due === null) {
        await fromStore(parts.updateOne(mine, { $set: { state: 'ended' }, $unset: { ...free, due_at: '' } }));
        return;
      }
      const unstopped: Filter<StoredBatchPart> = { ...mine, $or: [{ stop: null }, { stopped: true }] };
      const { matchedCount } = await fromStore(parts.updateOne(unstopped, { $set: { due_at: due }, $unset: free }));
      if (matchedCount === 0) await fromStore(parts.updateOne(mine, { $unset: free }));
    },
    /** Asks for an early end of a batch's unfinished parts. */
    stop: async (batchId: string, reason: 'cancelled' | 'expired'): Promise<void> => {
      const going: Filter<StoredBatchPart> = {
        batch_id: requireString(batchId),
        due_at: { $exists: true },
        stop: null,
      };
      await fromStore(parts.updateMany(going, { $set: { stop: reason, due_at: new Date() } }));
    },
    get: async (id: string): Promise<BatchPartRecord | null> =>
      readOne(parts.findOne({ _id: requireString(id) }), partOf),
    /** Removes a claimed part. */
    remove: async (id: string, holder: string): Promise<void> => {
      await fromStore(parts.deleteOne(held(id, holder)));
    },
    /** Returns the provider's ids of all batches since a time. */
    listOperations: async (provider: string, since: Date): Promise<string[]> => {
      const found = parts.find({ provider: requireString(provider), created_at: { $gte: since } });
      const ids = await readAll(found.project<Pick<StoredBatchPart, 'operation'>>({ operation: 1 }), (part) => part);
      return ids.flatMap(({ operation }) => operation?.id ?? []);
    },
    /** For tests and operators: the parts of a batch, oldest first. */
    listOf: async (batchId: string): Promise<BatchPartRecord[]> =>
      readAll(parts.find({ batch_id: requireString(batchId) }).sort({ created_at: 1 }), partOf),
    removeOf: async (batchId: string): Promise<void> => {
      await fromStore(parts.deleteMany({ batch_id: requireString(batchId) }));
    },
  };
}

function partOf({ due_at, holder, held_until, ...stored }: StoredBatchPart): BatchPartRecord {
  return fromStored(stored);
}
