import type { ArchiveExportQuery, ArchiveQuery, ArchiveUnit, ListQuery, Owner, Page } from '@chorus/contract';

/** A unit of the archive as it is now. */
export interface ArchiveRecord
  extends Omit<ArchiveUnit, 'object' | 'user_id' | 'source' | 'created_at' | 'updated_at'> {
  owner: Owner;
  source: Omit<ArchiveUnit['source'], 'taken_at'> & { taken_at: Date };
  /** Who wrote what it says now; its `owner` made it. */
  revised_by: string;
  created_at: Date;
  /** When it came to say what it says now. */
  updated_at: Date;
}

/** What a unit said at one of its revisions. */
export interface ArchiveRevisionRecord
  extends Pick<ArchiveRecord, 'revision' | 'title' | 'content' | 'tags' | 'metadata'> {
  owner: Owner;
  unit_id: string;
  /** Who wrote it. */
  user_id: string;
  created_at: Date;
}

export type ArchiveChange = Partial<Pick<ArchiveRecord, 'title' | 'content' | 'tags' | 'metadata'>> &
  Pick<ArchiveRecord, 'revised_by'>;

/**
 * Units belong to a scope: members of a workspace share them. Pages hold as many as were asked for, and fewer where these are long: some 16 MB, and at
 * least one. Cursors that are not ours throw `invalid_request`.
 */
export interface ArchiveRepository {
  /** Throws `conflict` when the id exists. */
  insert(record: ArchiveRecord): Promise<void>;
  get(owner: Owner, id: string): Promise<ArchiveRecord | null>;
  /** Which of these there are and the filters let through. */
  matching(
    owner: Owner,
    ids: string[],
    filters: Pick<ArchiveQuery, 'tag' | 'source' | 'source_id'>,
  ): Promise<Set<string>>;
  /** Newest first. */
  list(owner: Owner, query: Omit<ArchiveQuery, 'q'>): Promise<Page<ArchiveRecord>>;
  /** Oldest first, behind the id `after`. */
  listOldest(owner: Owner, query: ArchiveExportQuery & { limit: number }): Promise<Page<ArchiveRecord>>;
  /** Changes a unit that still has the revision `fromRevision`, which goes up by one; else, and for an unknown one, null. */
  revise(owner: Owner, id: string, fromRevision: number, change: ArchiveChange): Promise<ArchiveRecord | null>;
  /** Deletes a unit, if it has the revision `expected` (null: whatever it has). False: no such unit. */
  remove(owner: Owner, id: string, expected: number | null): Promise<boolean>;
}

/** What units said before they were changed. A unit that was never changed has no rows. */
export interface ArchiveRevisionRepository {
  /** Keeps what a unit says now, before it changes. Can be repeated. */
  keep(record: ArchiveRecord): Promise<void>;
  /** Oldest first. */
  list(owner: Owner, unitId: string, query: ListQuery): Promise<Page<ArchiveRevisionRecord>>;
  removeByUnit(owner: Owner, unitId: string): Promise<void>;
}
