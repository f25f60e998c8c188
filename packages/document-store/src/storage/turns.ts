import { performance } from 'node:perf_hooks';
import { StoreError } from '../errors.ts';
import type { Holding, MemoryBudget } from '../memory.ts';
import type { Engine } from './engine.ts';

/** A command's work: its answer at once, or a generator that yields whenever it has used up its slice of time. */
export type Work<Answer> = Answer | Generator<undefined, Answer>;

/** A command to be run. */
export interface Submission<Answer> {
  start: () => Work<Answer>;
  /** Exactly one of `succeed` and `fail` is called, after the command's writes are durable. */
  succeed: (answer: Answer) => void;
  fail: (error: unknown) => void;
  /** False for a command that only reads. Reads run before the writes of their turn, and so never see what a failed commit takes back. */
  writes: boolean;
  /** What it holds. Whoever submits it releases it. */
  holding: Holding;
}

/** One command on its way through the turns. */
interface Task extends Submission<unknown> {
  running?: Generator<undefined, unknown>;
  /** True while something that it wrote is not committed. */
  hasUnsaved: boolean;
  settle?: () => void;
}

const SLICE_MS = 3;
/** How long the long commands of one turn may hold up the next. */
const LONG_TASKS_MS = 6;
const LONGEST_TRANSACTION_MS = 100;

let sliceEnd = 0;
let slices = 0;

/** True when the running command should yield, so that others get their turn. */
export function sliceIsOver(): boolean {
  return performance.now() > sliceEnd;
}

/** Begins a slice. */
export function beginSlice(): void {
  sliceEnd = performance.now() + SLICE_MS;
  slices += 1;
}

/** The number of the slice that runs now. Nothing else runs within a slice, so what was read in it is as it was. */
export function currentSlice(): number {
  return slices;
}

/**
 * Runs commands in turns. A turn takes every command that has arrived and a slice of each long one, then commits once for all of them,
 * and only then lets their answers go. Commands that arrive together thus share one disk write.
 */
export class Turns {
  readonly #engine: Engine;
  #fresh: Task[] = [];
  #long: Task[] = [];
  #settled: Task[] = [];
  #scheduled = false;
  #lastCommit = 0;
  #ended = false;

  readonly #memory: MemoryBudget;

  constructor(engine: Engine, memory: MemoryBudget) {
    this.#engine = engine;
    this.#memory = memory;
  }

  submit<Answer>(submission: Submission<Answer>): void {
    if (this.#ended) {
      submission.fail(shuttingDown());
      return;
    }
    this.#fresh.push(Object.assign(submission as Submission<unknown>, { hasUnsaved: false }));
    this.#schedule();
  }

  /** Runs work that may write, as a promise. */
  run<Answer>(start: () => Work<Answer>): Promise<Answer> {
    const holding = this.#memory.open();
    const ended = new Promise<Answer>((succeed, fail) => this.submit({ start, succeed, fail, writes: true, holding }));
    return ended.finally(() => holding.release());
  }

  /** Ends every command that has not finished, commits what has, and from then on refuses. */
  end(): void {
    this.#ended = true;
    this.#commit();
    for (const task of [...this.#fresh.splice(0), ...this.#long.splice(0)]) task.fail(shuttingDown());
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    // What a long command has written since the last commit is committed before others read.
    if (this.#fresh.length > 0 && this.#engine.inTransaction) this.#commit();
    const fresh = this.#fresh;
    const long = this.#long.slice();
    this.#fresh = [];
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
    if (!this.#canWait) this.#commit();
    if (this.#fresh.length > 0 || this.#long.length > 0 || this.#engine.inTransaction) this.#schedule();
  }

  /** Gives each a slice, as long as time is left; those that had one go to the end of the queue. */
  #runLong(tasks: Task[], milliseconds: number): void {
    const end = performance.now() + milliseconds;
    for (const task of tasks) {
      this.#long.splice(this.#long.indexOf(task), 1);
      this.#slice(task);
      if (performance.now() >= end) return;
    }
  }

  /** True while nobody waits for what the long commands have written so far, and nobody reads. */
  get #canWait(): boolean {
    if (this.#settled.length > 0 || this.#long.length === 0 || this.#long.some(({ writes }) => !writes)) return false;
    return performance.now() - this.#lastCommit < LONGEST_TRANSACTION_MS;
  }

  #slice(task: Task): void {
    beginSlice();
    try {
      const answer = task.holding.during(() => advance(task));
      if (this.#engine.keepCommand()) task.hasUnsaved = true;
      if (!answer) {
        this.#long.push(task);
        return;
      }
      task.settle = () => task.succeed(answer.value);
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
      if (failure && task.hasUnsaved) task.fail(failure.error);
      else task.settle?.();
    }
    for (const task of this.#long.filter(({ hasUnsaved }) => hasUnsaved)) {
      task.hasUnsaved = false;
      if (failure) this.#abort(task, failure.error);
    }
  }

  /** Ends a long command whose writes are gone. It may clean up; what it writes then belongs to the next commit. */
  #abort(task: Task, error: unknown): void {
    this.#long.splice(this.#long.indexOf(task), 1);
    try {
      task.holding.during(() => task.running?.throw(error));
    } catch {
      // It ends with the error that it was given.
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

function isGenerator(work: unknown): work is Generator<undefined, unknown> {
  return typeof work === 'object' && work !== null && Symbol.iterator in work && 'next' in work;
}
