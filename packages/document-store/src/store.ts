import { join } from 'node:path';
import { MemoryBudget } from './memory.ts';
import { Cursors } from './plan/cursors.ts';
import { Catalog } from './storage/catalog.ts';
import { DirectoryLock } from './storage/directory-lock.ts';
import { Engine, type EngineOptions } from './storage/engine.ts';
import { Scheduler, type Steps } from './storage/scheduler.ts';

export const STORE_FILE = 'store.sqlite';

export interface StoreOptions extends Pick<EngineOptions, 'report' | 'acceptLoss'> {
  /** For all operations together. Default: 256 MB. */
  memoryBytes?: number;
}

export class Store {
  readonly lock: DirectoryLock;
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly scheduler: Scheduler;
  readonly cursors = new Cursors();
  readonly memory: MemoryBudget;
  readonly report: (error: unknown) => void;
  readonly connections = new Set<number>();
  connectionsCreated = 0;
  #isCollecting = false;
  garbageError: unknown;
  readonly commandCounts = new Map<string, number>();

  constructor(directory: string, options: StoreOptions = {}) {
    this.report = options.report ?? (() => undefined);
    this.memory = new MemoryBudget(options.memoryBytes);
    this.lock = new DirectoryLock(directory);
    try {
      this.engine = new Engine(join(directory, STORE_FILE), options);
      this.catalog = new Catalog(this.engine);
    } catch (error) {
      this.lock.release();
      throw error;
    }
    this.scheduler = new Scheduler(this.engine, this.memory);
  }

  /** Starts to empty dropped tables in the background. */
  startGarbageCollection(): void {
    this.catalog.onGarbage = () => this.collectGarbage();
    this.collectGarbage();
  }

  /** Starts a background run. After a failure, such as a full disk, the next call tries again. */
  collectGarbage(): void {
    if (this.#isCollecting || this.catalog.garbage.size === 0) return;
    this.#isCollecting = true;
    this.garbageError = undefined;
    const done = (error?: unknown) => {
      this.#isCollecting = false;
      this.garbageError = error;
    };
    this.scheduler.run(() => this.catalog.emptyGarbage()).then(() => done(), done);
  }

  *sizeOf(database: string): Steps<number> {
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
