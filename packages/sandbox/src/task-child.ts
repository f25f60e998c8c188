import type { ChildProcess } from 'node:child_process';
import { ChorusError } from '@chorus/contract';
import { type ChildOptions, startBoundedChild } from './bounded-child.ts';
import type { FromChild, ToChild, Used } from './task-protocol.ts';

/** How long it may take to load its libraries, in milliseconds: a machine that is very busy is slow. */
const START_MS = 60_000;

export interface TaskChildOptions extends ChildOptions {
  /** Path of what it runs, which calls `serveTasks`. */
  program: string;
  /** What it is told when it begins. */
  settings: unknown;
  /** A child that has used so much is followed by a fresh one. */
  retiredAfter: {
    tasks: number;
    /** Of computing, in milliseconds. */
    cpuMs: number;
    /** Of the memory that it may have, 0 to 1. */
    memoryShare: number;
  };
}

/** Why a task ended without an answer of its child. */
export class ChildGone extends Error {
  override name = 'ChildGone';
}

interface Pending<Answer, Told> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
  hear(told: Told): void;
}

/** A process that does one task after another. */
export class TaskChild<Task, Answer, Told> {
  readonly #options: TaskChildOptions;
  readonly #child: ChildProcess;
  readonly #ready = Promise.withResolvers<void>();
  #pending: Pending<Answer, Told> | null = null;
  #tasks = 0;
  #worn = false;
  #gone = false;
  /** Called once it has ended, for whatever reason. */
  onGone: () => void = () => {};

  constructor(options: TaskChildOptions) {
    this.#options = options;
    this.#child = startBoundedChild(options.program, options);
    this.#child.on('message', (message: FromChild) => this.#hear(message));
    this.#child.once('error', () => this.kill());
    this.#child.once('exit', () => this.kill());
    this.#ready.promise.catch(() => {}); // whoever waits is told
    this.#say({ type: 'settings', settings: options.settings });
  }

  /** Resolves when it can take tasks. @throws {ChildGone} where it ends, or is not ready in time */
  async start(): Promise<void> {
    const timer = setTimeout(() => this.kill(), START_MS);
    try {
      await this.#ready.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether it should take no more tasks: it has ended, or has used so much that a fresh one is better. */
  get spent(): boolean {
    return this.#gone || this.#worn;
  }

  /** One at a time. @param hear called for each thing that it tells in the middle @throws {ChorusError} as the child says; {ChildGone} where it ended over it */
  run(task: Task, hear: (told: Told) => void): Promise<Answer> {
    if (this.#gone) return Promise.reject(new ChildGone('the child has ended'));
    this.#tasks += 1;
    this.#child.ref();
    this.#child.channel?.ref();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject, hear };
      this.#say({ type: 'task', task });
    });
  }

  /** Ends it, and where it leads a group what it has started, at once. */
  kill(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#rest();
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(this.#options.ownGroup ? -pid : pid, 'SIGKILL');
    } catch {} // nobody is left
    const gone = new ChildGone('the child ended in the middle of it');
    this.#ready.reject(gone);
    this.#pending?.reject(gone);
    this.#pending = null;
    this.onGone();
  }

  /** While it waits for work the event loop does not wait for it. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #hear(message: FromChild): void {
    if (message.type === 'told') {
      this.#pending?.hear(message.told as Told);
      return;
    }
    this.#rest();
    if (message.type === 'ready') {
      this.#ready.resolve();
      return;
    }
    const pending = this.#pending;
    this.#pending = null;
    this.#worn = this.#isWorn(message);
    if (message.type === 'done') pending?.resolve(message.answer as Answer);
    else if (message.type === 'failed') pending?.reject(new ChorusError(message.code, message.message));
    else pending?.reject(new Error(`The child failed: ${message.stack}`));
  }

  #isWorn({ cpuMs, memoryBytes }: Used): boolean {
    const { retiredAfter, memoryBytes: allowed } = this.#options;
    return (
      this.#tasks >= retiredAfter.tasks ||
      cpuMs > retiredAfter.cpuMs ||
      memoryBytes > allowed * retiredAfter.memoryShare
    );
  }

  #say(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message, () => {}); // one that has just ended tells it by its exit
  }
}
