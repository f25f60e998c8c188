import { join } from 'node:path';
import { MemoryBudget } from './memory.ts';
import { Cursors } from './plan/cursors.ts';
import { openQuery, type Query, type QueryRequest } from './plan/query.ts';
import { Catalog } from './storage/catalog.ts';
import type { Collection } from './storage/collection.ts';
import { DirectoryLock } from './storage/directory-lock.ts';
import { emptyGarbage } from './storage/empty-garbage.ts';
import { Engine, type EngineOptions } from './storage/engine.ts';
import { Turns } from './storage/turns.ts';

/** The one file of a data directory that holds its data. */
export const STORE_FILE = 'store.sqlite';

/** How a store is opened. */
export type StoreOptions = Pick<EngineOptions, 'report' | 'acceptLoss'>;

/** Everything that commands work on. */
export class Store {
  readonly lock: DirectoryLock;
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly turns: Turns;
  readonly cursors = new Cursors();
  readonly memory = new MemoryBudget();
  /** Told of errors that are this server's own fault. */
  readonly report: (error: unknown) => void;
  /** The open connections' ids. */
  readonly connections = new Set<number>();
  connectionsMade = 0;
  #isEmptying = false;
  /** Why dropped tables could not be emptied. */
  emptyingError: unknown;
  /** How many commands of each name have been run. */
  readonly commandCounts = new Map<string, number>();

  /** Throws `DataDirectoryError` when the directory is in use or not ours. */
  constructor(directory: string, options: StoreOptions = {}) {
    this.report = options.report ?? (() => undefined);
    this.lock = new DirectoryLock(directory);
    try {
      this.engine = new Engine(join(directory, STORE_FILE), options);
      this.catalog = new Catalog(this.engine);
    } catch (error) {
      this.lock.release();
      throw error;
    }
    this.turns = new Turns(this.engine, this.memory);
  }

  /** Removes what dropped collections and indexes have left, in the background, from now on. */
  startEmptying(): void {
    this.catalog.onGarbage = () => this.emptyGarbage();
    this.emptyGarbage();
  }

  /** What fails now, as on a full disk, is tried again by the next call. */
  emptyGarbage(): void {
    if (this.#isEmptying || this.catalog.garbage.size === 0) return;
    this.#isEmptying = true;
    this.emptyingError = undefined;
    const done = (error?: unknown) => {
      this.#isEmptying = false;
      this.emptyingError = error;
    };
    this.turns.run(() => emptyGarbage(this.engine, this.catalog)).then(() => done(), done);
  }

  openQuery(collection: Collection | undefined, request: QueryRequest): Query {
    return openQuery(collection, request);
  }

  /** Sums up the bytes of a database's documents. Yields between portions. */
  *sizeOf(database: string): Generator<undefined, number> {
    let sum = 0;
    for (const collection of this.catalog.collections(database)) sum += yield* collection.bytes();
    return sum;
  }

  close(): void {
    this.cursors.closeAll();
    this.engine.close();
    this.lock.release();
  }
}
