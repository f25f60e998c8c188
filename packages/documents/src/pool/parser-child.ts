import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ChorusError } from '@chorus/contract';
import { startBoundedChild } from '@chorus/media';
import type { FromChild, ParseEnd, ParseTask, Used } from './protocol.ts';

const PROGRAM = fileURLToPath(new URL('../parser-main.ts', import.meta.url));

/** Of computing in all the life of a child, in seconds: what runs on natively is ended even when nobody is left to end it. */
const CPU_S = 1_800;
/** How long it may take to load, in milliseconds: a machine that is very busy is slow. */
const START_MS = 60_000;
/** A child that has used so much is followed by a fresh one. */
const RETIRED_AFTER = { tasks: 200, cpuMs: 900_000, memoryShare: 0.5 };

type Told = Extract<FromChild, { type: 'blocks' }>;

/** Why a task ended without an answer of its child. */
export class ChildGone extends Error {
  override name = 'ChildGone';
}

/** A process that reads one file after another. */
export class ParserChild {
  readonly #child: ChildProcess;
  readonly #memoryBytes: number;
  readonly #ready = Promise.withResolvers<void>();
  #pending: { resolve(end: ParseEnd): void; reject(error: unknown): void; hear(told: Told): void } | null = null;
  #tasks = 0;
  #worn = false;
  #gone = false;
  /** Called once it has ended, for whatever reason. */
  onGone: () => void = () => {};

  constructor(memoryBytes: number) {
    this.#memoryBytes = memoryBytes;
    this.#child = startBoundedChild(PROGRAM, { memoryBytes, cpuS: CPU_S });
    this.#child.on('message', (message: FromChild) => this.#hear(message));
    this.#child.once('error', () => this.kill());
    this.#child.once('exit', () => this.kill());
    this.#ready.promise.catch(() => {}); // whoever waits is told
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

  /** One at a time. `hear` is called for each piece of what the file says. @throws ChorusError as the child says; {ChildGone} where it ended over it */
  run(task: ParseTask, hear: (told: Told) => void): Promise<ParseEnd> {
    if (this.#gone) return Promise.reject(new ChildGone('the child has ended'));
    this.#tasks += 1;
    this.#child.ref();
    this.#child.channel?.ref();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject, hear };
      this.#child.send(task, () => {}); // one that has just ended tells it by its exit
    });
  }

  /** Ends it at once. */
  kill(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#rest();
    this.#child.kill('SIGKILL');
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
    if (message.type === 'blocks') {
      this.#pending?.hear(message);
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
    if (message.type === 'done') pending?.resolve(message);
    else if (message.type === 'failed') pending?.reject(new ChorusError(message.code, message.message));
    else pending?.reject(new Error(`The reader of documents failed: ${message.stack}`));
  }

  #isWorn({ cpuMs, memoryBytes }: Used): boolean {
    const { tasks, memoryShare } = RETIRED_AFTER;
    return this.#tasks >= tasks || cpuMs > RETIRED_AFTER.cpuMs || memoryBytes > this.#memoryBytes * memoryShare;
  }
}
