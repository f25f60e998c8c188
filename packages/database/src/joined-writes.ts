import { isStoreUnavailable } from '@chorus/contract';
import { joinCalls } from '@chorus/runtime/timing';
import type {
  BulkWriteOptions,
  Collection,
  Filter,
  MongoServerError,
  OptionalUnlessRequiredId,
  UpdateFilter,
} from 'mongodb';
import { fromStore, isDuplicate, refusalsAmong } from './store-errors.ts';

// Writes in one turn of the event loop share a command, since a command costs the store more than a document.

/** Maximum number of writes that share a command. */
const MAX_JOINED = 32;

/**
 * When an insert resolves: `synced`, once it survives a power failure; `visible`, once others can read it. It is then
 * synced within milliseconds.
 */
export type InsertStage = 'synced' | 'visible';

const OPTIONS: Record<InsertStage, BulkWriteOptions> = {
  synced: { ordered: false },
  visible: { ordered: false, writeConcern: { w: 'majority', j: false } },
};

/** Inserts documents. Returns which of them had new ids and were stored. */
export async function insertNew<Document extends { _id: string }>(
  collection: Collection<Document>,
  documents: readonly Document[],
  until: InsertStage = 'synced',
): Promise<boolean[]> {
  try {
    const inserting = documents as unknown as OptionalUnlessRequiredId<Document>[];
    await fromStore(collection.insertMany(inserting, OPTIONS[until]));
    return documents.map(() => true);
  } catch (error) {
    const refusals = refusalsAmong(error);
    if (refusals === null || ![...refusals.values()].every(isDuplicate)) throw error;
    return documents.map((_, at) => !refusals.has(at));
  }
}

/** Returns a function that inserts a document together with others. It returns false if its id exists. */
export function joinInserts<Document extends { _id: string }>(collection: Collection<Document>) {
  const insert = joinCalls(
    async (until: InsertStage, documents: Document[]) => {
      try {
        return await insertNew(collection, documents, until);
      } catch (error) {
        if (documents.length === 1 || isStoreUnavailable(error)) throw error;
        // A refused document must not fail the others, which the store has stored.
        const refusals = refusalsAmong(error);
        if (refusals !== null) return documents.map((_, at) => isNewBy(refusals.get(at)));
        return documents.map(async (document) => (await insertNew(collection, [document], until))[0] as boolean);
      }
    },
    { most: MAX_JOINED },
  );
  return (document: Document, until: InsertStage = 'synced'): Promise<boolean> => insert(until, document);
}

/** @throws the reason why the store refused a document */
async function isNewBy(refusal: MongoServerError | undefined): Promise<boolean> {
  if (refusal === undefined) return true;
  if (isDuplicate(refusal)) return false;
  throw refusal;
}

interface Update<Document> {
  filter: Filter<Document>;
  update: UpdateFilter<Document>;
}

/** Returns a function that updates a document together with others. Updates must be repeatable, in any order. */
export function joinUpdates<Document extends { _id: string }>(collection: Collection<Document>) {
  const updateAlone = async ({ filter, update }: Update<Document>) => {
    await fromStore(collection.updateOne(filter, update));
  };
  const updateAll = joinCalls(
    async (_: 'all', updates: Update<Document>[]) => {
      if (updates.length === 1) return updates.map(updateAlone);
      try {
        const steps = updates.map((updateOne) => ({ updateOne }));
        await fromStore(collection.bulkWrite(steps, { ordered: false }));
        return updates.map(() => undefined);
      } catch (error) {
        if (isStoreUnavailable(error)) throw error;
        return updates.map(updateAlone);
      }
    },
    { most: MAX_JOINED },
  );
  return (filter: Filter<Document>, update: UpdateFilter<Document>): Promise<void> =>
    updateAll('all', { filter, update });
}
