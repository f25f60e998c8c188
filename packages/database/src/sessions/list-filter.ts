import type { Owner, SessionQuery } from '@chorus/contract';
import type { Filter } from 'mongodb';
import { defined, storedOwner } from '../collection.ts';
import { invalidCursor, titleConditions } from '../reading.ts';
import type { StoredSession } from './schema.ts';

/** Matches the sessions of a page. */
export function listFilter(owner: Owner, query: SessionQuery): Filter<StoredSession> {
  const isSearch = query.q !== undefined;
  const conditions: Filter<StoredSession>[] = titleConditions(query.q);
  if (query.after !== undefined) conditions.push(afterCursor(query.after, isSearch));
  return {
    ...flagFilter(owner, query, isSearch),
    ...(conditions.length === 0 ? {} : { $and: conditions }),
  };
}

export type Flags = Pick<SessionQuery, 'pinned' | 'starred' | 'archived' | 'folder_id'>;

/** Archived and temporary sessions have no `pinned`. */
export const NOT_ARCHIVED = { pinned: { $gte: false } };

/** Matches sessions by their flags. By default, archived ones are only included `withArchived`. */
export function flagFilter(
  owner: Owner,
  { pinned, starred, archived, folder_id }: Flags,
  withArchived: boolean,
): Filter<StoredSession> {
  const isArchived = archived ?? (withArchived ? undefined : false);
  const flags = defined({ pinned, starred, folder_id });
  if (isArchived === undefined) return { ...storedOwner(owner), temporary: { $exists: false }, ...flags };
  return { ...storedOwner(owner), ...(isArchived ? { archived: true } : NOT_ARCHIVED), ...flags };
}

/** The parts of a list, in their order. */
const PARTS = ['archived', 'unpinned', 'pinned'] as const;
type Part = (typeof PARTS)[number];

export function cursorOf(last: StoredSession): string {
  const part: Part = last.archived ? 'archived' : last.pinned ? 'pinned' : 'unpinned';
  return Buffer.from(JSON.stringify([PARTS.indexOf(part) - 1, last.updated_at.getTime(), last._id])).toString(
    'base64url',
  );
}

function afterCursor(cursor: string, withArchived: boolean): Filter<StoredSession> {
  const { part, updatedAt, id } = readCursor(cursor);
  const within: Filter<StoredSession> = part === 'archived' ? { archived: true } : { pinned: part === 'pinned' };
  const later: Filter<StoredSession>[] = [
    { ...within, updated_at: { $lt: updatedAt } },
    { ...within, updated_at: updatedAt, _id: { $lt: id } },
  ];
  if (part === 'pinned') later.push({ pinned: false });
  if (withArchived && part !== 'archived') later.push({ archived: true });
  return { $or: later };
}

function readCursor(cursor: string): { part: Part; updatedAt: Date; id: string } {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw invalidCursor();
  }
  const [place, time, id] = Array.isArray(parts) ? (parts as unknown[]) : [];
  const updatedAt = new Date(typeof time === 'number' ? time : Number.NaN);
  const part = typeof place === 'number' ? PARTS[place + 1] : undefined;
  if (part === undefined || Number.isNaN(updatedAt.getTime()) || typeof id !== 'string') throw invalidCursor();
  return { part, updatedAt, id };
}
