import { type ArchiveCreate, newId, type Owner, titleFrom } from '@chorus/contract';
import type { ArchiveRecord, Database } from '@chorus/database';
import { type Snapshot, type SnapshotParts, takeSnapshot } from './take-snapshot.ts';

export interface ArchiveParts extends SnapshotParts {
  database: SnapshotParts['database'] & Pick<Database, 'archive'>;
}

const UNTITLED = 'Untitled';

/** Markdown syntax before and around the words of a line. */
const BEFORE = /^[\s#>*+-]+/u;
const AROUND = /\*\*|__|`/gu;

/** The part of a text that is searched for a title. */
const TITLE_CHARS = 3_000;

/**
 * Creates a unit from a text, or from a session, message, or knowledge entry.
 *
 * @throws {ChorusError} as `takeSnapshot`
 */
export async function createUnit(
  parts: ArchiveParts,
  owner: Owner,
  { title, content, from, tags, metadata }: ArchiveCreate,
): Promise<ArchiveRecord> {
  const taken: Snapshot =
    from === undefined ? { title: null, content: content ?? '' } : await takeSnapshot(parts, owner, from);
  const now = new Date();
  const record: ArchiveRecord = {
    id: newId('archive'),
    owner,
    title: title ?? taken.title ?? titleOf(taken.content),
    content: taken.content,
    tags,
    metadata,
    source: { type: from?.type ?? 'text', id: from?.id ?? null, taken_at: now },
    revision: 1,
    revised_by: owner.user_id,
    created_at: now,
    updated_at: now,
  };
  await parts.database.archive.insert(record);
  return record;
}

/** Returns the first line with words. */
function titleOf(content: string): string {
  for (const line of content.slice(0, TITLE_CHARS).split('\n')) {
    const title = titleFrom(line.replace(BEFORE, '').replace(AROUND, ''));
    if (title !== null) return title;
  }
  return UNTITLED;
}
