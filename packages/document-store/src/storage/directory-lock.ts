import { closeSync, constants, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isWriteFailure } from '../errors.ts';
import { DataDirectoryError } from './data-directory-error.ts';

/** The server that holds a directory, as it told the others. */
export interface Holder {
  pid: number;
  /** The Unix socket on which it listens; absent until it does, and for a server on a port. */
  socket?: string;
}

const SQLITE_BUSY = 5;
/** Always written whole, so that a shorter text leaves nothing of a longer one. */
const HOLDER_BYTES = 512;

/** Another process holds the directory. */
export class DirectoryInUseError extends DataDirectoryError {
  readonly holder: Holder | undefined;

  constructor(directory: string, holder: Holder | undefined, cause: unknown) {
    super(`${directory} is in use by another document store${holder ? ` (process ${holder.pid})` : ''}.`, { cause });
    this.holder = holder;
  }
}

/**
 * One process's claim on a data directory. It is the kernel's lock on a file of its own, held open: it can't be left behind by a
 * killed server, whatever process has its number now, and stays while files beside it are replaced. `server.json` only says who holds it.
 */
export class DirectoryLock {
  readonly #database: DatabaseSync;
  readonly #holderFile: string;

  /** Makes the directory if absent. Throws `DirectoryInUseError` when another process holds it. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#holderFile = holderFile(directory);
    this.#database = new DatabaseSync(join(directory, 'lock.sqlite'), { timeout: 0 });
    try {
      // Nothing is written: a full disk must not prevent a start.
      this.#database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (cause) {
      this.#database.close();
      throw refusal(cause, directory);
    }
    this.publish({ pid: process.pid });
  }

  /** Tells others who holds the directory. Written in place, since a full disk takes no new file. */
  publish(holder: Holder): void {
    try {
      const descriptor = openSync(this.#holderFile, constants.O_RDWR | constants.O_CREAT, 0o600);
      writeSync(descriptor, JSON.stringify(holder).padEnd(HOLDER_BYTES), 0);
      closeSync(descriptor);
    } catch (error) {
      // Only messages and backups need it; they say so.
      if (!isWriteFailure(error)) throw error;
    }
  }

  release(): void {
    rmSync(this.#holderFile, { force: true });
    this.#database.close();
  }
}

/** Who holds the directory, or held it when it was killed. */
function readHolder(directory: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(holderFile(directory), 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

const holderFile = (directory: string) => join(directory, 'server.json');

function refusal(cause: unknown, directory: string): DataDirectoryError {
  if ((cause as { errcode?: number }).errcode === SQLITE_BUSY) {
    return new DirectoryInUseError(directory, readHolder(directory), cause);
  }
  return new DataDirectoryError(`${directory} can't be locked: ${(cause as Error).message}.`, { cause });
}
