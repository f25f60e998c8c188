import type { Logger } from '@chorus/log';
import { cpuTimeOf } from './cpu-time.ts';
import { ChildGone, TaskChild, type TaskChildOptions } from './task-child.ts';
import { TurnQueue } from './turn-queue.ts';

/** How long a child stays without work. */
const IDLE_MS = 60_000;

/** How often the CPU time of a task is looked at. */
const CPU_CHECK_MS = 100;

export interface PoolOptions {
  /** What a child is, in the log: "a reader of pages". */
  name: string;
  /** Children at once. */
  size: number;
  /** Idle children that are kept however long nothing comes. */
  keep?: number;
  /** Absent: what fails is told to the caller alone. */
  log?: Logger;
  /** How one is started; asked for each. */
  child(): Promise<TaskChildOptions>;
}

/** CPU time that is left for one task, or several. */
export interface CpuBudget {
  /** All that there was. */
  readonly totalMs: number;
  leftMs: number;
}

export const cpuBudget = (totalMs: number): CpuBudget => ({ totalMs, leftMs: totalMs });

export interface RunOptions<Told> {
  /** Whose work it is: owners take turns. */
  owner: unknown;
  signal: AbortSignal;
  /** A task may take so long, from when a child begins with it, in milliseconds. */
  timeoutMs: number;
  /** It may be silent for so long, in milliseconds; absent: all the time that it has. */
  silenceMs?: number;
  /** CPU time that the task may use, and perhaps others with it; it holds where the system tells CPU times. */
  cpu?: CpuBudget;
  /** What the child tells in the middle. What it throws ends the task, and the child. */
  hear?(told: Told): void;
}

/** A task was ended since it took too long. */
export class TaskTimeout extends Error {
  override name = 'TaskTimeout';
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`no end after ${limitMs} ms`);
    this.limitMs = limitMs;
  }
}

/** A task was ended since it computed too long. */
export class CpuTimeout extends Error {
  override name = 'CpuTimeout';
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`more than ${limitMs} ms of CPU time`);
    this.limitMs = limitMs;
  }
}

/** Nothing is done any more. */
class PoolClosed extends Error {
  override name = 'PoolClosed';
  constructor() {
    super('the pool is closed');
  }
}

interface Waiting<Task, Answer, Told> {
  task: Task;
  options: RunOptions<Told>;
  /** Leaves the queue when its signal aborts. */
  leave(): void;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Children that are started when they are needed and kept warm, no more of them than were asked for. Who waits is served in turns, one task each, so that a document of a
 * thousand pages does not hold up an image.
 */
export class ChildPool<Task extends object, Answer, Told = never> {
  readonly #options: PoolOptions;
  /** All that live. */
  readonly #children = new Set<TaskChild<Task, Answer, Told>>();
  /** With what ends it when it has waited long, the last one that worked last. */
  readonly #idle = new Map<TaskChild<Task, Answer, Told>, NodeJS.Timeout>();
  readonly #waiting = new TurnQueue<Waiting<Task, Answer, Told>>();
  /** Children that are on their way, and that work. */
  #starting = 0;
  #working = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Processes of the children that are there now. */
  get pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => pid ?? []);
  }

  /** @throws what the child says; {ChildGone}, {TaskTimeout}, {CpuTimeout}, {PoolClosed}, the signal's reason, what `hear` throws */
  run(task: Task, options: RunOptions<Told>): Promise<Answer> {
    const { owner, signal } = options;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new PoolClosed());
      if (signal.aborted) return reject(signal.reason);
      const leave = () => this.#waiting.remove(owner, waiting) && reject(signal.reason);
      const waiting: Waiting<Task, Answer, Told> = { task, options, resolve, reject, leave };
      this.#waiting.add(owner, waiting);
      signal.addEventListener('abort', leave, { once: true });
      this.#serve();
    });
  }

  /** Ends all children. What they work on, and what waits, fails. */
  close(): void {
    this.#closed = true;
    for (let next = this.#next(); next !== null; next = this.#next()) next.reject(new PoolClosed());
    for (const child of [...this.#children]) child.kill();
  }

  #serve(): void {
    while (this.#waiting.size > 0) {
      const idle = this.#takeIdle();
      if (idle === null) {
        const { size } = this.#options;
        if (this.#working + this.#starting >= size || this.#starting >= this.#waiting.size) return;
        void this.#start();
        continue;
      }
      const next = this.#next();
      if (next) void this.#work(idle, next);
    }
  }

  #next(): Waiting<Task, Answer, Told> | null {
    const waiting = this.#waiting.next();
    waiting?.options.signal.removeEventListener('abort', waiting.leave);
    return waiting;
  }

  async #start(): Promise<void> {
    const { name, log, child: optionsOf } = this.#options;
    this.#starting += 1;
    try {
      const child = new TaskChild<Task, Answer, Told>(await optionsOf());
      this.#children.add(child);
      child.onGone = () => this.#children.delete(child);
      if (this.#closed) child.kill();
      await child.start();
      this.#rest(child);
    } catch (error) {
      if (!this.#closed) log?.error({ err: error }, `${name} could not be started`);
      this.#next()?.reject(new Error(`${name} could not be started`, { cause: error }));
    } finally {
      this.#starting -= 1;
    }
    this.#serve();
  }

  async #work(
    child: TaskChild<Task, Answer, Told>,
    { task, options, resolve, reject }: Waiting<Task, Answer, Told>,
  ): Promise<void> {
    const { signal, timeoutMs, silenceMs = timeoutMs, cpu, hear } = options;
    this.#working += 1;
    let why: unknown = null;
    const stop = (reason: unknown) => {
      why ??= reason;
      child.kill();
    };
    const abort = () => stop(signal.reason);
    const end = setTimeout(() => stop(new TaskTimeout(timeoutMs)), timeoutMs);
    const silence = setTimeout(() => stop(new TaskTimeout(silenceMs)), silenceMs);
    const endCpu = cpu && watchCpu(child.pid, cpu, () => stop(new CpuTimeout(cpu.totalMs)));
    signal.addEventListener('abort', abort, { once: true });
    const listen = (told: Told) => {
      silence.refresh();
      try {
        hear?.(told);
      } catch (error) {
        stop(error);
      }
    };
    try {
      resolve(await child.run(task, listen));
    } catch (error) {
      if (this.#closed) why ??= new PoolClosed();
      if (error instanceof ChildGone && why === null)
        this.#options.log?.warn(`${this.#options.name} ended over its task`);
      reject(why ?? error);
    } finally {
      clearTimeout(end);
      clearTimeout(silence);
      endCpu?.();
      signal.removeEventListener('abort', abort);
      this.#working -= 1;
    }
    if (child.spent || this.#closed) child.kill();
    else this.#rest(child);
    this.#serve();
  }

  /** It waits for work, for a while. */
  #rest(child: TaskChild<Task, Answer, Told>): void {
    const { keep = 0 } = this.#options;
    const timer = setTimeout(() => (this.#idle.size > keep ? child.kill() : timer.refresh()), IDLE_MS);
    timer.unref();
    child.onGone = () => {
      clearTimeout(timer);
      this.#idle.delete(child);
      this.#children.delete(child);
    };
    this.#idle.set(child, timer);
  }

  /** The one that worked last, so that those that are too many end. */
  #takeIdle(): TaskChild<Task, Answer, Told> | null {
    const [child, timer] = [...this.#idle].at(-1) ?? [];
    if (child === undefined) return null;
    clearTimeout(timer);
    this.#idle.delete(child);
    return child;
  }
}

/** Takes what a process computes from now on off a budget, and calls `exceeded` once nothing is left. @returns what ends that */
function watchCpu(pid: number | undefined, budget: CpuBudget, exceeded: () => void): () => void {
  let seenMs = pid === undefined ? null : cpuTimeOf(pid);
  const look = () => {
    const nowMs = pid === undefined ? null : cpuTimeOf(pid);
    if (nowMs !== null) {
      budget.leftMs -= nowMs - (seenMs ?? nowMs);
      seenMs = nowMs;
    }
    if (budget.leftMs <= 0) exceeded();
  };
  const timer = setInterval(look, CPU_CHECK_MS);
  return () => {
    clearInterval(timer);
    look();
  };
}
