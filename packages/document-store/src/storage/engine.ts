import { rmSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { internalError, StoreError } from '../errors.ts';
import { firstMark, nextMark } from './lineage.ts';
import { openStoreFile } from './store-file.ts';

/** Folding the log into the file costs a few milliseconds whatever its length, so it is done seldom: every 32 MB. */
const LOG_PAGES = 8192;

/** A rewriting of the file, which begins after the next commit. */
export interface Compaction {
  done: boolean;
  /** Why it failed; the file is as it was. */
  error?: unknown;
}

/** While it lasts, the file itself does not change, and is a whole snapshot; writes go on, into the log. */
export interface FileHold {
  /** True once the file is still. */
  still: boolean;
  release(): void;
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
  readonly #foldLog: StatementSync;
  readonly #mark: StatementSync;
  #nextMark: Uint8Array;
  #logIsNew = true;
  #inTransaction = false;
  #inCommand = false;
  #lost = false;
  #commandUndo: (() => void)[] = [];
  #transactionUndo: (() => void)[] = [];
  #hold: FileHold | undefined;
  #compaction: Compaction | undefined;

  /** Opens or makes the file. Throws `DataDirectoryError` with a message for the user. */
  constructor(file: string) {
    this.file = file;
    this.#database = openStoreFile(file);
    this.#begin = this.prepare('BEGIN IMMEDIATE');
    this.#commit = this.prepare('COMMIT');
    this.#rollback = this.prepare('ROLLBACK');
    this.#savepoint = this.prepare('SAVEPOINT command');
    this.#release = this.prepare('RELEASE command');
    this.#rollbackTo = this.prepare('ROLLBACK TO command');
    this.#logLength = this.prepareRows('PRAGMA wal_checkpoint(NOOP)');
    this.#foldLog = this.prepareRows('PRAGMA wal_checkpoint(RESTART)');
    this.#mark = this.prepare('UPDATE lineage SET mark = ?');
    const [mark] = this.prepareRows('SELECT mark FROM lineage').get() as unknown as [Uint8Array];
    this.#nextMark = nextMark(mark);
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

  /** To be called before every write: opens the turn's transaction and the command's savepoint where they are not yet. */
  beforeWrite(): void {
    if (this.#lost) throw internalError('an earlier write of this turn failed');
    if (!this.#inTransaction) {
      this.#begin.run();
      this.#inTransaction = true;
      if (this.#logIsNew) this.#mark.run(this.#nextMark);
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

  /** Ends a command, or the slice of a long one, that succeeded. */
  keepCommand(): void {
    if (!this.#inCommand) return;
    this.#release.run();
    this.#inCommand = false;
    for (const undo of this.#commandUndo) this.#transactionUndo.push(undo);
    this.#commandUndo.length = 0;
  }

  /** Ends a command that failed: nothing that it wrote since its savepoint remains. */
  undoCommand(): void {
    if (!this.#inCommand) return;
    this.#inCommand = false;
    runBackwards(this.#commandUndo);
    // SQLite itself rolls the whole transaction back after some errors (a full disk): then the whole turn fails.
    if (!this.#database.isTransaction) {
      this.#lost = true;
      return;
    }
    this.#rollbackTo.run();
    this.#release.run();
  }

  /** Makes the turn's writes durable. When it throws, none of them remains. */
  commit(): void {
    if (this.#inTransaction) this.#commitTransaction();
    if (this.#compaction && !this.#hold) this.#rewrite(this.#compaction);
    this.#tendLog();
  }

  #commitTransaction(): void {
    this.#inTransaction = false;
    this.#lost = false;
    try {
      this.#commit.run();
      this.#transactionUndo.length = 0;
    } catch (error) {
      runBackwards(this.#transactionUndo);
      if (this.#database.isTransaction) this.#rollback.run();
      throw error;
    }
    if (!this.#logIsNew) return;
    this.#logIsNew = false;
    this.#nextMark = nextMark(this.#nextMark);
  }

  /** Folds a long log into the file. It begins anew with the next transaction. */
  #tendLog(): void {
    if (this.#hold?.still) return;
    if (!this.#hold && (this.#logIsNew || this.#pagesInLog < LOG_PAGES)) return;
    const [isBusy] = this.#foldLog.get() as unknown as [number, number, number];
    if (isBusy) return;
    this.#logIsNew = true;
    if (this.#hold) this.#hold.still = true;
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
   * Asks for the file to be rewritten after the next commit, so that neither it nor its log has anything left of what was deleted. Waits for a backup that is
   * being made.
   */
  compact(): Compaction {
    this.#compaction ??= { done: false };
    return this.#compaction;
  }

  /**
   * Nothing else runs meanwhile: about a second for each 100 MB. The log is folded in and put away first, and SQLite rewrites the file under a rollback journal: a
   * process that is killed in the midst finds the old file at its next start, and no log that does not fit.
   */
  #rewrite(compaction: Compaction): void {
    try {
      // In memory the copy would take as much as the whole file.
      this.#database.exec('PRAGMA temp_store = FILE');
      this.#setJournal('truncate');
      this.#database.exec('VACUUM');
    } catch (error) {
      compaction.error = error; // what was committed before stays committed
    }
    try {
      this.#setJournal('wal');
      this.#database.exec('PRAGMA temp_store = MEMORY');
      rmSync(`${this.file}-journal`, { force: true });
    } catch (error) {
      compaction.error ??= error;
    }
    this.#logIsNew = true;
    this.#compaction = undefined;
    compaction.done = true;
  }

  #setJournal(mode: 'truncate' | 'wal'): void {
    const { journal_mode } = this.#database.prepare(`PRAGMA journal_mode = ${mode}`).get() as { journal_mode: string };
    if (journal_mode !== mode) throw internalError(`the journal could not be changed to ${mode}`);
  }

  /** Makes the file one of its own, so that no log of the file that it was copied from is taken for its. */
  renewLineage(): void {
    this.beforeWrite();
    this.#mark.run(firstMark());
    this.keepCommand();
    this.commit();
  }

  /** Folds the log into the file, and closes it. */
  close(): void {
    if (!this.#database.isOpen) return;
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#database.close();
  }
}

function runBackwards(undos: (() => void)[]): void {
  for (let undo = undos.pop(); undo; undo = undos.pop()) undo();
}
