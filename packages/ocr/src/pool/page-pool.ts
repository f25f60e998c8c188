import type { Logger } from '@chorus/log';
import { ChildGone, PageChild, type PageChildOptions } from './page-child.ts';
import type { Task, TaskAnswers } from './protocol.ts';

/** How long a child stays without work, in milliseconds. */
const IDLE_MS = 60_000;

export interface RunOptions {
  /** Whose work it is: those who wait take turns. */
  owner: object;
  signal: AbortSignal;
  /** From when a child begins with it. */
  timeoutMs: number;
}

/** A task was ended since it took too long. */
export class TaskTimeout extends Error {
  override name = 'TaskTimeout';
}

/** Nothing is done any more. */
export class PoolClosed extends Error {
  override name = 'PoolClosed';
}

interface Waiting {
  task: Task;
  options: RunOptions;
  /** Leaves the queue when its signal aborts. */
  leave(): void;
  resolve(answer: never): void;
  reject(error: unknown): void;
}

/**
 * Children that are kept warm, no more of them than were asked for. Who waits is served in turns, one task each, so that a document of a
 * thousand pages does not hold up an image.
 */
export class PagePool {
  readonly #size: number;
  readonly #log: Logger;
  readonly #childOptions: () => Promise<PageChildOptions>;
  /** All that live. */
  readonly #children = new Set<PageChild>();
  readonly #idle: { child: PageChild; timer: NodeJS.Timeout }[] = [];
  /** By owner, in the order of their turns. */
  readonly #queues = new Map<object, Waiting[]>();
  /** Children that are on their way, and that work. */
  #starting = 0;
  #working = 0;
  #closed = false;

  constructor(size: number, log: Logger, childOptions: () => Promise<PageChildOptions>) {
    this.#size = size;
    this.#log = log;
    this.#childOptions = childOptions;
  }

  /** @throws what the child says; {ChildGone}, {TaskTimeout}, {PoolClosed}, the signal's reason */
  run<T extends Task>(task: T, options: RunOptions): Promise<TaskAnswers[T['type']]> {
    const { owner, signal } = options;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new PoolClosed('the pool is closed'));
      if (signal.aborted) return reject(signal.reason);
      const waiting: Waiting = { task, options, resolve, reject, leave: () => this.#leave(waiting) };
      const queue = this.#queues.get(owner) ?? [];
      queue.push(waiting);
      this.#queues.set(owner, queue);
      signal.addEventListener('abort', waiting.leave, { once: true });
      this.#serve();
    });
  }

  /** Ends all children. What they work on, and what waits, fails. */
  close(): void {
    this.#closed = true;
    for (const queue of this.#queues.values())
      for (const { reject } of queue) reject(new PoolClosed('the pool is closed'));
    this.#queues.clear();
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    for (const child of [...this.#children]) child.kill();
  }

  /** Processes of the children that are there now. */
  get pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => pid ?? []);
  }

  #leave(waiting: Waiting): void {
    const { owner, signal } = waiting.options;
    const queue = this.#queues.get(owner);
    const at = queue?.indexOf(waiting) ?? -1;
    if (at === -1) return;
    queue?.splice(at, 1);
    if (queue?.length === 0) this.#queues.delete(owner);
    waiting.reject(signal.reason);
  }

  #serve(): void {
    while (this.#queues.size > 0) {
      const idle = this.#idle.pop();
      if (idle) {
        clearTimeout(idle.timer);
        const next = this.#next();
        if (next) void this.#work(idle.child, next);
        continue;
      }
      if (this.#working + this.#starting >= this.#size || this.#starting >= this.#waitingCount) return;
      void this.#start();
    }
  }

  get #waitingCount(): number {
    let count = 0;
    for (const queue of this.#queues.values()) count += queue.length;
    return count;
  }

  /** The first task of whoever's turn it is, who then stands last. */
  #next(): Waiting | null {
    for (const [owner, queue] of this.#queues) {
      const waiting = queue.shift();
      this.#queues.delete(owner);
      if (queue.length > 0) this.#queues.set(owner, queue);
      if (waiting === undefined) continue;
      waiting.options.signal.removeEventListener('abort', waiting.leave);
      return waiting;
    }
    return null;
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    try {
      const child = new PageChild(await this.#childOptions());
      this.#children.add(child);
      child.onGone = () => this.#children.delete(child);
      if (this.#closed) child.kill();
      await child.start();
      this.#rest(child);
    } catch (error) {
      if (!this.#closed) this.#log.error({ err: error }, 'a reader of pages could not be started');
      this.#next()?.reject(new Error('a reader of pages could not be started', { cause: error }));
    } finally {
      this.#starting -= 1;
    }
    this.#serve();
  }

  async #work(child: PageChild, { task, options, resolve, reject }: Waiting): Promise<void> {
    const { signal, timeoutMs } = options;
    this.#working += 1;
    let why: unknown = null;
    const stop = (reason: unknown) => {
      why ??= reason;
      child.kill();
    };
    const abort = () => stop(signal.reason);
    const timer = setTimeout(() => stop(new TaskTimeout(`no end after ${timeoutMs} ms`)), timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    try {
      resolve((await child.run(task)) as never);
    } catch (error) {
      if (this.#closed) why ??= new PoolClosed('the pool is closed');
      if (error instanceof ChildGone && why === null)
        this.#log.warn({ task: task.type }, 'a reader of pages ended over its task');
      reject(why ?? error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#working -= 1;
    }
    if (child.spent) child.kill();
    else this.#rest(child);
    this.#serve();
  }

  /** It waits for work, for a while. */
  #rest(child: PageChild): void {
    const leave = () => {
      const at = this.#idle.findIndex((entry) => entry.child === child);
      if (at !== -1) clearTimeout(this.#idle.splice(at, 1)[0]?.timer);
    };
    const timer = setTimeout(() => child.kill(), IDLE_MS);
    timer.unref();
    child.onGone = () => {
      leave();
      this.#children.delete(child);
    };
    this.#idle.push({ child, timer });
  }
}
