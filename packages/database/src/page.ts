import { ChorusError, type Page } from '@chorus/contract';

/** A page out of one record more than was asked for: that one only tells that there are more. */
export function pageOf<Stored, T>(
  found: Stored[],
  limit: number,
  toRecord: (stored: Stored) => T,
  toCursor: (last: Stored) => string,
): Page<T> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { data: shown.map(toRecord), has_more: hasMore, next_cursor: hasMore ? toCursor(last) : null };
}

export function invalidCursor(): ChorusError {
  return new ChorusError('invalid_request', 'The cursor is not one of this list.', {
    details: [{ path: 'query.after', message: 'must be the next_cursor of the page before' }],
  });
}

/**
 * What a page of a list by rising ids comes behind: the cursor, which is the last id of the page before, or nothing.
 *
 * @throws {ChorusError} invalid_request for one that is no id of such a list
 */
export function behindCursor(after: string | undefined, isIdOfList: (value: string) => boolean): string {
  if (after === undefined) return '';
  if (!isIdOfList(after)) throw invalidCursor();
  return after;
}
