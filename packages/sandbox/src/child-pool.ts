import type { Logger } from '@chorus/runtime/log';
import { readBeforeGivingUp } from '@chorus/runtime/timing';
import { cpuTimeOf } from './process-usage.ts';
import { ChildGone, TaskChild, type TaskChildOptions } from './task-child.ts';
import { TurnQueue } from './turns.ts';

const IDLE_MS = 60_000;
const CPU_CHECK_MS = 100;

export interface PoolOptions {
  /** Describes a child in the log: "a reader of pages". */
  name: string;
  size: number;
  keep?: number;
  log?: Logger;
  child(): Promise<TaskChildOptions>;
}

export interface CpuBudget {
  readonly totalMs: number;
  leftMs: number;
}

export const cpuBudget = (totalMs: number): CpuBudget => ({ totalMs, leftMs: totalMs });

export interface RunOptions<Part> {
  owner: unknown;
  signal: AbortSignal;
  /** Counts from when a child starts the task. */
  timeoutMs: number;
  /** How long the task may stay silent. Default: `timeoutMs`. */
  silenceMs?: number;
  cpu?: CpuBudget;
  /** Runs the task in a fresh child. */
  fresh?: boolean;
  /** Receives intermediate results. If it throws, the task and the child end. */
  onPart?(part: Part): void;
}

export class TaskTimeout extends Error {
  override name = 'TaskTimeout';
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`no end after ${limitMs} ms`);
    this.limitMs = limitMs;
  }
}

export class CpuTimeout extends Error {
  override name = 'CpuTimeout';
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`more than ${limitMs} ms of CPU time`);
    this.limitMs = limitMs;
  }
}

export class PoolClosed extends Error {
  override name = 'PoolClosed';
  constructor() {
    super('the pool is closed');
  }
}

interface Waiting<Task, Answer, Part> {
  task: Task;
  options: RunOptions<Part>;
  leave(): void;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Runs tasks in children that are started on demand and kept warm.
 *
 * Owners take turns, one task each, so that a document of a thousand pages does not delay an image.
 */
export class ChildPool<Task extends object, Answer, Part = never> {
  readonly #options: PoolOptions;
  readonly #children = new Set<TaskChild<Task, Answer, Part>>();
  /** Idle children, each with its timer. The most recently used one is the last. */
  readonly #idle = new Map<TaskChild<Task, Answer, Part>, NodeJS.Timeout>();
  readonly #waiting = new TurnQueue<Waiting<Task, Answer, Part>>();
  #starting = 0;
  #working = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * @throws the child's error; {ChildGone}, {TaskTimeout}, {CpuTimeout}, {PoolClosed}; the signal's reason; any error
   * of `onPart`
   */
  run(task: Task, options: RunOptions<Part>): Promise<Answer> {
    const { owner, signal } = options;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new PoolClosed());
      if (signal.aborted) return reject(signal.reason);
      const leave = () => this.#waiting.remove(owner, waiting) && reject(signal.reason);
      const waiting: Waiting<Task, Answer, Part> = { task, options, resolve, reject, leave };
      this.#waiting.add(owner, waiting);
      signal.addEventListener('abort', leave, { once: true });
      this.#serve();
    });
  }

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
      if (next?.options.fresh && !idle.isFresh) {
        idle.kill();
        void this.#startFor(next);
      } else if (next) void this.#work(idle, next);
    }
  }

  #next(): Waiting<Task, Answer, Part> | null {
    const waiting = this.#waiting.next();
    waiting?.options.signal.removeEventListener('abort', waiting.leave);
    return waiting;
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    try {
      this.#rest(await this.#open());
    } catch (error) {
      this.#next()?.reject(error);
    } finally {
      this.#starting -= 1;
    }
    this.#serve();
  }

  async #startFor(waiting: Waiting<Task, Answer, Part>): Promise<void> {
    this.#working += 1;
    const child = await this.#open().catch(waiting.reject);
    this.#working -= 1;
    if (child) void this.#work(child, waiting);
    else this.#serve();
  }

  async #open(): Promise<TaskChild<Task, Answer, Part>> {
    const { name, log, child: optionsOf } = this.#options;
    try {
      const child = new TaskChild<Task, Answer, Part>(await optionsOf());
      this.#children.add(child);
      child.onGone = () => this.#children.delete(child);
      if (this.#closed) child.kill();
      await child.start();
      return child;
    } catch (error) {
      if (this.#closed) throw new PoolClosed();
      log?.error({ err: error }, `${name} could not be started`);
      throw new Error(`${name} could not be started`, { cause: error });
    }
  }

  async #work(
    child: TaskChild<Task, Answer, Part>,
    { task, options, resolve, reject }: Waiting<Task, Answer, Part>,
  ): Promise<void> {
    const { signal, timeoutMs, silenceMs = timeoutMs, cpu, onPart } = options;
    this.#working += 1;
    let stopReason: unknown = null;
    const stop = (reason: unknown) => {
      stopReason ??= reason;
      child.kill();
    };
    const abort = () => stop(signal.reason);
    const cancelTimeout = readBeforeGivingUp(timeoutMs, () => stop(new TaskTimeout(timeoutMs)));
    const watchSilence = () => readBeforeGivingUp(silenceMs, () => stop(new TaskTimeout(silenceMs)));
    let cancelSilence = watchSilence();
    const endCpu = cpu && watchCpu(child.pid, cpu, () => stop(new CpuTimeout(cpu.totalMs)));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const listen = (part: Part) => {
      cancelSilence();
      cancelSilence = watchSilence();
      try {
        onPart?.(part);
      } catch (error) {
        stop(error);
      }
    };
    try {
      resolve(await child.run(task, listen));
    } catch (error) {
      if (this.#closed) stopReason ??= new PoolClosed();
      if (error instanceof ChildGone && stopReason === null)
        this.#options.log?.warn(`${this.#options.name} ended during its task`);
      reject(stopReason ?? error);
    } finally {
      cancelTimeout();
      cancelSilence();
      endCpu?.();
      signal.removeEventListener('abort', abort);
      this.#working -= 1;
    }
    if (child.spent || this.#closed) child.kill();
    else this.#rest(child);
    this.#serve();
  }

  #rest(child: TaskChild<Task, Answer, Part>): void {
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

  /** Takes the most recently used child, so that surplus ones time out. */
  #takeIdle(): TaskChild<Task, Answer, Part> | null {
    const [child, timer] = [...this.#idle].at(-1) ?? [];
    if (child === undefined) return null;
    clearTimeout(timer);
    this.#idle.delete(child);
    return child;
  }
}

/** Charges the CPU time of a process to a budget. Calls `exceeded` when it is used up. Returns a stop function. */
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
