import type { mongo } from 'mongoose';
import { fromStore } from './store-errors.ts';

/** Bytes of documents that a page holds at most, unless one alone is longer. */
export const PAGE_BYTES = 16_000_000;

/**
 * The first documents of a cursor: at most `limit`, fewer where they are long, at least one; and whether there are more. What does not fit any more is
 * fetched with the batch that it lies in, and kept by nobody.
 *
 * @param bytesOf the length of what of a document can be long
 */
export async function takeWithin<Stored>(
  cursor: mongo.FindCursor<Stored>,
  limit: number,
  bytesOf: (stored: Stored) => number,
): Promise<{ taken: Stored[]; more: boolean }> {
  const taken: Stored[] = [];
  let bytes = 0;
  try {
    for (let stored = await fromStore(cursor.next()); stored !== null; stored = await fromStore(cursor.next())) {
      bytes += bytesOf(stored);
      if (taken.length > 0 && (taken.length === limit || bytes > PAGE_BYTES)) return { taken, more: true };
      taken.push(stored);
    }
    return { taken, more: false };
  } finally {
    // Where the store is away its cursor is gone too.
    await cursor.close().catch(() => undefined);
  }
}
