import { performance } from 'node:perf_hooks';
import { StoreError } from '../errors.ts';
import type { Engine } from './engine.ts';

/** A command's work: its answer at once, or a generator that yields whenever it has used up its slice of time. */
export type Work<Answer> = Answer | Generator<undefined, Answer>;

/** One command on its way through the turns. */
interface Task {
  start: () => Work<unknown>;
  running?: Generator<undefined, unknown>;
  succeed: (answer: unknown) => void;
  fail: (error: unknown) => void;
}

const SLICE_MS = 3;
/** How long the long commands of one turn may hold up the next. */
const LONG_TASKS_MS = 6;
const LONGEST_TRANSACTION_MS = 100;

let sliceEnd = 0;

/** True when the running command should yield, so that others get their turn. */
export function sliceIsOver(): boolean {
  return performance.now() > sliceEnd;
}

/**
 * Runs commands in turns. A turn takes every command that has arrived, and a slice of each long one; then commits once
 * for all of them, and only then lets their answers go. Commands that arrive together thus share one disk write.
 */
export class Turns {
  readonly #engine: Engine;
  #fresh: Task[] = [];
  #long: Task[] = [];
  #settled: (() => void)[] = [];
  #failed: ((error: unknown) => void)[] = [];
  #scheduled = false;
  #lastCommit = 0;
  #ended = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Queues a command; exactly one of `succeed` and `fail` is called, after its writes are durable. */
  submit<Answer>(start: () => Work<Answer>, succeed: (answer: Answer) => void, fail: (error: unknown) => void): void {
    if (this.#ended) {
      fail(shuttingDown());
      return;
    }
    this.#fresh.push({ start, succeed: succeed as (answer: unknown) => void, fail });
    this.#schedule();
  }

  /** As `submit`, as a promise. */
  run<Answer>(start: () => Work<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => this.submit(start, resolve, reject));
  }

  /** Ends every command that has not finished, commits what has, and from then on refuses. */
  end(): void {
    this.#ended = true;
    this.#commit(true);
    for (const task of [...this.#fresh.splice(0), ...this.#long.splice(0)]) task.fail(shuttingDown());
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const task of fresh) this.#slice(task);
    this.#runLongTasks();
    this.#commit();
    if (this.#fresh.length > 0 || this.#long.length > 0) this.#schedule();
  }

  #runLongTasks(): void {
    const end = performance.now() + LONG_TASKS_MS;
    for (let left = this.#long.length; left > 0 && performance.now() < end; left--) {
      const task = this.#long.shift();
      if (task) this.#slice(task);
    }
  }

  #slice(task: Task): void {
    sliceEnd = performance.now() + SLICE_MS;
    try {
      const answer = advance(task);
      this.#engine.keepCommand();
      if (!answer) {
        this.#long.push(task);
        return;
      }
      this.#settled.push(() => task.succeed(answer.value));
    } catch (error) {
      this.#engine.undoCommand();
      this.#settled.push(() => task.fail(error));
    }
    this.#failed.push(task.fail);
  }

  #commit(always = false): void {
    // Where nobody waits for it, what a long command has written so far can wait for its end.
    const nobodyWaits = this.#settled.length === 0 && this.#long.length > 0;
    if (nobodyWaits && !always && performance.now() - this.#lastCommit < LONGEST_TRANSACTION_MS) return;
    this.#lastCommit = performance.now();
    const settled = this.#settled;
    const failed = this.#failed;
    this.#settled = [];
    this.#failed = [];
    try {
      this.#engine.commit();
    } catch (error) {
      // What the long commands wrote in this turn is gone too: they can't go on as if it were there.
      for (const task of this.#long.splice(0)) failed.push(task.fail);
      for (const fail of failed) fail(error);
      return;
    }
    for (const settle of settled) settle();
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
