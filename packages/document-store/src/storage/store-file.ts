import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DataDirectoryError } from './data-directory-error.ts';
import { createFormat, upgradeFormat } from './format.ts';
import { checkLog } from './write-ahead-log.ts';

const MAGIC = 'SQLite format 3\0';
/** Up to this size SQLite's quick check runs at every start: it takes about 1.2 ms for each MB. */
const QUICK_CHECK_BYTES = 256 * 1024 * 1024;

/**
 * Opens a store file, or makes one where none is; its log is folded in, and from here on this process alone can open it. Throws
 * `DataDirectoryError` with a message for the user, and has then changed nothing.
 */
export function openStoreFile(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (!existsSync(file)) createStoreFile(file);
    checkMagic(file);
    checkLog(file);
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    upgradeFormat(database, file);
    if (statSync(file).size <= QUICK_CHECK_BYTES) quickCheck(database, file);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)');
    // What is deleted is overwritten in the file, too.
    database.exec('PRAGMA secure_delete = ON');
    // The engine folds the log itself.
    database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY');
    return database;
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw explain(cause, file);
  }
}

/** A file that exists is whole: what is being made has another name until then. */
function createStoreFile(file: string): void {
  if (existsSync(`${file}-wal`)) {
    throw new DataDirectoryError(
      `${file} is missing, but its log ${file}-wal is there. Restore a backup, or move the log away.`,
    );
  }
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  const database = new DatabaseSync(unfinished);
  database.exec('PRAGMA journal_mode = WAL; BEGIN');
  createFormat(database);
  database.exec('COMMIT');
  database.close();
  synchronise(unfinished);
  renameSync(unfinished, file);
  synchronise(dirname(file));
}

/** Waits until a file or a folder is on the disk. */
export function synchronise(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function checkMagic(file: string): void {
  const start = Buffer.alloc(MAGIC.length);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, start, 0, start.length, 0);
  closeSync(descriptor);
  if (start.toString('latin1') !== MAGIC) throw new Error('file is not a database');
}

function quickCheck(database: DatabaseSync, file: string): void {
  const { quick_check: found } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (found !== 'ok') throw new DataDirectoryError(`${file} is damaged (${found.trim()}). Restore a backup.`);
}

function explain(cause: unknown, file: string): Error {
  if (cause instanceof DataDirectoryError || !(cause instanceof Error)) return cause as Error;
  if (/database is locked/.test(cause.message)) {
    return new DataDirectoryError(`${file} is open in another program.`, { cause });
  }
  if (/not a database|malformed|disk image/.test(cause.message)) {
    return new DataDirectoryError(`${file} is damaged or no store file (${cause.message}). Restore a backup.`, {
      cause,
    });
  }
  return new DataDirectoryError(`${file} can't be opened: ${cause.message}.`, { cause });
}
