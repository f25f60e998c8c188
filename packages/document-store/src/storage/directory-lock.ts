import { closeSync, constants, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DataDirectoryError, isWriteFailure } from '../errors.ts';

interface Holder {
  pid: number;
  /** Absent before the server listens, and if it listens on a port. */
  socket?: string;
}

const SQLITE_BUSY = 5;
/** Fixed length, so that a shorter text overwrites a longer one. */
const HOLDER_BYTES = 512;

export class DirectoryInUseError extends DataDirectoryError {
  readonly holder: Holder | undefined;

  constructor(directory: string, holder: Holder | undefined, cause: unknown) {
    super(`${directory} is in use by another document store${holder ? ` (process ${holder.pid})` : ''}.`, { cause });
    this.holder = holder;
  }
}

/**
 * A process's exclusive lock on a data directory, held by the kernel on a separate file. A crash
 * releases it, and replacing other files does not. `server.json` only names the holder.
 */
export class DirectoryLock {
  readonly #database: DatabaseSync;
  readonly #holderFile: string;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#holderFile = holderFile(directory);
    this.#database = new DatabaseSync(join(directory, 'lock.sqlite'), { timeout: 0 });
    try {
      // Nothing is written, so that a full disk does not prevent a start.
      this.#database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (cause) {
      this.#database.close();
      throw lockError(cause, directory);
    }
    this.publish({ pid: process.pid });
  }

  /** Publishes who uses the directory. Writes in place, since a full disk has no room for a new file. */
  publish(holder: Holder): void {
    try {
      const descriptor = openSync(this.#holderFile, constants.O_RDWR | constants.O_CREAT, 0o600);
      writeSync(descriptor, JSON.stringify(holder).padEnd(HOLDER_BYTES), 0);
      closeSync(descriptor);
    } catch (error) {
      // Only messages and backups need it, and backups report that it is missing.
      if (!isWriteFailure(error)) throw error;
    }
  }

  release(): void {
    rmSync(this.#holderFile, { force: true });
    this.#database.close();
  }
}

function readHolder(directory: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(holderFile(directory), 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

const holderFile = (directory: string) => join(directory, 'server.json');

function lockError(cause: unknown, directory: string): DataDirectoryError {
  if ((cause as { errcode?: number }).errcode === SQLITE_BUSY) {
    return new DirectoryInUseError(directory, readHolder(directory), cause);
  }
  return new DataDirectoryError(`${directory} cannot be locked: ${(cause as Error).message}.`, { cause });
}
