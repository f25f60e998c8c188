import type { Document } from 'bson';
import {
  badValue,
  commandNotFound,
  dataCorruption,
  illegalOperation,
  isWriteFailure,
  requestError,
  StoreError,
} from '../errors.ts';
import { checkDatabaseName } from '../storage/catalog.ts';
import { rejectCollation } from '../storage/index-definition.ts';
import type { Work } from '../storage/scheduler.ts';
import type { Store } from '../store.ts';
import { fieldNames, getField, isFields } from '../values/fields.ts';
import { nearestDouble } from '../values/numbers.ts';
import { aggregate } from './aggregate.ts';
import { create, drop, dropDatabase, listCollections, listDatabases } from './collections.ts';
import type { Client, CommandContext, CommandHandler } from './command.ts';
import { checkFields, wordSet } from './command.ts';
import { count, distinct } from './count.ts';
import { deleteDocuments } from './delete.ts';
import { buildInfo, hello, ok, refuseTransaction, serverStatus, startSession } from './diagnostics.ts';
import { explain } from './explain.ts';
import { find, getMore, killCursors } from './find.ts';
import { findAndModify } from './find-and-modify.ts';
import { createIndexes, dropIndexes, listIndexes } from './indexes.ts';
import { insert } from './insert.ts';
import { compactFile, holdFile } from './store-file.ts';
import { update } from './update.ts';

const COMMANDS = new Map<string, CommandHandler>(
  Object.entries({
    aggregate,
    buildInfo,
    buildinfo: buildInfo,
    count,
    create,
    createIndexes,
    delete: deleteDocuments,
    distinct,
    drop,
    dropDatabase,
    dropIndexes,
    explain,
    find,
    findAndModify,
    findandmodify: findAndModify,
    getMore,
    hello,
    compactFile,
    holdFile,
    insert,
    isMaster: hello,
    ismaster: hello,
    killCursors,
    listCollections,
    listDatabases,
    listIndexes,
    ping: ok,
    serverStatus,
    update,
    // Sessions have no state: cursors expire on their own, and there are no transactions.
    startSession,
    endSessions: ok,
    refreshSessions: ok,
    killSessions: ok,
    killAllSessions: ok,
    commitTransaction: refuseTransaction,
    abortTransaction: refuseTransaction,
  }),
);

export function startCommand(store: Store, command: Document, client: Client): Work<Document> {
  const name = Object.keys(command)[0] ?? '';
  const handler = COMMANDS.get(name);
  if (!handler) throw commandNotFound(`no such command: '${name}'`);
  const database = command.$db;
  checkDatabaseName(database);
  checkFields(name, command);
  checkCommonOptions(command);
  store.commandCounts.set(name, (store.commandCounts.get(name) ?? 0) + 1);
  const context: CommandContext = { store, database, name, command, client, isCommand };
  const maxTime = readMaxTime(command.maxTimeMS);
  if (maxTime) context.deadline = Date.now() + maxTime;
  return handler(context);
}

const WRITES = wordSet(
  'create createIndexes delete drop dropDatabase dropIndexes findAndModify findandmodify insert update',
);

export function isWrite(command: Document): boolean {
  const name = Object.keys(command)[0] ?? '';
  if (name !== 'aggregate') return WRITES.has(name);
  const last: unknown = Array.isArray(command.pipeline) ? command.pipeline.at(-1) : undefined;
  return isFields(last) && ['$out', '$merge'].includes(fieldNames(last)[0] ?? '');
}

/** Returns whether the reply to a write must wait for the sync, as it does by default. */
export function wantsSync({ writeConcern }: Document): boolean {
  return !(isFields(writeConcern) && getField(writeConcern, 'j') === false);
}

function isCommand(name: string): boolean {
  return COMMANDS.has(name);
}

function readMaxTime(given: unknown): number | undefined {
  if (given === undefined || given === null) return undefined;
  const milliseconds = nearestDouble(given);
  if (milliseconds === undefined) throw badValue('maxTimeMS must be a number');
  if (!Number.isInteger(milliseconds)) throw badValue('maxTimeMS has non-integral value');
  if (milliseconds < 0 || milliseconds > 0x7fffffff) {
    throw badValue(`${milliseconds} value for maxTimeMS is out of range [0, 2147483647]`);
  }
  return milliseconds;
}

function checkCommonOptions(command: Document): void {
  const { startTransaction, autocommit, txnNumber, readConcern, writeConcern, collation } = command;
  rejectCollation(collation);
  if (startTransaction !== undefined || autocommit !== undefined) refuseTransaction();
  if (txnNumber !== undefined) {
    // Drivers recognize this sentence and tell users to turn retryable writes off.
    throw illegalOperation('Transaction numbers are only allowed on a replica set member or mongos');
  }
  const level = isFields(readConcern) ? getField(readConcern, 'level') : undefined;
  if (level !== undefined && !['local', 'available', 'majority'].includes(String(level))) {
    throw new StoreError(
      148,
      'ReadConcernMajorityNotEnabled',
      `this server does not support the read concern '${String(level)}'`,
    );
  }
  const w = isFields(writeConcern) ? getField(writeConcern, 'w') : undefined;
  if ((nearestDouble(w) ?? 0) > 1) throw badValue("cannot use 'w' > 1 when a host is not replicated");
  if (typeof w === 'string' && w !== 'majority') {
    throw badValue(`cannot use non-majority 'w' mode "${w}" when a host is not a member of a replica set`);
  }
}

export function errorReply(error: unknown): Document {
  const known = toStoreError(error) ?? new StoreError(8, 'UnknownError', String(error));
  return { ok: 0, errmsg: known.message, code: known.code, codeName: known.codeName, ...known.extra };
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOT_A_DATABASE = 26;
/** SQLite's extended codes have the primary code in their lowest byte. */
const PRIMARY_CODE_MASK = 0xff;

/** Converts an error for the client; undefined for an internal error. */
export function toStoreError(error: unknown): StoreError | undefined {
  const caused = requestError(error);
  if (caused) return caused;
  if (isWriteFailure(error)) {
    return new StoreError(14031, 'OutOfDiskSpace', 'the disk is full or cannot be written to; nothing was changed');
  }
  if (!(error instanceof Error && 'errcode' in error)) return undefined;
  const isDamage = [SQLITE_CORRUPT, SQLITE_NOT_A_DATABASE].includes(Number(error.errcode) & PRIMARY_CODE_MASK);
  return isDamage ? dataCorruption(`the store's file is damaged: ${error.message}`) : undefined;
}
