import type { Session } from '@chorus/contract';
import { defineCollection, fromStored, pairsOf, type RecordOf, type Stored } from '../collection.ts';
import type { StoredMark } from '../texts/marks.ts';

export interface SessionRecord extends RecordOf<Session> {
  /** Position of the next message. It only grows. */
  next_position: number;
  /** When `active_execution_id` locked the session; null while it is free. */
  locked_at: Date | null;
  /** The messages from which a model wrote the title. Absent: no model wrote it. */
  titled_from?: string[];
  /** Identifies an imported conversation, so that it is imported only once. */
  import_key?: string;
}

export interface StoredSession
  extends Stored<SessionRecord, 'locked_at' | 'archived' | 'pinned' | 'temporary' | 'folder_id'>,
    StoredMark {
  /** Absent: false. */
  archived?: true;
  /** Absent while the session is archived or temporary, so that the index of the list skips it. */
  pinned?: boolean;
  /** Absent: false. */
  temporary?: true;
  /** Absent: none. */
  folder_id?: string;
  /** Absent while the session is free. */
  locked_at?: Date;
}

export const sessionCollection = defineCollection<StoredSession>('sessions', {
  erasedWith: 'maker',
  indexes: [
    { key: { scope_key: 1, user_id: 1, pinned: -1, updated_at: -1, _id: -1 } },
    {
      key: { scope_key: 1, user_id: 1, archived: 1, pinned: -1, updated_at: -1, _id: -1 },
      partialFilterExpression: { archived: true },
    },
    {
      key: { folder_id: 1, pinned: -1, updated_at: -1, _id: -1 },
      partialFilterExpression: { folder_id: { $gt: '' } },
    },
    { key: { temporary: 1, updated_at: 1 }, partialFilterExpression: { temporary: true } },
    { key: { import_key: 1 }, unique: true, sparse: true },
    { key: { locked_at: 1 }, sparse: true },
    { key: { unindexed: 1 }, sparse: true },
  ],
});

export function sessionOf({
  unindexed,
  locked_at,
  metadata,
  archived,
  pinned,
  temporary,
  folder_id,
  ...stored
}: StoredSession): SessionRecord {
  const flags = { archived: archived === true, pinned: pinned === true, temporary: temporary === true };
  const place = { ...flags, folder_id: folder_id ?? null };
  return { ...fromStored(stored), ...place, locked_at: locked_at ?? null, metadata: pairsOf(metadata) };
}
