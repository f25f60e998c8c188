import { rmSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { internalError, StoreError } from '../errors.ts';
import type { CommitRecord } from './commit-record.ts';
import { firstMark, nextMark } from './lineage.ts';
import { foldLog, openStoreFile, pageCount, type StoreFileOptions } from './store-file.ts';
import { readSalts } from './write-ahead-log.ts';

/** The log is folded into the file at most and at least this often, in pages of 4 KB. */
const MOST_LOG_PAGES = 8192;
const LEAST_LOG_PAGES = 1024;
/** Folds that take longer are done more often, so that each has less to do. */
const FOLD_MS = 40;
/** How long a fold that failed is left alone. */
const RETRY_FOLD_MS = 1000;

/** A rewriting of the file, which begins after the next commit. */
export interface Compaction {
  done: boolean;
  /** Why it failed; the file is as it was. */
  error?: unknown;
}

/** While it lasts, the file itself does not change, and is a whole snapshot. Writes go on, into the log. */
export interface FileHold {
  /** True once the file is still. */
  still: boolean;
  /** Why the file cannot be brought to rest. */
  error?: unknown;
  release(): void;
}

/** How an engine is opened. */
export interface EngineOptions extends StoreFileOptions {
  /** Gets errors that no command is told. */
  report?: (error: unknown) => void;
}

/**
 * The SQLite file and its transactions. All writes between two `commit`s share one transaction, so that one
 * synchronisation of the disk serves every command of a turn; a savepoint around each command lets one fail alone.
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
  /** The lineage mark of the log that was begun last. */
  #mark: Uint8Array;
  #salts: Uint8Array | undefined;
  #logIsNew: boolean;
  #framesInLog = 0;
  #logPages = MOST_LOG_PAGES;
  #foldFailedAt = Number.NEGATIVE_INFINITY;
  #inTransaction = false;
  #inCommand = false;
  /** Why SQLite itself rolled the transaction back. */
  #lost: { cause: unknown } | undefined;
  #commandUndo: (() => void)[] = [];
  #transactionUndo: (() => void)[] = [];
  #hold: FileHold | undefined;
  #compaction: Compaction | undefined;
  /** False only while the file is rewritten. */
  #hasLog = true;

  /** Opens or makes the file. Throws `DataDirectoryError` with a message for the user. */
  constructor(file: string, options: EngineOptions = {}) {
    this.file = file;
    this.#report = options.report ?? (() => undefined);
    const { database, record, mark, isFolded } = openStoreFile(file, options);
    this.#database = database;
    this.#record = record;
    this.#mark = mark;
    this.#logIsNew = isFolded;
    this.#begin = this.prepare('BEGIN IMMEDIATE');
    this.#commit = this.prepare('COMMIT');
    this.#rollback = this.prepare('ROLLBACK');
    this.#savepoint = this.prepare('SAVEPOINT command');
    this.#release = this.prepare('RELEASE command');
    this.#rollbackTo = this.prepare('ROLLBACK TO command');
    this.#logLength = this.prepareRows('PRAGMA wal_checkpoint(NOOP)');
    this.#setMark = this.prepare('UPDATE lineage SET mark = ?');
  }

  /** True while writes wait for the next commit. */
  get inTransaction(): boolean {
    return this.#inTransaction;
  }

  prepare(sql: string): StatementSync {
    return this.#database.prepare(sql);
  }

  /** A statement whose rows come as arrays. */
  prepareRows(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  /** Runs SQL that changes tables, inside the command's savepoint. */
  execute(sql: string): void {
    this.beforeWrite();
    this.#database.exec(sql);
  }

  /** Must be called before every write. Opens the turn's transaction and the command's savepoint unless they are open. */
  beforeWrite(): void {
    if (this.#lost) throw this.#lost.cause;
    if (!this.#inTransaction) {
      this.#openLog();
      if (this.#logIsNew) this.#record?.settle();
      this.#begin.run();
      this.#inTransaction = true;
      if (this.#logIsNew) this.#setMark.run(nextMark(this.#mark));
    }
    if (!this.#inCommand) {
      this.#savepoint.run();
      this.#inCommand = true;
    }
  }

  /** Registers what takes back a change in memory, should the command or the whole transaction be rolled back. */
  onRollback(undo: () => void): void {
    this.#commandUndo.push(undo);
  }

  /** Ends a command, or the slice of a long one, that succeeded. Returns whether it wrote. */
  keepCommand(): boolean {
    if (!this.#inCommand) return false;
    this.#release.run();
    this.#inCommand = false;
    for (const undo of this.#commandUndo) this.#transactionUndo.push(undo);
    this.#commandUndo.length = 0;
    return true;
  }

  /** Ends a command that failed: nothing that it wrote since its savepoint remains. */
  undoCommand(cause: unknown): void {
    if (!this.#inCommand) return;
    this.#inCommand = false;
    runBackwards(this.#commandUndo);
    // SQLite rolls the whole transaction back after some errors, such as a full disk. Then all writes of the turn fail.
    if (!this.#database.isTransaction) {
      this.#lost ??= { cause };
      return;
    }
    this.#rollbackTo.run();
    this.#release.run();
  }

  /** Takes back everything since the last commit. */
  abandon(cause: unknown): void {
    this.undoCommand(cause);
    if (!this.#inTransaction) return;
    this.#lost ??= { cause };
    try {
      this.#commitTransaction();
    } catch {
      // It is the cause itself that is thrown.
    }
  }

  /** Makes the turn's writes durable. When it throws, none of them remains. */
  commit(): void {
    if (this.#inTransaction) this.#commitTransaction();
    if (this.#compaction && !this.#hold) this.#rewrite(this.#compaction);
    this.#tendLog();
  }

  #commitTransaction(): void {
    this.#inTransaction = false;
    const lost = this.#lost;
    this.#lost = undefined;
    try {
      if (lost) throw lost.cause;
      this.#commit.run();
      this.#transactionUndo.length = 0;
    } catch (error) {
      runBackwards(this.#transactionUndo);
      if (this.#database.isTransaction) this.#rollback.run();
      throw error;
    }
    if (this.#logIsNew) {
      this.#logIsNew = false;
      this.#mark = nextMark(this.#mark);
      this.#salts = undefined;
    }
    this.#recordCommit();
  }

  /** The commit is on the disk whatever happens here. */
  #recordCommit(): void {
    this.#framesInLog = this.#pagesInLog;
    if (!this.#record) return;
    try {
      this.#salts ??= readSalts(`${this.file}-wal`);
      this.#record.committed({ mark: this.#mark, salts: this.#salts, frames: this.#framesInLog });
    } catch (error) {
      this.#report(error);
    }
  }

  /** Folds a long log into the file. Never fails: the commit before it is on the disk, and a fold is tried again. */
  #tendLog(): void {
    const hold = this.#hold;
    if (hold?.still || !this.#hasLog) return;
    if (!hold && (this.#logIsNew || this.#framesInLog < this.#logPages)) return;
    if (!hold && performance.now() - this.#foldFailedAt < RETRY_FOLD_MS) return;
    try {
      if (!this.#fold()) return;
      if (hold) hold.still = true;
      this.#foldFailedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (hold) hold.error = error;
      if (this.#foldFailedAt === Number.NEGATIVE_INFINITY) this.#report(error);
      this.#foldFailedAt = performance.now();
    }
  }

  #fold(): boolean {
    const started = performance.now();
    if (!foldLog(this.#database)) return false;
    this.#logIsNew = true;
    this.#record?.folded(this.#mark, pageCount(this.#database));
    const factor = performance.now() - started > FOLD_MS ? 0.5 : 2;
    this.#logPages = Math.min(MOST_LOG_PAGES, Math.max(LEAST_LOG_PAGES, this.#logPages * factor));
    return true;
  }

  get #pagesInLog(): number {
    return (this.#logLength.get() as unknown as [number, number, number])[1];
  }

  /** Asks for a hold, which begins after the next commit. There is one at a time: throws ConflictingOperationInProgress. */
  holdFile(): FileHold {
    if (this.#hold) throw new StoreError(117, 'ConflictingOperationInProgress', 'another backup is being made');
    const hold: FileHold = {
      still: false,
      release: () => {
        if (this.#hold === hold) this.#hold = undefined;
      },
    };
    this.#hold = hold;
    return hold;
  }

  /**
   * Asks for the file to be rewritten after the next commit, so that neither it nor its log keeps anything that was deleted. Waits for a
   * backup in progress.
   */
  compact(): Compaction {
    this.#compaction ??= { done: false };
    return this.#compaction;
  }

  /**
   * Rewrites the file. Nothing else runs meanwhile: about a second per 100 MB. The log is folded in first, and SQLite rewrites the file
   * under a rollback journal, so that after a kill the next start finds the old file, and no log that does not fit.
   */
  #rewrite(compaction: Compaction): void {
    this.#compaction = undefined;
    try {
      if (!this.#fold()) throw internalError('a statement still reads');
      // The file may be shorter from here on.
      this.#record?.folded(this.#mark, 0);
      // In memory the copy would take as much as the whole file.
      this.#database.exec('PRAGMA temp_store = FILE');
      this.#hasLog = false;
      this.#setJournal('truncate');
      this.#database.exec('VACUUM');
    } catch (error) {
      compaction.error = error; // what was committed before stays committed
    }
    try {
      this.#openLog();
    } catch (error) {
      compaction.error ??= error;
    }
    compaction.done = true;
  }

  /** Goes back to a log after a rewriting. A full disk may prevent that: then the next write tries again. */
  #openLog(): void {
    if (this.#hasLog) return;
    this.#setJournal('wal');
    this.#database.exec('PRAGMA temp_store = MEMORY');
    rmSync(`${this.file}-journal`, { force: true });
    this.#hasLog = true;
    this.#logIsNew = true;
    this.#record?.folded(this.#mark, pageCount(this.#database));
  }

  #setJournal(mode: 'truncate' | 'wal'): void {
    const { journal_mode } = this.#database.prepare(`PRAGMA journal_mode = ${mode}`).get() as { journal_mode: string };
    if (journal_mode !== mode) throw internalError(`the journal could not be changed to ${mode}`);
  }

  /** Gives the file a lineage of its own, so that no log of the file it was copied from is taken for its log. Returns the mark. */
  renewLineage(): Uint8Array {
    this.beforeWrite();
    const mark = firstMark();
    this.#setMark.run(mark);
    this.keepCommand();
    this.commit();
    return mark;
  }

  /** Folds the log into the file, and closes it. On a full disk the log stays, for the next start. */
  close(): void {
    if (!this.#database.isOpen) return;
    try {
      if (foldLog(this.#database)) {
        this.#record?.folded(this.#mark, pageCount(this.#database));
        this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      }
    } catch (error) {
      this.#report(error);
    }
    this.#record?.close();
    this.#database.close();
  }
}

function runBackwards(undos: (() => void)[]): void {
  for (let undo = undos.pop(); undo; undo = undos.pop()) undo();
}
