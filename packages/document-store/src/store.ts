import { join } from 'node:path';
import { Cursors } from './plan/cursors.ts';
import { openQuery, type Query, type QueryRequest } from './plan/query.ts';
import { Catalog } from './storage/catalog.ts';
import type { Collection } from './storage/collection.ts';
import { DirectoryLock } from './storage/directory-lock.ts';
import { Engine } from './storage/engine.ts';
import { Turns } from './storage/turns.ts';

/** The one file of a data directory that holds its data. */
export const STORE_FILE = 'store.sqlite';

/** Everything that commands work on. */
export class Store {
  readonly lock: DirectoryLock;
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly turns: Turns;
  readonly cursors = new Cursors();
  /** Told of errors that are this server's own fault. */
  readonly report: (error: unknown) => void;
  /** The open connections' ids. */
  readonly connections = new Set<number>();
  connectionsMade = 0;
  /** How many commands of each name have been run. */
  readonly commandCounts = new Map<string, number>();

  /** Throws `DataDirectoryError` when the directory is in use or not ours. */
  constructor(directory: string, report: (error: unknown) => void = () => undefined) {
    this.report = report;
    this.lock = new DirectoryLock(directory);
    try {
      this.engine = new Engine(join(directory, STORE_FILE));
      this.catalog = new Catalog(this.engine);
    } catch (error) {
      this.lock.release();
      throw error;
    }
    this.turns = new Turns(this.engine);
  }

  openQuery(collection: Collection | undefined, request: QueryRequest): Query {
    return openQuery(collection, request);
  }

  /** The bytes of a database's documents. */
  sizeOf(database: string): number {
    return this.catalog.collections(database).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  close(): void {
    this.cursors.closeAll();
    this.engine.close();
    this.lock.release();
  }
}
