import { performance } from 'node:perf_hooks';
import { StoreError } from '../errors.ts';
import type { MemoryAccount, MemoryBudget } from '../memory.ts';
import type { Engine } from './engine.ts';

/** Work that yields when its time slice is over. */
export type Steps<Result> = Generator<undefined, Result>;

export type Work<Result> = Result | Steps<Result>;

interface Submission<Result> {
  start: () => Work<Result>;
  /** Either `succeed` or `fail` is called, after the command's writes are committed and, if `isDurable`, synced. */
  succeed: (result: Result) => void;
  fail: (error: unknown) => void;
  /** Default: true. */
  isDurable?: boolean;
  /** False for reads. They run before the turn's writes, so they never see writes that fail to commit. */
  writes: boolean;
  account: MemoryAccount;
}

interface Task extends Submission<unknown> {
  running?: Steps<unknown>;
  hasUncommitted: boolean;
  hasWritten?: boolean;
  settle?: () => void;
}

const SLICE_MS = 3;
const LONG_TASKS_MS = 6;
const MAX_TRANSACTION_MS = 100;

let sliceEnd = 0;
let slices = 0;

export function sliceIsOver(): boolean {
  return performance.now() > sliceEnd;
}

export function beginSlice(): void {
  sliceEnd = performance.now() + SLICE_MS;
  slices += 1;
}

/** The current slice's number. Nothing else runs within a slice, so data read in it is current. */
export function currentSlice(): number {
  return slices;
}

/**
 * Runs commands in turns. A turn runs every new command and a slice of each long one, commits once,
 * and then answers the reads. Writes are answered after the next sync, which runs in parallel with the
 * turns. Commands that arrive together share a commit, and writes during a sync share the next sync.
 */
export class Scheduler {
  readonly #engine: Engine;
  readonly #memory: MemoryBudget;
  #incoming: Task[] = [];
  #long: Task[] = [];
  #settled: Task[] = [];
  /** Committed tasks that wait for the next sync, and for the current one. */
  #committed: Task[] = [];
  #syncing: Task[] = [];
  #isSyncing = false;
  #scheduled = false;
  #lastCommit = 0;
  #ended = false;

  constructor(engine: Engine, memory: MemoryBudget) {
    this.#engine = engine;
    this.#memory = memory;
  }

  submit<Result>(submission: Submission<Result>): void {
    if (this.#ended) {
      submission.fail(shuttingDown());
      return;
    }
    this.#incoming.push(Object.assign(submission as Submission<unknown>, { hasUncommitted: false }));
    this.#schedule();
  }

  run<Result>(start: () => Work<Result>): Promise<Result> {
    const account = this.#memory.openAccount();
    const ended = new Promise<Result>((succeed, fail) => this.submit({ start, succeed, fail, writes: true, account }));
    return ended.finally(() => account.close());
  }

  /** Commits finished commands, aborts all others, and rejects new ones. */
  shutDown(): void {
    this.#ended = true;
    this.#commit();
    this.#engine.syncNow();
    for (const task of [...this.#syncing.splice(0), ...this.#committed.splice(0)]) task.settle?.();
    for (const task of [...this.#incoming.splice(0), ...this.#long.splice(0)]) task.fail(shuttingDown());
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    // Commit the writes of long commands before others read.
    if (this.#incoming.length > 0 && this.#engine.inTransaction) this.#commit();
    const fresh = this.#incoming;
    const long = this.#long.slice();
    this.#incoming = [];
    const readers = long.filter(({ writes }) => !writes).length;
    const kinds = Number(readers > 0) + Number(readers < long.length);
    for (const writes of [false, true]) {
      for (const task of fresh) if (task.writes === writes) this.#slice(task);
      if (long.length > 0)
        this.#runLong(
          long.filter((task) => task.writes === writes),
          LONG_TASKS_MS / kinds,
        );
    }
    if (!this.#canDelayCommit) this.#commit();
    if (this.#incoming.length > 0 || this.#long.length > 0 || this.#engine.inTransaction) this.#schedule();
  }

  /** Runs a slice of each task while time remains. Tasks that ran go to the end of the queue. */
  #runLong(tasks: Task[], milliseconds: number): void {
    const end = performance.now() + milliseconds;
    for (const task of tasks) {
      this.#long.splice(this.#long.indexOf(task), 1);
      this.#slice(task);
      if (performance.now() >= end) return;
    }
  }

  /** True if no command waits for the writes of long commands, and none reads. */
  get #canDelayCommit(): boolean {
    if (this.#settled.length > 0 || this.#long.length === 0 || this.#long.some(({ writes }) => !writes)) return false;
    return performance.now() - this.#lastCommit < MAX_TRANSACTION_MS;
  }

  #slice(task: Task): void {
    beginSlice();
    try {
      const result = task.account.run(() => advance(task));
      if (this.#engine.keepCommand()) task.hasUncommitted = task.hasWritten = true;
      if (!result) {
        this.#long.push(task);
        return;
      }
      task.settle = () => task.succeed(result.value);
    } catch (error) {
      this.#engine.undoCommand(error);
      task.settle = () => task.fail(error);
    }
    this.#settled.push(task);
  }

  #commit(): void {
    this.#lastCommit = performance.now();
    const settled = this.#settled;
    this.#settled = [];
    let failure: { error: unknown } | undefined;
    try {
      this.#engine.commit();
    } catch (error) {
      failure = { error };
    }
    for (const task of settled) {
      if (failure && task.hasUncommitted) task.fail(failure.error);
      else if (task.hasWritten && task.isDurable !== false) this.#committed.push(task);
      else task.settle?.();
    }
    for (const task of this.#long.filter(({ hasUncommitted }) => hasUncommitted)) {
      task.hasUncommitted = false;
      if (failure) this.#abort(task, failure.error);
    }
    this.#sync();
  }

  /** Syncs until every commit is durable, one sync at a time. */
  #sync(): void {
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    this.#syncing = this.#committed.splice(0);
    this.#engine.sync(() => {
      this.#isSyncing = false;
      for (const task of this.#syncing.splice(0)) task.settle?.();
      if (this.#committed.length > 0 || this.#engine.hasUnsynced) this.#sync();
    });
  }

  /** Aborts a long command whose writes are lost. Its cleanup belongs to the next commit. */
  #abort(task: Task, error: unknown): void {
    this.#long.splice(this.#long.indexOf(task), 1);
    try {
      task.account.run(() => task.running?.throw(error));
    } catch {
      // The command rethrows the error.
    }
    try {
      this.#engine.keepCommand();
    } catch (cause) {
      this.#engine.undoCommand(cause);
    }
    task.fail(error);
  }
}

function shuttingDown(): StoreError {
  return new StoreError(11600, 'InterruptedAtShutdown', 'the server is shutting down');
}

function advance(task: Task): { value: unknown } | undefined {
  if (!task.running) {
    const work = task.start();
    if (!isGenerator(work)) return { value: work };
    task.running = work;
  }
  const step = task.running.next();
  return step.done ? { value: step.value } : undefined;
}

function isGenerator(work: unknown): work is Steps<unknown> {
  return typeof work === 'object' && work !== null && Symbol.iterator in work && 'next' in work;
}
