import { type MongoClient, MongoServerError } from 'mongodb';
import { type Connection, type ConnectOptions, Mongoose } from 'mongoose';
import { endLostWrites } from './end-lost-writes.ts';
import { quietPools } from './quiet-pools.ts';
import { isStoreAway, storeUnavailable } from './store-errors.ts';

/** Limits each search for a server. Together they take less than 10 s. */
const SELECTION_MS = 3_000;
const CONNECT_TRIES = 3;
/** Allows for index builds. */
const SOCKET_TIMEOUT_MS = 30_000;

const COMMAND_NOT_FOUND = 59;

/** @throws {ChorusError} store_unavailable after 10 s */
export async function connect(uri: string, options: ConnectOptions = {}): Promise<Connection> {
  endLostWrites();
  quietPools();
  // An instance per connection: several databases can be open at once.
  const mongoose = new Mongoose({ sanitizeFilter: true, strictQuery: true });
  for (let tries = 1; ; tries++) {
    const connection = mongoose.createConnection(uri, {
      autoCreate: false,
      autoIndex: false,
      bufferCommands: false,
      serverSelectionTimeoutMS: SELECTION_MS,
      connectTimeoutMS: SELECTION_MS,
      socketTimeoutMS: SOCKET_TIMEOUT_MS,
      waitQueueTimeoutMS: 5_000,
      maxPoolSize: 100,
      maxConnecting: 8,
      ...options,
    });
    try {
      return await connection.asPromise();
    } catch (error) {
      await connection.close(true).catch(() => {});
      if (!isStoreAway(error)) throw error;
      if (tries === CONNECT_TRIES) throw storeUnavailable(error);
    }
  }
}

/**
 * Removes deleted data from the embedded store's file and log. Waits until that is complete.
 *
 * @returns false for MongoDB, which has no such command
 * @throws {ChorusError} store_unavailable
 */
export async function compactStore(uri: string): Promise<boolean> {
  const connection = await connect(uri, { socketTimeoutMS: 0 });
  try {
    return await compactFile(connection.getClient());
  } finally {
    await connection.close();
  }
}

/** Returns false for MongoDB, which has no such command. */
export async function compactFile(client: MongoClient): Promise<boolean> {
  try {
    await client.db('admin').command({ compactFile: 1 });
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === COMMAND_NOT_FOUND) return false;
    throw error;
  }
}
