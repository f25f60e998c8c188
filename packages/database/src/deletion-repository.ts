import { scopeKey } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { DeletionRecord, DeletionRepository } from './deletion-records.ts';
import { fromStore, upsert } from './store-errors.ts';
import { ownerOf, requireText, type StoredOwner, storedOwner } from './stored-fields.ts';

export interface StoredDeletion extends StoredOwner, Omit<DeletionRecord, 'id' | 'owner'> {
  /** Owner and record: what somebody else asks for under the same id is another deletion. */
  _id: string;
  record_id: string;
  due: Date;
}

export function defineDeletionModel(connection: Connection) {
  const schema = new Schema<StoredDeletion>(
    {
      _id: { type: String, required: true },
      record_id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      kind: { type: String, required: true },
      session_id: String,
      assets: { type: Boolean, required: true },
      execution_ids: [String],
      recording_ids: [String],
      passes: { type: Number, required: true },
      due: { type: Date, required: true },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'deletions' },
  );
  schema.index({ due: 1 });
  return connection.model('Deletion', schema);
}

export function createDeletionRepository(collection: mongo.Collection<StoredDeletion>): DeletionRepository {
  return {
    begin: async (
      { id, kind, owner, session_id = null, assets = false, execution_ids = [], recording_ids = [] },
      due,
    ) => {
      const first = {
        ...storedOwner(owner),
        record_id: requireText(id),
        kind,
        session_id,
        assets,
        execution_ids,
        recording_ids,
        passes: 0,
        due,
        created_at: new Date(),
      };
      const _id = keyOf({ id, owner });
      const { upsertedCount } = await upsert(() =>
        collection.updateOne({ _id }, { $setOnInsert: first }, { upsert: true }),
      );
      const stored = upsertedCount > 0 ? null : await fromStore(collection.findOne({ _id }));
      return { deletion: deletionOf(stored ?? { _id, ...first }), isNew: upsertedCount > 0 };
    },
    add: async (deletion, { execution_ids = [], recording_ids = [] }) => {
      if (execution_ids.length + recording_ids.length === 0) return;
      const added = {
        $addToSet: { execution_ids: { $each: execution_ids }, recording_ids: { $each: recording_ids } },
      };
      await fromStore(collection.updateOne({ _id: keyOf(deletion) }, added));
    },
    schedule: async (deletion, passes, due) => {
      await fromStore(collection.updateOne({ _id: keyOf(deletion) }, { $set: { passes, due } }));
    },
    drop: async (deletion) => {
      await fromStore(collection.deleteOne({ _id: keyOf(deletion) }));
    },
    listDue: async (now, limit) => {
      const found = collection
        .find({ due: { $lte: now } })
        .sort({ due: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map(deletionOf);
    },
  };
}

const keyOf = ({ id, owner }: Pick<DeletionRecord, 'id' | 'owner'>): string =>
  `${scopeKey(owner)}/${owner.user_id}/${requireText(id)}`;

function deletionOf({ _id, record_id, scope_key, user_id, due: _due, ...deletion }: StoredDeletion): DeletionRecord {
  return { id: record_id, owner: ownerOf({ scope_key, user_id }), ...deletion };
}
