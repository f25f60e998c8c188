import type { Logger } from '@chorus/log';
import { type Connection, mongo } from 'mongoose';
import { isStoreAway, storeUnavailable } from './store-errors.ts';

/** An index of that name or those fields exists with other options: it has to be changed by hand. */
const CONFLICT_CODES = [85, 86];
/** Another process makes the same collection or index at this moment. */
const BUSY_CODES = [48, 112, 117, 12_587];
const TRIES = 5;

/** Commands at once: each wants a connection, and the processes of a platform that starts all come at the same moment. */
const AT_ONCE = 3;

/** Makes sure that the models' indexes exist: one command for each collection, by as many processes at once as there are. */
export async function ensureIndexes(connection: Connection, log: Logger): Promise<void> {
  const store = connection.getClient().db();
  const models = Object.values(connection.models).values();
  const makeNext = async () => {
    for (const model of models) {
      const indexes = model.schema.indexes().map(([key, options]) => {
        const { background: _, ...rest } = options;
        return { key, ...rest } as mongo.IndexDescription;
      });
      if (indexes.length > 0) await createIndexes(store.collection(model.collection.name), indexes, log);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, makeNext));
}

async function createIndexes(
  collection: mongo.Collection,
  indexes: mongo.IndexDescription[],
  log: Logger,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await collection.createIndexes(indexes);
      return;
    } catch (error) {
      if (isStoreAway(error)) throw storeUnavailable(error);
      const code = error instanceof mongo.MongoServerError ? Number(error.code) : Number.NaN;
      if (CONFLICT_CODES.includes(code)) {
        log.warn(
          { err: error, collection: collection.collectionName },
          'an index exists with other options and was left as it is',
        );
        return;
      }
      if (!BUSY_CODES.includes(code) || tries === TRIES) throw error;
    }
  }
}
