import type { CitationItem } from '@chorus/contract';
import type { mongo } from 'mongoose';
import type { QuotingText } from './repositories.ts';
import { fromStore } from './store-errors.ts';
import { requireText } from './stored-fields.ts';

interface StoredQuotingText {
  _id: string;
  content: string;
  citations?: CitationItem[];
}

const MANY_DEADLINE_MS = 30_000;

/** Finds messages, or rows of their history, that quote a knowledge entry: all are in its scope. */
export async function listQuoting<T extends StoredQuotingText>(
  collection: mongo.Collection<T>,
  entryId: string,
  limit: number,
): Promise<QuotingText[]> {
  const entry_id = requireText(entryId);
  const filter = {
    'citations.entry_id': entry_id,
    citations: { $elemMatch: { entry_id, quote: { $ne: '' } } },
  };
  const found = collection
    .find(filter as unknown as mongo.Filter<T>)
    .limit(limit)
    .project<StoredQuotingText>({ content: 1, citations: 1 });
  const stored = await fromStore(found.toArray(), MANY_DEADLINE_MS);
  return stored.map(({ _id, content, citations = [] }) => ({ id: _id, content, citations }));
}
