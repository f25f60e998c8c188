import { mongo } from 'mongoose';
import { connect } from './connect-database.ts';

const COMMAND_NOT_FOUND = 59;

/**
 * Has the built-in store rewrite its file, so that nothing of what was deleted is left in it or its log; waits as long as that takes.
 *
 * @returns false for a MongoDB, whose operator has to do it
 * @throws {ChorusError} store_unavailable
 */
export async function compactStore(uri: string): Promise<boolean> {
  const connection = await connect(uri, { socketTimeoutMS: 0 });
  try {
    await connection.getClient().db('admin').command({ compactFile: 1 });
    return true;
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === COMMAND_NOT_FOUND) return false;
    throw error;
  } finally {
    await connection.close();
  }
}
