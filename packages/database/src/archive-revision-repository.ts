import { type Owner, scopeKey } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { ArchiveRevisionRecord, ArchiveRevisionRepository } from './archive-records.ts';
import { invalidCursor } from './page.ts';
import { fromStore, upsert } from './store-errors.ts';
import {
  ownerOf,
  pairsOf,
  requireText,
  type StoredOwner,
  type StoredPairs,
  storedOwner,
  storedPairs,
} from './stored-fields.ts';
import { takeWithin } from './take-within.ts';

export interface StoredArchiveRevision
  extends StoredOwner,
    Omit<ArchiveRevisionRecord, 'owner' | 'user_id' | 'metadata'> {
  /** `<unit>:<revision>`: what was said at one revision is kept once. */
  _id: string;
  /** Who wrote it; `user_id` is who made the unit. */
  author_id: string;
  metadata: StoredPairs;
}

/** Rows that come at once; long ones fill a batch of the store's alone. */
const BATCH = 21;

export function defineArchiveRevisionModel(connection: Connection) {
  const schema = new Schema<StoredArchiveRevision>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      unit_id: { type: String, required: true },
      revision: { type: Number, required: true },
      title: { type: String, required: true },
      content: { type: String, required: true },
      tags: [String],
      metadata: [Schema.Types.Mixed],
      author_id: { type: String, required: true },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'archive_revisions' },
  );
  schema.index({ unit_id: 1, revision: 1 });
  schema.index({ scope_key: 1 });
  return connection.model('ArchiveRevision', schema);
}

export function createArchiveRevisionRepository(
  collection: mongo.Collection<StoredArchiveRevision>,
): ArchiveRevisionRepository {
  const ofUnit = (owner: Owner, unitId: string) => ({ unit_id: requireText(unitId), scope_key: scopeKey(owner) });

  return {
    keep: async ({ id, owner, revision, title, content, tags, metadata, revised_by, updated_at }) => {
      const row: Omit<StoredArchiveRevision, '_id'> = {
        ...storedOwner(owner),
        unit_id: id,
        revision,
        title,
        content,
        tags,
        metadata: storedPairs(metadata),
        author_id: revised_by,
        created_at: updated_at,
      };
      const _id = `${requireText(id)}:${revision}`;
      await upsert(() => collection.updateOne({ _id }, { $setOnInsert: row }, { upsert: true }));
    },
    list: async (owner, unitId, { limit, after }) => {
      const from = after === undefined ? {} : { revision: { $gt: readCursor(after) } };
      const found = collection
        .find({ ...ofUnit(owner, unitId), ...from })
        .sort({ revision: 1 })
        .limit(limit + 1)
        .batchSize(Math.min(limit + 1, BATCH));
      const { taken, more } = await takeWithin(found, limit, ({ content }) => Buffer.byteLength(content));
      const last = taken.at(-1);
      const next = more && last !== undefined ? String(last.revision) : null;
      return { data: taken.map(revisionOf), has_more: next !== null, next_cursor: next };
    },
    removeByUnit: async (owner, unitId) => {
      await fromStore(collection.deleteMany(ofUnit(owner, unitId)));
    },
  };
}

function revisionOf(stored: StoredArchiveRevision): ArchiveRevisionRecord {
  const { _id, scope_key, user_id, author_id, metadata, ...plain } = stored;
  return { ...plain, owner: ownerOf({ scope_key, user_id }), metadata: pairsOf(metadata), user_id: author_id };
}

function readCursor(cursor: string): number {
  if (!/^\d{1,9}$/.test(cursor)) throw invalidCursor();
  return Number(cursor);
}
