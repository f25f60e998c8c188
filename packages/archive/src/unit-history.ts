import type { ListQuery, Owner, Page } from '@chorus/contract';
import type { ArchiveRecord, ArchiveRevisionRecord, Database } from '@chorus/database';
import { unknownUnit } from './change-unit.ts';

/**
 * Lists all revisions of a unit, oldest first, including the current one.
 *
 * @throws {ChorusError} `not_found`; `invalid_request` for an invalid cursor
 */
export async function unitHistory(
  { archive, archiveRevisions }: Pick<Database, 'archive' | 'archiveRevisions'>,
  owner: Owner,
  id: string,
  query: ListQuery,
): Promise<Page<ArchiveRevisionRecord>> {
  // Read this first: all revisions before it are already stored.
  const unit = await archive.get(owner, id);
  if (unit === null) throw unknownUnit();
  const page = await archiveRevisions.list(owner, id, query);
  // A row of the current revision belongs to a change that is unfinished or failed.
  const rows = page.data.filter(({ revision }) => revision < unit.revision);
  if (page.has_more && rows.length === page.data.length) return page;
  const last = rows.at(-1);
  if (Number(query.after ?? 0) >= unit.revision) return { data: [], has_more: false, next_cursor: null };
  if (last !== undefined && rows.length >= query.limit)
    return { data: rows, has_more: true, next_cursor: String(last.revision) };
  return { data: [...rows, revisionOf(unit)], has_more: false, next_cursor: null };
}

/** Returns the current revision as a row of the history. */
function revisionOf(unit: ArchiveRecord): ArchiveRevisionRecord {
  const { id, owner, revision, title, content, tags, metadata, revised_by, updated_at } = unit;
  return { unit_id: id, owner, revision, title, content, tags, metadata, user_id: revised_by, created_at: updated_at };
}
