import { closeSync, fdatasync, fdatasyncSync, openSync, rmSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { internalError, StoreError } from '../errors.ts';
import type { CommitRecord } from './commit-record.ts';
import { firstMark, nextMark } from './format.ts';
import { checkpointLog, openStoreFile, pageCount, type StoreFileOptions } from './store-file.ts';
import { readSalts } from './write-ahead-log.ts';

/** Limits, in pages of 4 KB, for the log's length at a checkpoint. */
const MAX_LOG_PAGES = 8192;
const MIN_LOG_PAGES = 1024;
/** After a slower checkpoint, the next one comes sooner and has less to do. */
const SLOW_CHECKPOINT_MS = 40;
const CHECKPOINT_RETRY_MS = 1000;

interface Compaction {
  done: boolean;
  error?: unknown;
}

/** Keeps the file unchanged, as a consistent snapshot. Writes go to the log. */
interface FileHold {
  ready: boolean;
  error?: unknown;
  release(): void;
}

export interface EngineOptions extends StoreFileOptions {
  report?: (error: unknown) => void;
}

/**
 * The SQLite file and its transactions. All writes between two `commit`s share one transaction. A
 * savepoint around each command lets one fail alone. A commit survives the end of the process; after
 * `sync`, it survives a power failure, too.
 */
export class Engine {
  readonly file: string;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #rollbackTo: StatementSync;
  readonly #logLength: StatementSync;
  readonly #setMark: StatementSync;
  readonly #record: CommitRecord | undefined;
  readonly #report: (error: unknown) => void;
  #mark: Uint8Array;
  #salts: Uint8Array | undefined;
  #logIsNew: boolean;
  #framesInLog = 0;
  /** The log's file, once a commit was synced. */
  #logFile: number | undefined;
  #isSyncing = false;
  #commits = 0;
  #syncedCommits = 0;
  #logPages = MAX_LOG_PAGES;
  #checkpointFailedAt = Number.NEGATIVE_INFINITY;
  #inTransaction = false;
  #inCommand = false;
  #rolledBack: { cause: unknown } | undefined;
  #commandUndo: (() => void)[] = [];
  #transactionUndo: (() => void)[] = [];
  #hold: FileHold | undefined;
  #compaction: Compaction | undefined;
  /** False only during compaction. */
  #hasLog = true;

  constructor(file: string, options: EngineOptions = {}) {
    this.file = file;
    this.#report = options.report ?? (() => undefined);
    const { database, record, mark, isCheckpointed } = openStoreFile(file, options);
    this.#database = database;
    this.#record = record;
    this.#mark = mark;
    this.#logIsNew = isCheckpointed;
    this.#begin = this.prepare('BEGIN IMMEDIATE');
    this.#commit = this.prepare('COMMIT');
    this.#rollback = this.prepare('ROLLBACK');
    this.#savepoint = this.prepare('SAVEPOINT command');
    this.#release = this.prepare('RELEASE command');
    this.#rollbackTo = this.prepare('ROLLBACK TO command');
    this.#logLength = this.prepareRows('PRAGMA wal_checkpoint(NOOP)');
    this.#setMark = this.prepare('UPDATE lineage SET mark = ?');
    this.#syncCheckpointsOnly();
  }

  /** Keeps commits from waiting for the disk, which takes milliseconds. `sync` waits on another thread. */
  #syncCheckpointsOnly(): void {
    this.#database.exec('PRAGMA synchronous = NORMAL');
  }

  get inTransaction(): boolean {
    return this.#inTransaction;
  }

  get hasUnsynced(): boolean {
    return this.#commits > this.#syncedCommits;
  }

  prepare(sql: string): StatementSync {
    return this.#database.prepare(sql);
  }

  prepareRows(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  readNumber(sql: string): number {
    return (this.prepareRows(sql).get() as unknown as [number])[0];
  }

  execute(sql: string): void {
    this.beforeWrite();
    this.#database.exec(sql);
  }

  /** Opens the turn's transaction and the command's savepoint if needed. Call it before every write. */
  beforeWrite(): void {
    if (this.#rolledBack) throw this.#rolledBack.cause;
    if (!this.#inTransaction) {
      this.#openLog();
      if (this.#logIsNew) this.#record?.flushCheckpoint();
      this.#begin.run();
      this.#inTransaction = true;
      if (this.#logIsNew) this.#setMark.run(nextMark(this.#mark));
    }
    if (!this.#inCommand) {
      this.#savepoint.run();
      this.#inCommand = true;
    }
  }

  /** Registers how to undo a change in memory if the command or transaction is rolled back. */
  onRollback(undo: () => void): void {
    this.#commandUndo.push(undo);
  }

  keepCommand(): boolean {
    if (!this.#inCommand) return false;
    this.#release.run();
    this.#inCommand = false;
    for (const undo of this.#commandUndo) this.#transactionUndo.push(undo);
    this.#commandUndo.length = 0;
    return true;
  }

  undoCommand(cause: unknown): void {
    if (!this.#inCommand) return;
    this.#inCommand = false;
    runInReverse(this.#commandUndo);
    // Some errors, such as a full disk, make SQLite roll back everything. Then the whole turn fails.
    if (!this.#database.isTransaction) {
      this.#rolledBack ??= { cause };
      return;
    }
    this.#rollbackTo.run();
    this.#release.run();
  }

  rollBack(cause: unknown): void {
    this.undoCommand(cause);
    if (!this.#inTransaction) return;
    this.#rolledBack ??= { cause };
    try {
      this.#commitTransaction();
    } catch {
      // Commit rethrows the cause.
    }
  }

  /** Commits the turn's writes. If it throws, all of them are undone. */
  commit(): void {
    if (this.#inTransaction) this.#commitTransaction();
    if (this.#compaction && !this.#hold) this.#rewrite(this.#compaction);
    this.#maintainLog();
  }

  #commitTransaction(): void {
    this.#inTransaction = false;
    const rolledBack = this.#rolledBack;
    this.#rolledBack = undefined;
    try {
      if (rolledBack) throw rolledBack.cause;
      this.#commit.run();
      this.#transactionUndo.length = 0;
    } catch (error) {
      runInReverse(this.#transactionUndo);
      if (this.#database.isTransaction) this.#rollback.run();
      throw error;
    }
    if (this.#logIsNew) {
      this.#logIsNew = false;
      this.#mark = nextMark(this.#mark);
      this.#salts = undefined;
    }
    this.#framesInLog = this.#pagesInLog;
    this.#commits += 1;
  }

  /**
   * Makes all commits so far durable, then calls `done`. If the disk fails, this throws out of the event loop and
   * ends the process: the log's pages may be lost, but a further sync would succeed.
   */
  sync(done: () => void): void {
    if (!this.hasUnsynced) {
      done();
      return;
    }
    const record = this.#startRecord();
    const file = this.#openLogFile();
    this.#isSyncing = true;
    fdatasync(file, (error) => {
      this.#isSyncing = false;
      if (file !== this.#logFile) closeSync(file);
      if (error) throw error;
      record();
      done();
    });
  }

  syncNow(): void {
    if (!this.hasUnsynced) return;
    const record = this.#startRecord();
    fdatasyncSync(this.#openLogFile());
    record();
  }

  /** Returns a function that records the commits so far as synced. They are durable even if that fails. */
  #startRecord(): () => void {
    const [mark, frames, commits] = [this.#mark, this.#framesInLog, this.#commits];
    return () => {
      this.#syncedCommits = Math.max(this.#syncedCommits, commits);
      // After a checkpoint, the record describes a newer state.
      if (!this.#record || this.#logIsNew || this.#mark !== mark || !this.#database.isOpen) return;
      try {
        this.#salts ??= readSalts(`${this.file}-wal`);
        this.#record.committed({ mark, salts: this.#salts, frames });
      } catch (error) {
        this.#report(error);
      }
    };
  }

  #openLogFile(): number {
    this.#logFile ??= openSync(`${this.file}-wal`, 'r+');
    return this.#logFile;
  }

  /** A running sync closes the file itself. */
  #closeLogFile(): void {
    const file = this.#logFile;
    this.#logFile = undefined;
    if (file !== undefined && !this.#isSyncing) closeSync(file);
  }

  /** Checkpoints a long log. Never throws, since a checkpoint can be retried. */
  #maintainLog(): void {
    const hold = this.#hold;
    if (hold?.ready || !this.#hasLog) return;
    if (!hold && (this.#logIsNew || this.#framesInLog < this.#logPages)) return;
    if (!hold && performance.now() - this.#checkpointFailedAt < CHECKPOINT_RETRY_MS) return;
    try {
      if (!this.#checkpoint()) return;
      if (hold) hold.ready = true;
      this.#checkpointFailedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (hold) hold.error = error;
      if (this.#checkpointFailedAt === Number.NEGATIVE_INFINITY) this.#report(error);
      this.#checkpointFailedAt = performance.now();
    }
  }

  #checkpoint(): boolean {
    const started = performance.now();
    if (!checkpointLog(this.#database)) return false;
    this.#logIsNew = true;
    this.#syncedCommits = this.#commits;
    this.#record?.checkpointed(this.#mark, pageCount(this.#database));
    const factor = performance.now() - started > SLOW_CHECKPOINT_MS ? 0.5 : 2;
    this.#logPages = Math.min(MAX_LOG_PAGES, Math.max(MIN_LOG_PAGES, this.#logPages * factor));
    return true;
  }

  get #pagesInLog(): number {
    return (this.#logLength.get() as unknown as [number, number, number])[1];
  }

  /** Holds the file after the next commit. Throws ConflictingOperationInProgress for a second hold. */
  holdFile(): FileHold {
    if (this.#hold) throw new StoreError(117, 'ConflictingOperationInProgress', 'another backup is in progress');
    const hold: FileHold = {
      ready: false,
      release: () => {
        if (this.#hold === hold) this.#hold = undefined;
      },
    };
    this.#hold = hold;
    return hold;
  }

  /**
   * Compacts the file after the next commit and the end of a running backup. Nothing deleted
   * remains in the file or its log.
   */
  compact(): Compaction {
    this.#compaction ??= { done: false };
    return this.#compaction;
  }

  /**
   * Compacts the file, at about a second per 100 MB. Nothing else runs meanwhile. The log is
   * checkpointed first, and SQLite uses a rollback journal. After a crash, the next start therefore
   * finds the old file without a log.
   */
  #rewrite(compaction: Compaction): void {
    this.#compaction = undefined;
    try {
      if (!this.#checkpoint()) throw internalError('a statement is still reading');
      // The file may shrink from here on.
      this.#record?.checkpointed(this.#mark, 0);
      // A copy in memory would need as much as the whole file.
      this.#database.exec('PRAGMA temp_store = FILE');
      this.#hasLog = false;
      this.#closeLogFile();
      this.#setJournal('truncate');
      this.#database.exec('PRAGMA synchronous = FULL');
      this.#database.exec('VACUUM');
    } catch (error) {
      compaction.error = error; // earlier commits remain
    }
    try {
      this.#openLog();
    } catch (error) {
      compaction.error ??= error;
    }
    compaction.done = true;
  }

  /** Returns to a log after compaction. On a full disk, the next write tries again. */
  #openLog(): void {
    if (this.#hasLog) return;
    this.#setJournal('wal');
    this.#syncCheckpointsOnly();
    this.#database.exec('PRAGMA temp_store = MEMORY');
    rmSync(`${this.file}-journal`, { force: true });
    this.#hasLog = true;
    this.#logIsNew = true;
    this.#record?.checkpointed(this.#mark, pageCount(this.#database));
  }

  #setJournal(mode: 'truncate' | 'wal'): void {
    const { journal_mode } = this.#database.prepare(`PRAGMA journal_mode = ${mode}`).get() as { journal_mode: string };
    if (journal_mode !== mode) throw internalError(`the journal could not be changed to ${mode}`);
  }

  /** Gives a copied file its own lineage, so that it rejects the original's log. Returns the mark. */
  renewLineage(): Uint8Array {
    this.beforeWrite();
    const mark = firstMark();
    this.#setMark.run(mark);
    this.keepCommand();
    this.commit();
    return mark;
  }

  /** Checkpoints the log and closes the file. On a full disk, the log remains for the next start. */
  close(): void {
    if (!this.#database.isOpen) return;
    try {
      this.syncNow();
      if (checkpointLog(this.#database)) {
        this.#record?.checkpointed(this.#mark, pageCount(this.#database));
        this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      }
    } catch (error) {
      this.#report(error);
    }
    this.#record?.close();
    this.#closeLogFile();
    this.#database.close();
  }
}

function runInReverse(undos: (() => void)[]): void {
  for (let undo = undos.pop(); undo; undo = undos.pop()) undo();
}
