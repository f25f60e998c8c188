import { type Owner, scopeKey } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, ownerOf, requireString, type StoredOwner, storedOwner } from '../collection.ts';
import { readAll } from '../reading.ts';
import { fromStore, upsert } from '../store-errors.ts';

/** The kinds of records whose deletion also deletes other data. */
export type DeletionKind =
  | 'session'
  | 'message'
  | 'execution'
  | 'batch'
  | 'knowledge'
  | 'archive'
  | 'asset'
  | 'agent'
  | 'folder'
  | 'prompt';

/** A requested deletion, stored until all data is gone. It contains ids, never content. */
export interface DeletionRecord {
  /** The deleted record. */
  id: string;
  kind: DeletionKind;
  owner: Owner;
  /** The session of a message. */
  session_id: string | null;
  /** Whether the executions' assets are deleted, too. */
  assets: boolean;
  /** Executions found so far. Once blanked, they can no longer be found by their input. */
  execution_ids: string[];
  /** Files that were sent to these executions: recordings, and uploads of a temporary session. */
  asset_ids: string[];
  /** Completed passes. */
  passes: number;
  created_at: Date;
}

export type NewDeletion = Pick<DeletionRecord, 'id' | 'kind' | 'owner'> &
  Partial<Pick<DeletionRecord, 'session_id' | 'assets' | 'execution_ids' | 'asset_ids'>>;

interface StoredDeletion extends StoredOwner, Omit<DeletionRecord, 'id' | 'owner' | 'asset_ids'> {
  /** Contains the owner and the record id, because another user may request the same id. */
  _id: string;
  record_id: string;
  due: Date;
  asset_ids?: string[];
  /** The name of `asset_ids` in earlier records. */
  recording_ids?: string[];
}

export const deletionCollection = defineCollection<StoredDeletion>('deletions', {
  erasedWith: 'maker',
  indexes: [{ key: { due: 1 } }],
});

export function createDeletionRepository(db: Db) {
  const deletions = deletionCollection.in(db);

  return {
    /** Stores a deletion before it starts, unless its owner has already requested it. Sweeps skip it until `due`. */
    begin: async (deletion: NewDeletion, due: Date): Promise<{ deletion: DeletionRecord; isNew: boolean }> => {
      const { id, kind, owner, session_id = null, assets = false, execution_ids = [], asset_ids = [] } = deletion;
      const first = {
        ...storedOwner(owner),
        record_id: requireString(id),
        kind,
        session_id,
        assets,
        execution_ids,
        asset_ids,
        passes: 0,
        due,
        created_at: new Date(),
      };
      const _id = keyOf({ id, owner });
      const { upsertedCount } = await upsert(() =>
        deletions.updateOne({ _id }, { $setOnInsert: first }, { upsert: true }),
      );
      const stored = upsertedCount > 0 ? null : await fromStore(deletions.findOne({ _id }));
      return { deletion: deletionOf(stored ?? { _id, ...first }), isNew: upsertedCount > 0 };
    },
    /** Adds records found by the deletion. */
    add: async (
      deletion: DeletionRecord,
      { execution_ids = [], asset_ids = [] }: Partial<Pick<DeletionRecord, 'execution_ids' | 'asset_ids'>>,
    ) => {
      if (execution_ids.length + asset_ids.length === 0) return;
      const added = {
        $addToSet: { execution_ids: { $each: execution_ids }, asset_ids: { $each: asset_ids } },
      };
      await fromStore(deletions.updateOne({ _id: keyOf(deletion) }, added));
    },
    /** Schedules the next pass. */
    schedule: async (deletion: DeletionRecord, passes: number, due: Date) => {
      await fromStore(deletions.updateOne({ _id: keyOf(deletion) }, { $set: { passes, due } }));
    },
    /** Removes a deletion that is complete, or was refused. */
    drop: async (deletion: DeletionRecord) => {
      await fromStore(deletions.deleteOne({ _id: keyOf(deletion) }));
    },
    /** For sweeps: due deletions of all owners, oldest first. */
    listDue: async (now: Date, limit: number) =>
      readAll(
        deletions
          .find({ due: { $lte: now } })
          .sort({ due: 1 })
          .limit(limit),
        deletionOf,
      ),
  };
}

const keyOf = ({ id, owner }: Pick<DeletionRecord, 'id' | 'owner'>): string =>
  `${scopeKey(owner)}/${owner.user_id}/${requireString(id)}`;

function deletionOf({ _id, record_id, scope_key, user_id, due, ...stored }: StoredDeletion): DeletionRecord {
  const { asset_ids = [], recording_ids = [], ...deletion } = stored;
  return {
    id: record_id,
    owner: ownerOf({ scope_key, user_id }),
    ...deletion,
    asset_ids: [...recording_ids, ...asset_ids],
  };
}
