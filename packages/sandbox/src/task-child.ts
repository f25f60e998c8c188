import { ChorusError, ERRORS, type ErrorCode } from '@chorus/contract/errors';
import { readBeforeGivingUp } from '@chorus/runtime/timing';
import { z } from 'zod';
import { type BoundedChild, type ChildOptions, reservedBytes, startBoundedChild } from './bounded-child.ts';
import type { Ending, ToChild, Used } from './child/serve-tasks.ts';
import { dataBytesOf } from './process-usage.ts';

/** Loading libraries takes long on a busy machine. */
const START_MS = 60_000;

export interface TaskChildOptions extends ChildOptions {
  program: string;
  settings: unknown;
  retiredAfter: {
    tasks: number;
    cpuMs: number;
    memoryShare: number;
  };
}

export class ChildGone extends Error {
  override name = 'ChildGone';
}

/** Whether earlier tasks may have left the child without memory. */
export class OutOfMemory extends ChildGone {
  override name = 'OutOfMemory';
}

/** Validates usage reports, because a compromised child can send anything. */
const used = { cpuMs: z.number(), memoryBytes: z.number() };
const fromChild = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), ...used }),
  z.object({ type: z.literal('part'), part: z.unknown() }),
  z.object({ type: z.literal('done'), answer: z.unknown(), ...used }),
  z.object({
    type: z.literal('failed'),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode]),
    message: z.string(),
    ...used,
  }),
  z.object({ type: z.literal('out-of-memory'), ...used }),
  z.object({ type: z.literal('broken'), stack: z.string(), ...used }),
]);

interface Pending<Answer, Part> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
  onPart(part: Part): void;
}

export class TaskChild<Task, Answer, Part> {
  readonly #options: TaskChildOptions;
  readonly #child: BoundedChild;
  readonly #ready = Promise.withResolvers<void>();
  #isReady = false;
  #pending: Pending<Answer, Part> | null = null;
  #tasks = 0;
  #worn = false;
  #gone = false;
  onGone: () => void = () => {};

  constructor(options: TaskChildOptions) {
    this.#options = options;
    this.#child = startBoundedChild(options.program, options);
    this.#child.messages.on('message', (message) => this.#receive(message));
    this.#child.messages.once('close', () => this.kill());
    this.#child.once('error', () => this.kill());
    this.#child.once('exit', () => this.kill());
    this.#ready.promise.catch(() => {}); // start() reports it
    this.#send({ type: 'settings', settings: options.settings });
  }

  /** Resolves when the child is ready for tasks. @throws {ChildGone} */
  async start(): Promise<void> {
    const cancel = readBeforeGivingUp(START_MS, () => this.kill());
    await this.#ready.promise.finally(cancel);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isFresh(): boolean {
    return this.#tasks === 0;
  }

  /** Whether the child takes no more tasks, because it has ended or should be replaced. */
  get spent(): boolean {
    return this.#gone || this.#worn;
  }

  /** Runs one task at a time. @throws {ChorusError} the child's error; {ChildGone} */
  run(task: Task, onPart: (part: Part) => void): Promise<Answer> {
    if (this.#gone) return Promise.reject(new ChildGone('the child has ended'));
    this.#tasks += 1;
    this.#child.ref();
    this.#child.messages.ref();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject, onPart };
      this.#send({ type: 'task', task });
    });
  }

  kill(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#rest();
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(this.#options.ownGroup ? -pid : pid, 'SIGKILL');
    } catch {}
    const gone = new ChildGone('the child ended during its task');
    this.#ready.reject(gone);
    this.#pending?.reject(gone);
    this.#pending = null;
    this.onGone();
  }

  /** Lets our process end while the child is idle. */
  #rest(): void {
    this.#child.unref();
    this.#child.messages.unref();
  }

  #receive(received: object): void {
    const { data: message } = fromChild.safeParse(received);
    const pending = this.#pending;
    // An unexpected message means that the child may be compromised.
    const isExpected = message?.type === 'ready' ? !this.#isReady : pending !== null;
    if (message === undefined || !isExpected) this.kill();
    else if (message.type === 'part') pending?.onPart(message.part as Part);
    else {
      this.#pending = null;
      this.#rest();
      this.#end(message, pending);
    }
  }

  #end(message: Ending & Used, pending: Pending<Answer, Part> | null): void {
    if (message.type === 'ready') {
      this.#isReady = true;
      this.#ready.resolve();
      return;
    }
    this.#worn = message.type === 'out-of-memory' || this.#isWorn(message);
    if (message.type === 'done') pending?.resolve(message.answer as Answer);
    else if (message.type === 'failed') pending?.reject(new ChorusError(message.code, message.message));
    else if (message.type === 'out-of-memory') pending?.reject(new OutOfMemory('the child ran out of memory'));
    else pending?.reject(new Error(`The child failed: ${message.stack}`));
  }

  #isWorn({ cpuMs, memoryBytes }: Used): boolean {
    const { retiredAfter, memoryBytes: allowed } = this.#options;
    const data = this.pid === undefined ? null : dataBytesOf(this.pid);
    const held = Math.max(memoryBytes, data === null ? 0 : data - reservedBytes(this.#options));
    return this.#tasks >= retiredAfter.tasks || cpuMs > retiredAfter.cpuMs || held > allowed * retiredAfter.memoryShare;
  }

  #send(message: ToChild): void {
    this.#child.messages.send(message);
  }
}
