import { type IdKind, isId, type ListQuery, type Page } from '@chorus/contract';
import type { mongo } from 'mongoose';
import { invalidCursor, pageOf } from './page.ts';
import { fromStore } from './store-errors.ts';

/** A page of a collection, newest first: ids begin with their time. The cursor is the last id; another one throws `invalid_request`. */
export async function listNewest<Stored extends { _id: string }, T>(
  collection: mongo.Collection<Stored>,
  kind: IdKind,
  { limit, after }: Pick<ListQuery, 'limit' | 'after'>,
  filter: mongo.Filter<Stored>,
  toRecord: (stored: Stored) => T,
): Promise<Page<T>> {
  if (after !== undefined && !isId(kind, after)) throw invalidCursor();
  const older = after === undefined ? {} : { _id: { $lt: after } };
  const found = collection.find({ ...filter, ...older } as mongo.Filter<Stored>);
  const stored = await fromStore(
    found
      .sort({ _id: -1 })
      .limit(limit + 1)
      .toArray(),
  );
  return pageOf(stored as Stored[], limit, toRecord, (last) => last._id);
}
