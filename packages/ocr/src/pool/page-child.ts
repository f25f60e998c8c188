import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ChorusError } from '@chorus/contract';
import { startBoundedChild } from '@chorus/media';
import type { ChildSettings, FromChild, Task, TaskAnswers, ToChild } from './protocol.ts';

const PROGRAM = fileURLToPath(new URL('../page-reader-main.ts', import.meta.url));

/** Of computing in all the life of a child, in seconds: what runs on natively is ended even when nobody is left to end it. */
const CPU_S = 1_200;
/** How long it may take to load its libraries, in milliseconds: a machine that is very busy is slow. */
const START_MS = 60_000;
/** A child that has used so much is followed by a fresh one. */
const RETIRED_AFTER = { tasks: 500, cpuMs: 600_000, memoryShare: 0.6 };

export interface PageChildOptions {
  settings: ChildSettings;
  memoryBytes: number;
  env: Record<string, string>;
}

/** Why a task ended without an answer of its child. */
export class ChildGone extends Error {
  override name = 'ChildGone';
}

/** A process that does one task after another. What it starts belongs to its process group, and ends with it. */
export class PageChild {
  readonly #child: ChildProcess;
  readonly #memoryBytes: number;
  readonly #ready = Promise.withResolvers<void>();
  #pending: { resolve(answer: never): void; reject(error: unknown): void } | null = null;
  #tasks = 0;
  #worn = false;
  #gone = false;
  /** Called once it has ended, for whatever reason. */
  onGone: () => void = () => {};

  constructor({ settings, memoryBytes, env }: PageChildOptions) {
    this.#memoryBytes = memoryBytes;
    this.#child = startBoundedChild(PROGRAM, { memoryBytes, cpuS: CPU_S, env, ownGroup: true });
    this.#child.on('message', (message: FromChild) => this.#hear(message));
    this.#child.once('error', () => this.#end());
    this.#child.once('exit', () => this.#end());
    this.#ready.promise.catch(() => {}); // whoever waits is told
    this.#say({ type: 'settings', settings });
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

  /** One at a time. @throws ChorusError as the child says; {ChildGone} where it ended over it */
  run<T extends Task>(task: T): Promise<TaskAnswers[T['type']]> {
    if (this.#gone) return Promise.reject(new ChildGone('the child has ended'));
    this.#tasks += 1;
    this.#child.ref();
    this.#child.channel?.ref();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#say({ type: 'task', task });
    });
  }

  /** Ends it, and what it has started, at once. */
  kill(): void {
    this.#end();
  }

  /** While it waits for work the event loop does not wait for it. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #hear(message: FromChild): void {
    this.#rest();
    if (message.type === 'ready') {
      this.#ready.resolve();
      return;
    }
    const pending = this.#pending;
    this.#pending = null;
    const { tasks, cpuMs, memoryShare } = RETIRED_AFTER;
    this.#worn = this.#tasks >= tasks || message.cpuMs > cpuMs || message.memoryBytes > this.#memoryBytes * memoryShare;
    if (message.type === 'done') pending?.resolve(message.answer as never);
    else if (message.type === 'failed') pending?.reject(new ChorusError(message.code, message.message));
    else pending?.reject(new Error(`The reader of pages failed: ${message.stack}`));
  }

  #end(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#rest();
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {} // nobody is left
    const gone = new ChildGone('the child ended in the middle of it');
    this.#ready.reject(gone);
    this.#pending?.reject(gone);
    this.#pending = null;
    this.onGone();
  }

  #say(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message, () => {}); // one that has just ended tells it by its exit
  }
}
