import type { Logger } from '@chorus/log';
import { ChildGone, ParserChild } from './parser-child.ts';
import type { FromChild, ParseEnd, ParseTask } from './protocol.ts';

/** How long a child stays without work, in milliseconds. */
const IDLE_MS = 60_000;

export interface RunOptions {
  signal: AbortSignal;
  /** What the file says, piece by piece. What it throws ends the task. */
  hear(told: Extract<FromChild, { type: 'blocks' }>): void;
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

/** Nothing is done any more. */
class PoolClosed extends Error {
  override name = 'PoolClosed';
}

/** Children that are kept warm, no more of them than were asked for; whoever comes first is served first. */
export class ParserPool {
  readonly #size: number;
  readonly #memoryBytes: number;
  readonly #log: Logger;
  readonly #children = new Set<ParserChild>();
  readonly #idle: { child: ParserChild; timer: NodeJS.Timeout }[] = [];
  readonly #waiting = new Set<PromiseWithResolvers<void>>();
  #busy = 0;
  #closed = false;

  constructor(size: number, memoryBytes: number, log: Logger) {
    this.#size = size;
    this.#memoryBytes = memoryBytes;
    this.#log = log;
  }

  /** Processes of the children that are there now. */
  get pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => pid ?? []);
  }

  /** @throws what the child says; {ChildGone}, {TaskTimeout}, the signal's reason, what `hear` throws */
  async run(task: ParseTask, options: RunOptions): Promise<ParseEnd> {
    await this.#place(options.signal);
    try {
      return await this.#work(await this.#child(), task, options);
    } finally {
      this.#handOn();
    }
  }

  /** Ends all children. What they work on, and what waits, fails. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting) reject(new PoolClosed('the pool is closed'));
    this.#waiting.clear();
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    for (const child of [...this.#children]) child.kill();
  }

  /** Waits until fewer children work than there may be. */
  async #place(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed) throw new PoolClosed('the pool is closed');
    if (this.#busy < this.#size) {
      this.#busy += 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const leave = () => this.#waiting.delete(turn) && turn.reject(signal.reason);
    this.#waiting.add(turn);
    signal.addEventListener('abort', leave, { once: true });
    await turn.promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** The place goes to whoever waits. */
  #handOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#busy -= 1;
      return;
    }
    this.#waiting.delete(next);
    next.resolve();
  }

  async #child(): Promise<ParserChild> {
    const idle = this.#idle.pop();
    if (idle) {
      clearTimeout(idle.timer);
      return idle.child;
    }
    const child = new ParserChild(this.#memoryBytes);
    this.#children.add(child);
    child.onGone = () => this.#children.delete(child);
    try {
      await child.start();
      return child;
    } catch (error) {
      if (!this.#closed) this.#log.error({ err: error }, 'a reader of documents could not be started');
      throw new Error('a reader of documents could not be started', { cause: error });
    }
  }

  async #work(child: ParserChild, task: ParseTask, { signal, hear }: RunOptions): Promise<ParseEnd> {
    const { parseMs, silenceMs } = task.limits;
    let why: unknown = null;
    const stop = (reason: unknown) => {
      why ??= reason;
      child.kill();
    };
    const abort = () => stop(signal.reason);
    const end = setTimeout(() => stop(new TaskTimeout(parseMs)), parseMs);
    const silence = setTimeout(() => stop(new TaskTimeout(silenceMs)), silenceMs);
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      return await child.run(task, (told) => {
        silence.refresh();
        try {
          hear(told);
        } catch (error) {
          stop(error);
        }
      });
    } catch (error) {
      if (this.#closed) why ??= new PoolClosed('the pool is closed');
      if (error instanceof ChildGone && why === null)
        this.#log.warn({ format: task.format }, 'a reader of documents ended over its file');
      throw why ?? error;
    } finally {
      clearTimeout(end);
      clearTimeout(silence);
      signal.removeEventListener('abort', abort);
      if (child.spent || this.#closed) child.kill();
      else this.#rest(child);
    }
  }

  /** It waits for work, for a while. */
  #rest(child: ParserChild): void {
    const timer = setTimeout(() => child.kill(), IDLE_MS);
    timer.unref();
    child.onGone = () => {
      clearTimeout(timer);
      const at = this.#idle.findIndex((entry) => entry.child === child);
      if (at !== -1) this.#idle.splice(at, 1);
      this.#children.delete(child);
    };
    this.#idle.push({ child, timer });
  }
}
