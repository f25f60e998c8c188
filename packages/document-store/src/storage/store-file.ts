import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DataDirectoryError, isWriteFailure } from '../errors.ts';
import {
  CommitRecord,
  type CommitState,
  checkpointedState,
  type RecordedState,
  readCommitRecord,
  recordFile,
  syncToDisk,
} from './commit-record.ts';
import { createFormat, FORMAT_VERSION, readVersion, upgradeFormat } from './format.ts';
import { type FileFacts, findLostWrites, readFileFacts } from './lost-writes.ts';
import { type LogContents, readLog, readSalts } from './write-ahead-log.ts';

const MAGIC = 'SQLite format 3\0';
/** Above this size, a start skips SQLite's quick check, which takes about 1.2 ms per MB. */
const QUICK_CHECK_BYTES = 256 * 1024 * 1024;

export interface StoreFileOptions {
  /** True for a copy without a commit record, such as a backup. */
  standalone?: boolean;
  /** Accepts lost writes and receives a description. Without it, the file is rejected. */
  acceptLoss?: (message: string) => void;
}

interface StoreFile {
  database: DatabaseSync;
  record: CommitRecord | undefined;
  mark: Uint8Array;
  /** False if the disk was too full for a checkpoint. The log then continues. */
  isCheckpointed: boolean;
}

/**
 * Opens or creates a store file, checkpoints its log, and locks it for this process. Throws
 * `DataDirectoryError`, without having changed anything.
 */
export function openStoreFile(file: string, options: StoreFileOptions = {}): StoreFile {
  let database: DatabaseSync | undefined;
  try {
    const readRecord = () => (options.standalone ? undefined : readCommitRecord(file));
    if (!existsSync(file)) createStoreFile(file, readRecord(), options);
    rollBackJournal(file);
    checkMagic(file);
    const recorded = readRecord();
    const state = checkLostWrites(file, recorded, options);
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
    database.exec('PRAGMA secure_delete = ON');
    return prepareFile(database, file, state, options);
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw toDataDirectoryError(cause, file);
  }
}

function prepareFile(
  database: DatabaseSync,
  file: string,
  state: CommitState | undefined,
  { standalone = false }: StoreFileOptions,
): StoreFile {
  const openRecord = (at: CommitState) => (standalone ? undefined : new CommitRecord(file, at));
  let record: CommitRecord | undefined;
  const version = readVersion(database, file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY');
  if (version < FORMAT_VERSION) {
    checkpointLog(database);
    const isNew = !existsSync(recordFile(file));
    try {
      upgradeFormat(database, file, (mark) => {
        record = openRecord(checkpointedState(mark, 0));
      });
    } catch (error) {
      record?.close();
      if (record && isNew) rmSync(recordFile(file));
      throw error;
    }
    record?.committed({ mark: readMark(database), ...logPosition(database, file) });
  }
  if (statSync(file).size <= QUICK_CHECK_BYTES) quickCheck(database, file);
  const mark = readMark(database);
  record ??= openRecord(state ?? checkpointedState(mark, 0));
  let isCheckpointed = false;
  try {
    isCheckpointed = checkpointLog(database);
    if (isCheckpointed) record?.checkpointed(mark, pageCount(database));
    if (isCheckpointed) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!isWriteFailure(error)) throw error;
  }
  return { database, record, mark, isCheckpointed };
}

function checkLostWrites(
  file: string,
  recorded: RecordedState,
  { acceptLoss, standalone = false }: StoreFileOptions,
): CommitState | undefined {
  const log = readLog(`${file}-wal`);
  let facts: FileFacts;
  try {
    facts = readFileFacts(file);
  } catch (error) {
    // A crash during a checkpoint can leave the schema incomplete, but the log still has all pages.
    if (!isComplete(log, recorded)) throw error;
    return { ...recorded, checkpointed: false };
  }
  const known = standalone ? { ...facts, version: 0 } : facts;
  const loss = findLostWrites(file, known, log, recorded);
  if (loss && !acceptLoss) throw new DataDirectoryError(`${loss.message} ${RECOVERY_HINT}`);
  if (loss?.logIsForeign) {
    const aside = join(dirname(file), `set-aside-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.sqlite-wal`);
    renameSync(`${file}-wal`, aside);
    acceptLoss?.(`${loss.message} It is kept as ${aside}.`);
    return checkLostWrites(file, recorded, { acceptLoss, standalone } as StoreFileOptions);
  }
  if (loss) acceptLoss?.(loss.message);
  checkSize(file, loss || recorded === 'damaged' ? undefined : recorded, log);
  if (!facts.mark) return undefined;
  const base = recorded === 'damaged' || !recorded || loss ? checkpointedState(facts.mark, 0) : recorded;
  // The log is needed until its checkpoint ends, even after a crash during that checkpoint.
  return log && log.frames > 0 && !loss ? { ...base, checkpointed: false, salts: log.salts, frames: log.frames } : base;
}

function isComplete(log: LogContents | undefined, recorded: RecordedState): recorded is CommitState {
  if (!log || log.damaged || recorded === undefined || recorded === 'damaged') return false;
  return log.salts.equals(recorded.salts) && log.frames >= recorded.frames;
}

const RECOVERY_HINT =
  'Restore a backup (--restore), or run the document store once with --accept-lost-writes to continue without them.';

/** Rolls back an interrupted compaction. Until then, the file's content is unreliable. */
function rollBackJournal(file: string): void {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf(`${file}-journal`) === 0 || sizeOf(`${file}-wal`) > 0) return;
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.prepare('SELECT count(*) FROM sqlite_master').get();
  } finally {
    database.close();
  }
}

/** Throws for a truncated file. SQLite itself would notice only when reading there. */
function checkSize(file: string, recorded: CommitState | undefined, log: LogContents | undefined): void {
  if (!recorded) return;
  const header = readHeader(file, 18);
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  // An interrupted checkpoint may have shortened the file to the size in the log.
  const pages = Math.min(recorded.pages, log?.frames ? log.pages : recorded.pages);
  if (statSync(file).size >= pages * pageBytes) return;
  throw new DataDirectoryError(`${file} is damaged: its end is missing. Restore a backup.`);
}

/**
 * Copies the log into the file and starts a new log. Returns false if a statement is still reading.
 * Throws if the disk is full, leaving the log unchanged.
 */
export function checkpointLog(database: DatabaseSync): boolean {
  const { busy } = database.prepare('PRAGMA wal_checkpoint(RESTART)').get() as { busy: number };
  return busy === 0;
}

export function pageCount(database: DatabaseSync): number {
  return Number((database.prepare('PRAGMA page_count').get() as { page_count: number }).page_count);
}

function readMark(database: DatabaseSync): Uint8Array {
  return (database.prepare('SELECT mark FROM lineage').get() as { mark: Uint8Array }).mark;
}

function logPosition(database: DatabaseSync, file: string): Pick<CommitState, 'salts' | 'frames'> {
  const { log } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number };
  return { salts: readSalts(`${file}-wal`), frames: log };
}

/** Uses a temporary name, so that an existing file is always complete. */
function createStoreFile(file: string, recorded: RecordedState, { standalone = false }: StoreFileOptions): void {
  const left = existsSync(`${file}-wal`) ? `log ${file}-wal` : `commit record ${recordFile(file)}`;
  if (existsSync(`${file}-wal`) || (recorded && (recorded === 'damaged' || !recorded.isNew))) {
    throw new DataDirectoryError(`${file} is missing, but its ${left} exists. Restore a backup, or move it away.`);
  }
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  const database = new DatabaseSync(unfinished);
  database.exec('PRAGMA journal_mode = WAL; BEGIN');
  createFormat(database);
  database.exec('COMMIT');
  const mark = readMark(database);
  database.close();
  syncToDisk(unfinished);
  if (!standalone) resetCommitRecord(file, mark, true);
  renameSync(unfinished, file);
  syncToDisk(dirname(file));
}

export function resetCommitRecord(file: string, mark: Uint8Array, isNew = false): void {
  new CommitRecord(file, checkpointedState(mark, 0, isNew)).close();
}

function readHeader(file: string, bytes: number): Buffer {
  const start = Buffer.alloc(bytes);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, start, 0, bytes, 0);
  closeSync(descriptor);
  return start;
}

function checkMagic(file: string): void {
  if (readHeader(file, MAGIC.length).toString('latin1') !== MAGIC) throw new Error('file is not a database');
}

function quickCheck(database: DatabaseSync, file: string): void {
  const { quick_check: found } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (found !== 'ok') throw new DataDirectoryError(`${file} is damaged (${found.trim()}). Restore a backup.`);
}

function toDataDirectoryError(cause: unknown, file: string): Error {
  if (cause instanceof DataDirectoryError || !(cause instanceof Error)) return cause as Error;
  if (/database is locked/.test(cause.message)) {
    return new DataDirectoryError(`${file} is open in another program.`, { cause });
  }
  if (/not a database|malformed|disk image/.test(cause.message)) {
    return new DataDirectoryError(`${file} is damaged or not a store file (${cause.message}). Restore a backup.`, {
      cause,
    });
  }
  return new DataDirectoryError(`${file} cannot be opened: ${cause.message}.`, { cause });
}
