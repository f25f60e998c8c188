import type { Logger } from '@chorus/runtime/log';
import { type Collection, type Db, type IndexDescription, MongoServerError } from 'mongodb';
import type { CollectionSpec } from './collection.ts';
import { isStoreAway, storeUnavailable } from './store-errors.ts';

/** An index with that name or those fields has other options, and must be changed manually. */
const CONFLICT_CODES = [85, 86];
/** Another process is creating the same collection or index. */
const BUSY_CODES = [48, 112, 117, 12_587];
const TRIES = 5;

/** Limit of concurrent commands. Each uses a connection, and all processes of a platform start at once. */
const CONCURRENCY = 3;

/** Creates missing indexes. Safe to run in several processes at once. */
export async function ensureIndexes(db: Db, specs: readonly CollectionSpec[], log: Logger): Promise<void> {
  const left = specs.values();
  const createNext = async () => {
    for (const { name, schema } of left) {
      const indexes = schema.indexes().map(([key, { background: _, ...options }]) => ({ key, ...options }));
      if (indexes.length > 0) await createIndexes(db.collection(name), indexes as IndexDescription[], log);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, createNext));
}

async function createIndexes(collection: Collection, indexes: IndexDescription[], log: Logger): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await collection.createIndexes(indexes);
      return;
    } catch (error) {
      if (isStoreAway(error)) throw storeUnavailable(error);
      const code = error instanceof MongoServerError ? Number(error.code) : Number.NaN;
      if (CONFLICT_CODES.includes(code)) {
        log.warn(
          { err: error, collection: collection.collectionName },
          'an index exists with other options and was not changed',
        );
        return;
      }
      if (!BUSY_CODES.includes(code) || tries === TRIES) throw error;
    }
  }
}
