import { ChorusError } from '@chorus/contract';
import { mongo } from 'mongoose';

const DUPLICATE_KEY = 11_000;

/** Codes by which a server says that it is going away, is no primary (yet), took too long, or has no room on its disk: another try can help. */
const AWAY_CODES = new Set([6, 7, 50, 64, 89, 91, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031]);

/** The driver's errors for a server that is not there; some of their classes are not exported. */
const AWAY_NAMES = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoServerClosedError',
  'MongoOperationTimeoutError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
]);

/** What the system says of a connection that breaks; the driver hands on such an error of a write as it is. */
const AWAY_SYSTEM_CODES = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'ENOENT']);

/** Whether a unique index refused a write. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;
}

/** Which of many inserted documents, by their places, unique indexes refused; null: something else went wrong. */
export function duplicatesAmong(error: unknown): Set<number> | null {
  if (!(error instanceof mongo.MongoBulkWriteError)) return null;
  const refusals = [error.writeErrors].flat();
  const all = refusals.length > 0 && refusals.every(({ code }) => code === DUPLICATE_KEY);
  return all ? new Set(refusals.map(({ index }) => index)) : null;
}

/**
 * An upsert by `_id`. Of two at the same moment one may find nothing and then not be able to insert: done again, it finds what the other inserted.
 */
export function upsert<T>(write: () => Promise<T>): Promise<T> {
  return fromStore(
    write().catch((error) => {
      if (isDuplicate(error)) return write();
      throw error;
    }),
  );
}

/** Whether the store could not be reached, as opposed to having refused. */
export function isStoreAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Several inserts in one: the driver wraps whatever ended them.
  if (error instanceof mongo.MongoBulkWriteError && isStoreAway(error.errorResponse)) return true;
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && AWAY_SYSTEM_CODES.has(code ?? '')) return true;
  if (AWAY_NAMES.has(error.name) || error instanceof mongo.MongoNetworkError) return true;
  return error instanceof mongo.MongoServerError && typeof error.code === 'number' && AWAY_CODES.has(error.code);
}

/**
 * The longest that one operation may take, in milliseconds. The driver's own limits follow each other, and that of an answer is made for the longest one there
 * is: the building of an index.
 */
const DEADLINE_MS = 6_000;

/** Gives the store's answer; a store that is away, or silent for too long, becomes `store_unavailable`, anything else is thrown as it is. */
export function fromStore<T>(answer: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(storeUnavailable(new Error(`no answer within ${deadlineMs} ms`)));
    // An answer that lies in the socket, since this process was busy, is read before that: only the store's own silence counts.
    const deadline = setTimeout(() => setImmediate(late), deadlineMs);
    answer.then(
      (value) => {
        clearTimeout(deadline);
        resolve(value);
      },
      (error) => {
        clearTimeout(deadline);
        reject(isStoreAway(error) ? storeUnavailable(error) : error);
      },
    );
  });
}

export function storeUnavailable(cause: unknown): ChorusError {
  return new ChorusError('store_unavailable', 'The document store cannot be reached.', { retryAfterS: 1, cause });
}
