import type { ArchiveUnit } from '@chorus/contract';
import {
  defineCollection,
  fromStored,
  ownerOf,
  pairsOf,
  type RecordOf,
  type Stored,
  type StoredOwner,
  type StoredPairs,
  storedPairs,
  toStored,
} from '../collection.ts';
import { newMark, type StoredMark } from '../texts/marks.ts';

export interface ArchiveRecord extends Omit<RecordOf<ArchiveUnit>, 'source'> {
  source: Omit<ArchiveUnit['source'], 'taken_at'> & { taken_at: Date };
  /** The author of the current revision. `owner` created the unit. */
  revised_by: string;
}

export interface StoredArchiveUnit extends Stored<ArchiveRecord, 'source'>, StoredMark {
  source_type: ArchiveRecord['source']['type'];
  source_id?: string;
  taken_at: Date;
}

export const archiveCollection = defineCollection<StoredArchiveUnit>('archive_units', {
  erasedWith: 'maker',
  indexes: [
    { key: { scope_key: 1, _id: -1 } },
    { key: { scope_key: 1, tags: 1, _id: -1 } },
    { key: { scope_key: 1, source_type: 1, _id: -1 } },
    { key: { source_id: 1, _id: -1 }, sparse: true },
    { key: { unindexed: 1 }, sparse: true },
  ],
});

export function storedArchiveUnit({ source, metadata, ...unit }: ArchiveRecord): StoredArchiveUnit {
  const stored = toStored(unit);
  return {
    ...stored,
    ...newMark(stored),
    source_type: source.type,
    ...(source.id === null ? {} : { source_id: source.id }),
    taken_at: source.taken_at,
    metadata: storedPairs(metadata),
  };
}

export function archiveUnitOf(stored: StoredArchiveUnit): ArchiveRecord {
  const { source_type, source_id, taken_at, metadata, unindexed, ...unit } = stored;
  return {
    ...fromStored(unit),
    source: { type: source_type, id: source_id ?? null, taken_at },
    metadata: pairsOf(metadata),
  };
}

/** A former revision of a unit. */
export interface ArchiveRevisionRecord
  extends Pick<ArchiveRecord, 'owner' | 'revision' | 'title' | 'content' | 'tags' | 'metadata' | 'created_at'> {
  unit_id: string;
  /** The author of this revision. */
  user_id: string;
}

interface StoredArchiveRevision extends StoredOwner, Omit<ArchiveRevisionRecord, 'owner' | 'user_id' | 'metadata'> {
  /** `<unit>:<revision>` */
  _id: string;
  /** The author. `user_id` created the unit. */
  author_id: string;
  metadata: StoredPairs;
}

export const archiveRevisionCollection = defineCollection<StoredArchiveRevision>('archive_revisions', {
  erasedWith: 'maker',
  indexes: [{ key: { unit_id: 1, revision: 1 } }, { key: { scope_key: 1 } }],
});

export function archiveRevisionOf(stored: StoredArchiveRevision): ArchiveRevisionRecord {
  const { _id, scope_key, user_id, author_id, metadata, ...revision } = stored;
  return { ...revision, owner: ownerOf({ scope_key, user_id }), metadata: pairsOf(metadata), user_id: author_id };
}
