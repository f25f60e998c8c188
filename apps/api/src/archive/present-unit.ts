import type { ArchiveRevision, ArchiveUnit } from '@chorus/contract';
import type { ArchiveRecord, ArchiveRevisionRecord } from '@chorus/database';

export function presentUnit(record: ArchiveRecord): ArchiveUnit {
  const { id, title, content, tags, source, metadata, revision, owner } = record;
  return {
    id,
    object: 'archive.unit',
    title,
    content,
    tags,
    source: { ...source, taken_at: source.taken_at.toISOString() },
    metadata,
    revision,
    user_id: owner.user_id,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}

export function presentUnitRevision(record: ArchiveRevisionRecord): ArchiveRevision {
  const { owner, created_at, ...fields } = record;
  return { object: 'archive.revision', ...fields, created_at: created_at.toISOString() };
}
