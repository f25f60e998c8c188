import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The platform that runs on a data directory, for a second start to find. */
export interface Instance {
  pid: number;
  state: 'starting' | 'ready' | 'stopping';
  url: string;
  /** The folder of the sockets of its Redis and its store, for commands beside it. */
  sockets: string;
}

/**
 * Says which supervisor owns a data directory. It is SQLite's lock on a file, held open: the operating system lets go
 * of it when its process ends, however it ends, so it is never stale.
 */
export class InstanceLock {
  readonly #database: DatabaseSync;
  readonly #file: string;

  private constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.#file = file;
  }

  /**
   * @param folder exists
   * @returns undefined when another process holds it
   */
  static acquire(folder: string): InstanceLock | undefined {
    const database = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 });
    try {
      database.exec('BEGIN EXCLUSIVE');
      return new InstanceLock(database, join(folder, 'instance.json'));
    } catch (error) {
      database.close();
      const sqliteBusy = 5;
      if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
      throw error;
    }
  }

  /** Tells others what they find here. */
  publish(instance: Instance): void {
    try {
      writeFileSync(`${this.#file}.new`, JSON.stringify(instance), { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file);
    } catch {
      // A full disk must not end what runs; a second start will know less.
    }
  }

  release(): void {
    this.#database.close();
  }
}

/** What the process that holds the folder's lock has published; undefined while it has not yet. */
export function readInstance(folder: string): Instance | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'instance.json'), 'utf8')) as Instance;
  } catch {
    return undefined;
  }
}
