import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ChorusError } from '@chorus/contract';
import type { FromRenderer, RenderTask, RenderTasks, ToRenderer } from './render-protocol.ts';

/** More threads than this make nothing faster that one worker process has to do. */
const MAX_THREADS = 8;

/** A thread that has had nothing to do for so long is ended, in milliseconds: its memory goes with it. */
const IDLE_MS = 120_000;

/** So many pixels are drawn at once, whatever the number of threads: each takes some 16 bytes. A larger picture is drawn alone. */
const MAX_PIXELS = 24_000_000;

interface Job {
  message: ToRenderer;
  pixels: number;
  signal: AbortSignal;
  resolve(gives: never): void;
  reject(reason: unknown): void;
}

interface Thread {
  worker: Worker;
  job: Job | null;
  idle: NodeJS.Timeout | undefined;
}

/** Threads that draw, as many as there are processors, started when they are needed. What is asked for first is drawn first. */
export class RenderPool {
  readonly #program: URL;
  readonly #most: number;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #pixels = 0;

  constructor(program: URL, most = Math.min(MAX_THREADS, availableParallelism())) {
    this.#program = program;
    this.#most = most;
  }

  /** How many can be drawn at once. */
  get threads(): number {
    return this.#most;
  }

  /**
   * @param pixels of what is drawn
   * @throws ChorusError `invalid_request` where it can't be done, `provider_error`; the signal's reason at once, whatever the thread still does
   */
  run<T extends RenderTask>(
    task: T,
    ask: RenderTasks[T]['ask'],
    pixels: number,
    signal: AbortSignal,
  ): Promise<RenderTasks[T]['gives']> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = () => signal.removeEventListener('abort', abort);
      const job: Job = {
        message: { task, ask } as ToRenderer,
        pixels,
        signal,
        resolve: (gives) => {
          end();
          resolve(gives);
        },
        reject: (reason) => {
          end();
          reject(reason);
        },
      };
      const abort = () => {
        const at = this.#waiting.indexOf(job);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.push(job);
      this.#next();
    });
  }

  /** Ends all threads; what they draw fails. */
  close(): void {
    for (const { worker } of this.#threads) void worker.terminate();
  }

  #next(): void {
    const [job] = this.#waiting;
    if (job === undefined || (this.#pixels > 0 && this.#pixels + job.pixels > MAX_PIXELS)) return;
    const thread = [...this.#threads].find((one) => one.job === null) ?? this.#start();
    if (thread === null) return;
    this.#waiting.shift();
    this.#pixels += job.pixels;
    clearTimeout(thread.idle);
    thread.job = job;
    thread.worker.ref();
    thread.worker.postMessage(job.message);
    this.#next();
  }

  #start(): Thread | null {
    if (this.#threads.size >= this.#most) return null;
    const worker = new Worker(this.#program, { name: 'canvas' });
    worker.unref();
    const thread: Thread = { worker, job: null, idle: undefined };
    this.#threads.add(thread);
    worker.on('message', (message: FromRenderer) => {
      const job = this.#free(thread);
      worker.unref();
      thread.idle = setTimeout(() => void worker.terminate(), IDLE_MS).unref();
      if ('gives' in message) job?.resolve(message.gives as never);
      else job?.reject(new ChorusError(message.refused ? 'invalid_request' : 'provider_error', message.failed));
      this.#next();
    });
    const gone = () => {
      clearTimeout(thread.idle);
      this.#threads.delete(thread);
      this.#free(thread)?.reject(new ChorusError('provider_error', 'The drawing ended in the middle of it'));
      this.#next();
    };
    worker.once('exit', gone);
    worker.once('error', () => {}); // its exit follows
    return thread;
  }

  #free(thread: Thread): Job | null {
    const { job } = thread;
    thread.job = null;
    this.#pixels -= job?.pixels ?? 0;
    return job;
  }
}
