import { ChorusError } from '@chorus/contract';
import { withTimeout } from '@chorus/runtime/timing';
import {
  type Collection,
  type Filter,
  MongoBulkWriteError,
  MongoNetworkError,
  MongoServerError,
  type OptionalUnlessRequiredId,
} from 'mongodb';

const DUPLICATE_KEY = 11_000;
const OUT_OF_DISK_SPACE = 14_031;

/** Server errors that a retry can get past: shutting down, not primary, timed out, disk full. */
const DOWN_CODES = new Set([
  6,
  7,
  50,
  64,
  89,
  91,
  189,
  262,
  9001,
  10_107,
  11_600,
  11_602,
  13_435,
  13_436,
  OUT_OF_DISK_SPACE,
]);

/** Errors of the driver and of Mongoose for an unreachable server. It does not export all of these classes. */
const DOWN_NAMES = new Set([
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

/** System errors of a broken connection, which the driver does not wrap when a write fails. */
const DOWN_SYSTEM_CODES = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'ENOENT']);

/** Whether a unique index rejected a write. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/**
 * Returns which of many inserted documents the store refused, with their errors. It has stored the others. Null: the
 * error has another cause.
 */
export function refusalsAmong(error: unknown): Map<number, MongoServerError> | null {
  if (!(error instanceof MongoBulkWriteError)) return null;
  const refusals = [error.writeErrors].flat();
  if (refusals.length === 0) return null;
  return new Map(refusals.map(({ index, code, errmsg }) => [index, new MongoServerError({ code, message: errmsg })]));
}

/** Runs an upsert by `_id`, and retries once when a concurrent upsert inserted first. */
export function upsert<T>(write: () => Promise<T>): Promise<T> {
  return fromStore(
    write().catch((error) => {
      if (isDuplicate(error)) return write();
      throw error;
    }),
  );
}

/** Runs an insert. Throws `conflict` if a unique index rejects it. */
export function orConflict<T>(write: Promise<T>, message: string): Promise<T> {
  return fromStore(write).catch((error) => {
    throw isDuplicate(error) ? new ChorusError('conflict', message, { cause: error }) : error;
  });
}

/** Runs a write. Returns false if a unique index rejects it. */
export async function unlessDuplicate(write: Promise<unknown>): Promise<boolean> {
  try {
    await fromStore(write);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** Inserts a document unless one with its `_id` exists. Returns the stored one. */
export async function insertOrGet<Document extends { _id: string }>(
  collection: Collection<Document>,
  fresh: Document,
): Promise<Document> {
  if (await unlessDuplicate(collection.insertOne(fresh as OptionalUnlessRequiredId<Document>))) return fresh;
  const stored = await fromStore(collection.findOne({ _id: fresh._id } as Filter<Document>));
  return stored === null ? insertOrGet(collection, fresh) : (stored as Document);
}

/** Whether the store could not be reached, as opposed to rejecting the command. */
export function isStoreAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof MongoBulkWriteError && isStoreAway(error.errorResponse)) return true;
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && DOWN_SYSTEM_CODES.has(code ?? '')) return true;
  if (DOWN_NAMES.has(error.name) || error instanceof MongoNetworkError) return true;
  return error instanceof MongoServerError && typeof error.code === 'number' && DOWN_CODES.has(error.code);
}

/** Limits one operation. The driver's own limits add up, and its socket timeout must allow index builds. */
const DEADLINE_MS = 6_000;

/** Waits for the store. Throws `store_unavailable` when it is unreachable or misses the deadline. */
export function fromStore<T>(answer: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  const giveUp = () => {
    throw storeUnavailable(new Error(`no answer within ${deadlineMs} ms`));
  };
  return withTimeout(answer, deadlineMs, giveUp).catch((error) => {
    throw isStoreAway(error) ? storeUnavailable(error) : error;
  });
}

export function storeUnavailable(cause: unknown): ChorusError {
  const isFull = cause instanceof MongoServerError && cause.code === OUT_OF_DISK_SPACE;
  const message = isFull
    ? 'The disk of the document store is full, so nothing can be stored. Ask an operator to free space.'
    : 'The document store cannot be reached.';
  return new ChorusError('store_unavailable', message, { retryAfterS: isFull ? 60 : 1, cause });
}
