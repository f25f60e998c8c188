import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A running platform, published for a second start. */
export interface Instance {
  pid: number;
  state: 'starting' | 'ready' | 'stopping';
  url: string;
  sockets: string;
}

/**
 * Locks a data directory for one supervisor. The operating system releases the SQLite file lock when the
 * process ends, so it is never stale.
 */
export class InstanceLock {
  readonly #database: DatabaseSync;
  readonly #file: string;

  private constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.#file = file;
  }

  /**
   * @param folder must exist
   * @returns undefined if another process holds it
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

  publish(instance: Instance): void {
    try {
      writeFileSync(`${this.#file}.new`, JSON.stringify(instance), { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file);
    } catch {}
  }

  release(): void {
    this.#database.close();
  }
}

/** Returns what the owner of the folder's lock has published; undefined if nothing yet. */
export function readInstance(folder: string): Instance | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'instance.json'), 'utf8')) as Instance;
  } catch {
    return undefined;
  }
}
