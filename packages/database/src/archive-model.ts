import { type Connection, Schema } from 'mongoose';
import type { ArchiveRecord } from './archive-records.ts';
import { ownerOf, pairsOf, type StoredOwner, type StoredPairs, storedOwner, storedPairs } from './stored-fields.ts';
import { newMark, type StoredMark } from './unindexed-mark.ts';

export interface StoredArchiveUnit
  extends StoredOwner,
    StoredMark,
    Omit<ArchiveRecord, 'id' | 'owner' | 'source' | 'metadata'> {
  _id: string;
  source_type: ArchiveRecord['source']['type'];
  /** Absent where it was written. */
  source_id?: string;
  taken_at: Date;
  metadata: StoredPairs;
}

export function defineArchiveModel(connection: Connection) {
  const schema = new Schema<StoredArchiveUnit>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      title: { type: String, required: true },
      content: { type: String, required: true },
      tags: [String],
      source_type: { type: String, required: true },
      source_id: String,
      taken_at: { type: Date, required: true },
      metadata: [Schema.Types.Mixed],
      revision: { type: Number, required: true },
      revised_by: { type: String, required: true },
      created_at: { type: Date, required: true },
      updated_at: { type: Date, required: true },
      unindexed: String,
    },
    { versionKey: false, collection: 'archive_units' },
  );
  schema.index({ scope_key: 1, _id: -1 });
  schema.index({ scope_key: 1, tags: 1, _id: -1 });
  schema.index({ scope_key: 1, source_type: 1, _id: -1 });
  schema.index({ source_id: 1, _id: -1 }, { sparse: true });
  schema.index({ unindexed: 1 }, { sparse: true });
  return connection.model('ArchiveUnit', schema);
}

/** A new unit: the full-text index has yet to learn of it. */
export function storedArchiveUnit({ id, owner, source, metadata, ...plain }: ArchiveRecord): StoredArchiveUnit {
  const stored = storedOwner(owner);
  return {
    _id: id,
    ...stored,
    ...plain,
    ...newMark(stored),
    source_type: source.type,
    ...(source.id === null ? {} : { source_id: source.id }),
    taken_at: source.taken_at,
    metadata: storedPairs(metadata),
  };
}

export function archiveUnitOf(stored: StoredArchiveUnit): ArchiveRecord {
  const { _id, scope_key, user_id, source_type, source_id, taken_at, metadata, unindexed, ...plain } = stored;
  return {
    id: _id,
    owner: ownerOf({ scope_key, user_id }),
    ...plain,
    source: { type: source_type, id: source_id ?? null, taken_at },
    metadata: pairsOf(metadata),
  };
}
