import { ChorusError, type IdKind, isId, type ListQuery, type Page } from '@chorus/contract';
import type { Collection, Filter, FindCursor, FindOptions } from 'mongodb';
import { fromStore } from './store-errors.ts';

/** Limits the bytes of documents in one page. A longer document is returned alone. */
export const PAGE_BYTES = 16_000_000;

export async function readOne<Stored, T>(
  found: Promise<Stored | null>,
  toRecord: (stored: Stored) => T,
): Promise<T | null> {
  const stored = await fromStore(found);
  return stored === null ? null : toRecord(stored);
}

export async function readAll<Stored, T>(
  found: { toArray(): Promise<Stored[]> },
  toRecord: (stored: Stored) => T,
  deadlineMs?: number,
): Promise<T[]> {
  return (await fromStore(found.toArray(), deadlineMs)).map(toRecord);
}

export function readIds<Stored>(found: FindCursor<Stored>, deadlineMs?: number): Promise<string[]> {
  return readAll(found.project<{ _id: string }>({ _id: 1 }), ({ _id }) => _id, deadlineMs);
}

/** Reads a page. `found` must be limited to one more than `limit`, to see whether there are more. */
export async function readPage<Stored, T>(
  found: { toArray(): Promise<Stored[]> },
  limit: number,
  toRecord: (stored: Stored) => T,
  toCursor: (last: Stored) => string,
): Promise<Page<T>> {
  const stored = await fromStore(found.toArray());
  return pageOf(stored.slice(0, limit), stored.length > limit, toRecord, toCursor);
}

export function pageOf<Stored, T>(
  stored: Stored[],
  hasMore: boolean,
  toRecord: (stored: Stored) => T,
  toCursor: (last: Stored) => string,
): Page<T> {
  const last = stored.at(-1);
  const next_cursor = hasMore && last !== undefined ? toCursor(last) : null;
  return { data: stored.map(toRecord), has_more: next_cursor !== null, next_cursor };
}

/** Reads a page, newest first, since ids start with their creation time. The cursor is the last id. */
export async function listNewest<Stored extends { _id: string }, T>(
  collection: Collection<Stored>,
  kind: IdKind,
  { limit, after }: Pick<ListQuery, 'limit' | 'after'>,
  filter: Filter<Stored>,
  toRecord: (stored: Stored) => T,
  options: FindOptions = {},
): Promise<Page<T>> {
  if (after !== undefined && !isId(kind, after)) throw invalidCursor();
  const older = after === undefined ? {} : { _id: { $lt: after } };
  const found = collection.find({ ...filter, ...older } as Filter<Stored>, options);
  return readPage(found.sort({ _id: -1 }).limit(limit + 1) as FindCursor<Stored>, limit, toRecord, ({ _id }) => _id);
}

/** Reads documents up to a count and a number of bytes, but at least one. Closes the cursor. */
export async function takeWithin<Stored>(
  cursor: FindCursor<Stored>,
  limit: number,
  bytesOf: (stored: Stored) => number,
  maxBytes = PAGE_BYTES,
  atLeast = 1,
): Promise<{ taken: Stored[]; more: boolean }> {
  const taken: Stored[] = [];
  let bytes = 0;
  try {
    for (let stored = await fromStore(cursor.next()); stored !== null; stored = await fromStore(cursor.next())) {
      bytes += bytesOf(stored);
      if (taken.length >= atLeast && (taken.length === limit || bytes > maxBytes)) return { taken, more: true };
      taken.push(stored);
    }
    return { taken, more: false };
  } finally {
    await cursor.close().catch(() => undefined);
  }
}

export function invalidCursor(): ChorusError {
  return new ChorusError('invalid_request', 'The cursor does not belong to this list.', {
    details: [{ path: 'query.after', message: 'must be the next_cursor of the previous page' }],
  });
}

/** Returns the id after which a page in ascending order starts. @throws {ChorusError} invalid_request */
export function startAfter(after: string | undefined, isIdOfList: (value: string) => boolean): string {
  if (after !== undefined && !isIdOfList(after)) throw invalidCursor();
  return after ?? '';
}

/** Reads a numeric cursor. @throws {ChorusError} invalid_request */
export function numberCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw invalidCursor();
  return Number(cursor);
}

/** Returns a condition for each word of a search: the title contains it, in any case. */
export function titleConditions(q: string | undefined) {
  const words = (q ?? '').split(/\s+/).filter((word) => word !== '');
  return words.map((word) => ({ title: { $regex: word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), $options: 'i' } }));
}
