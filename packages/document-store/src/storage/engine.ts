import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { internalError } from '../errors.ts';

/** Marks our files, so that another program's SQLite file is refused ("CHDS"). */
const APPLICATION_ID = 0x43484453;
/** The version of the file's layout; a newer one is refused. */
const FORMAT_VERSION = 1;

const SCHEMA = `
  CREATE TABLE collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT, database TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL,
    UNIQUE (database, name)
  );
  CREATE TABLE indexes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, name TEXT NOT NULL, specification BLOB NOT NULL,
    multikey INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0, UNIQUE (collection, name)
  );
`;

/** The data directory can't be used: in use by another server, of another program, or damaged. */
export class DataDirectoryError extends Error {}

/**
 * The SQLite file and its transactions. All writes between two `commit`s share one transaction, so that one
 * synchronisation of the disk serves every command of a turn; a savepoint around each command lets one fail alone.
 */
export class Engine {
  readonly #database: DatabaseSync;
  readonly #lockFile: string;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #rollbackTo: StatementSync;
  #inTransaction = false;
  #inCommand = false;
  #lost = false;
  #commandUndo: (() => void)[] = [];
  #transactionUndo: (() => void)[] = [];

  /** Opens or makes `<directory>/store.sqlite`. Throws `DataDirectoryError` with a message for the user. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#lockFile = join(directory, 'store.lock');
    this.#database = openDatabase(join(directory, 'store.sqlite'), this.#lockFile);
    writeFileSync(this.#lockFile, `${process.pid}\n`, { mode: 0o600 });
    this.#begin = this.prepare('BEGIN IMMEDIATE');
    this.#commit = this.prepare('COMMIT');
    this.#rollback = this.prepare('ROLLBACK');
    this.#savepoint = this.prepare('SAVEPOINT command');
    this.#release = this.prepare('RELEASE command');
    this.#rollbackTo = this.prepare('ROLLBACK TO command');
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
    if (!this.#inTransaction) return;
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
  }

  /** Folds the write-ahead log into the file and gives the directory free. */
  close(): void {
    if (!this.#database.isOpen) return;
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#database.close();
    rmSync(this.#lockFile, { force: true });
  }
}

function runBackwards(undos: (() => void)[]): void {
  for (let undo = undos.pop(); undo; undo = undos.pop()) undo();
}

function openDatabase(file: string, lockFile: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    // The exclusive lock is the kernel's: it can't be left behind by a killed server. The lock file only names the holder.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    database.exec('PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864;');
    // Folding the log back costs a few milliseconds whatever its length, so it is done seldom: every 32 MB.
    database.exec('PRAGMA wal_autocheckpoint = 8192');
    database.exec('BEGIN IMMEDIATE');
    checkFormat(database, file);
    database.exec('COMMIT');
    return database;
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw explain(cause, file, lockFile);
  }
}

function checkFormat(database: DatabaseSync, file: string): void {
  const applicationId = readPragma(database, 'application_id');
  const version = readPragma(database, 'user_version');
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_master').get() as { tables: number };
  if (tables === 0 && applicationId === 0 && version === 0) {
    database.exec(SCHEMA);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION};`);
    return;
  }
  if (applicationId !== APPLICATION_ID) throw new DataDirectoryError(`${file} belongs to another program.`);
  if (version > FORMAT_VERSION) {
    throw new DataDirectoryError(`${file} has format ${version}; this server knows formats up to ${FORMAT_VERSION}.`);
  }
}

function readPragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

function explain(cause: unknown, file: string, lockFile: string): Error {
  if (cause instanceof DataDirectoryError || !(cause instanceof Error)) return cause as Error;
  if (/database is locked/.test(cause.message)) {
    return new DataDirectoryError(`${file} is in use by another document store${holder(lockFile)}.`, { cause });
  }
  if (/not a database|malformed|disk image/.test(cause.message)) {
    return new DataDirectoryError(`${file} is damaged or no store file (${cause.message}).`, { cause });
  }
  return new DataDirectoryError(`${file} can't be opened: ${cause.message}.`, { cause });
}

function holder(lockFile: string): string {
  try {
    return ` (process ${readFileSync(lockFile, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
