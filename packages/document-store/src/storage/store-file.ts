import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isWriteFailure } from '../errors.ts';
import { type Acknowledged, CommitRecord, foldedState, readCommitRecord, recordFile } from './commit-record.ts';
import { DataDirectoryError } from './data-directory-error.ts';
import { type FileFacts, findLoss, readFileFacts } from './find-loss.ts';
import { createFormat, FORMAT_VERSION, readVersion, upgradeFormat } from './format.ts';
import { synchronise } from './synchronise.ts';
import { type LogContents, readLog, readSalts } from './write-ahead-log.ts';

const MAGIC = 'SQLite format 3\0';
/** Up to this size SQLite's quick check runs at every start. It takes about 1.2 ms per MB. */
const QUICK_CHECK_BYTES = 256 * 1024 * 1024;

/** How a store file is opened. */
export interface StoreFileOptions {
  /** True for a copy without a commit record, such as a backup. */
  standsAlone?: boolean;
  /** Goes on when acknowledged writes are lost, and is told what is lost. Without it the file is refused. */
  acceptLoss?: (message: string) => void;
}

/** An open store file. */
export interface StoreFile {
  database: DatabaseSync;
  /** Absent for a file that stands alone. */
  record: CommitRecord | undefined;
  /** The lineage mark of the last transaction. */
  mark: Uint8Array;
  /** False when the disk was too full to fold the log into the file: then the log goes on. */
  isFolded: boolean;
}

/**
 * Opens a store file, or makes one where there is none. Folds the log in, and lets no other process open the file. Throws
 * `DataDirectoryError` with a message for the user, and has then changed nothing.
 */
export function openStoreFile(file: string, options: StoreFileOptions = {}): StoreFile {
  let database: DatabaseSync | undefined;
  try {
    const readRecord = () => (options.standsAlone ? undefined : readCommitRecord(file));
    if (!existsSync(file)) createStoreFile(file, readRecord(), options);
    rollBackJournal(file);
    checkMagic(file);
    const recorded = readRecord();
    const state = checkLoss(file, recorded, options);
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
    // What is deleted is overwritten in the file, too.
    database.exec('PRAGMA secure_delete = ON');
    return prepareFile(database, file, state, options);
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw explain(cause, file);
  }
}

function prepareFile(
  database: DatabaseSync,
  file: string,
  state: Acknowledged | undefined,
  { standsAlone = false }: StoreFileOptions,
): StoreFile {
  const openRecord = (at: Acknowledged) => (standsAlone ? undefined : new CommitRecord(file, at));
  let record: CommitRecord | undefined;
  const version = readVersion(database, file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY');
  if (version < FORMAT_VERSION) {
    foldLog(database);
    const isNew = !existsSync(recordFile(file));
    try {
      upgradeFormat(database, file, (mark) => {
        record = openRecord(foldedState(mark, 0));
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
  record ??= openRecord(state ?? foldedState(mark, 0));
  let isFolded = false;
  try {
    isFolded = foldLog(database);
    if (isFolded) record?.folded(mark, pageCount(database));
    if (isFolded) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!isWriteFailure(error)) throw error;
  }
  return { database, record, mark, isFolded };
}

/**
 * Throws for a file whose acknowledged writes are not all there, unless that is accepted. Returns what the record should say: the
 * state of the log as it is.
 */
function checkLoss(
  file: string,
  recorded: Acknowledged | 'damaged' | undefined,
  { acceptLoss, standsAlone = false }: StoreFileOptions,
): Acknowledged | undefined {
  const log = readLog(`${file}-wal`);
  let facts: FileFacts;
  try {
    facts = readFileFacts(file);
  } catch (error) {
    // A fold that was killed between pages of the schema. The log still holds all of them, so SQLite reads both together.
    if (!isWhole(log, recorded)) throw error;
    return { ...recorded, folded: false };
  }
  const known = standsAlone ? { ...facts, version: 0 } : facts;
  const loss = findLoss(file, known, log, recorded);
  if (loss && !acceptLoss) throw new DataDirectoryError(`${loss.message} ${WAY_ON}`);
  if (loss?.logIsForeign) {
    const aside = join(dirname(file), `set-aside-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.sqlite-wal`);
    renameSync(`${file}-wal`, aside);
    acceptLoss?.(`${loss.message} It is kept as ${aside}.`);
    return checkLoss(file, recorded, { acceptLoss, standsAlone } as StoreFileOptions);
  }
  if (loss) acceptLoss?.(loss.message);
  checkSize(file, loss || recorded === 'damaged' ? undefined : recorded, log);
  if (!facts.mark) return undefined;
  const base = recorded === 'damaged' || !recorded || loss ? foldedState(facts.mark, 0) : recorded;
  // Until the log is folded in, it is needed as it is now, also by a start after one that is killed in its fold.
  return log && log.frames > 0 && !loss ? { ...base, folded: false, salts: log.salts, frames: log.frames } : base;
}

/** Whether a log holds every acknowledged write since the last fold. */
function isWhole(
  log: LogContents | undefined,
  recorded: Acknowledged | 'damaged' | undefined,
): recorded is Acknowledged {
  if (!log || log.damaged || recorded === undefined || recorded === 'damaged') return false;
  return log.salts.equals(recorded.salts) && log.frames >= recorded.frames;
}

const WAY_ON =
  'Restore a backup (--restore), or go on without them by running the document store once with --accept-lost-writes.';

/** Takes back a rewriting of the file that a kill has interrupted: until then nothing in the file can be relied on. */
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

/** Throws for a file that has lost its end. SQLite itself notices only when it reads there. */
function checkSize(file: string, recorded: Acknowledged | undefined, log: LogContents | undefined): void {
  if (!recorded) return;
  const header = readStart(file, 18);
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  // A fold that was interrupted may have shortened the file to what the log says.
  const pages = Math.min(recorded.pages, log?.frames ? log.pages : recorded.pages);
  if (statSync(file).size >= pages * pageBytes) return;
  throw new DataDirectoryError(`${file} is damaged: it has lost its end. Restore a backup.`);
}

/**
 * Copies the log's pages into the file, so that the next transaction begins a new log. Returns false while a statement still reads.
 * Throws when the disk is full; the log is then as it was.
 */
export function foldLog(database: DatabaseSync): boolean {
  const { busy } = database.prepare('PRAGMA wal_checkpoint(RESTART)').get() as { busy: number };
  return busy === 0;
}

/** The size of the file in pages. */
export function pageCount(database: DatabaseSync): number {
  return Number((database.prepare('PRAGMA page_count').get() as { page_count: number }).page_count);
}

function readMark(database: DatabaseSync): Uint8Array {
  return (database.prepare('SELECT mark FROM lineage').get() as { mark: Uint8Array }).mark;
}

/** Which log is being written, and how far. */
function logPosition(database: DatabaseSync, file: string): Pick<Acknowledged, 'salts' | 'frames'> {
  const { log } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number };
  return { salts: readSalts(`${file}-wal`), frames: log };
}

/** A file that exists is whole: until then it has another name. */
function createStoreFile(
  file: string,
  recorded: Acknowledged | 'damaged' | undefined,
  { standsAlone = false }: StoreFileOptions,
): void {
  const left = existsSync(`${file}-wal`) ? `log ${file}-wal` : `commit record ${recordFile(file)}`;
  if (existsSync(`${file}-wal`) || (recorded && (recorded === 'damaged' || !recorded.isNew))) {
    throw new DataDirectoryError(`${file} is missing, but its ${left} is there. Restore a backup, or move it away.`);
  }
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  const database = new DatabaseSync(unfinished);
  database.exec('PRAGMA journal_mode = WAL; BEGIN');
  createFormat(database);
  database.exec('COMMIT');
  const mark = readMark(database);
  database.close();
  synchronise(unfinished);
  if (!standsAlone) beginRecord(file, mark, true);
  renameSync(unfinished, file);
  synchronise(dirname(file));
}

/** Writes the commit record of a file that no log belongs to, in the place of any other. */
export function beginRecord(file: string, mark: Uint8Array, isNew = false): void {
  new CommitRecord(file, foldedState(mark, 0, isNew)).close();
}

function readStart(file: string, bytes: number): Buffer {
  const start = Buffer.alloc(bytes);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, start, 0, bytes, 0);
  closeSync(descriptor);
  return start;
}

function checkMagic(file: string): void {
  if (readStart(file, MAGIC.length).toString('latin1') !== MAGIC) throw new Error('file is not a database');
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
