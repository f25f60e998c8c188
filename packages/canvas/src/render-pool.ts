import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { CanvasError } from './canvas-error.ts';
import type { Moment, PictureSpec } from './picture.ts';

export interface InputImage {
  bytes: Uint8Array;
}

/** Requests to a rendering thread, and its answers. */
export interface RenderTasks {
  /** A PNG; the colors of `references` replace the palette. */
  picture: { request: { spec: PictureSpec; moment?: Moment; references: readonly InputImage[] }; result: Uint8Array };
  /** A video frame: planes of Y, U and V (I420). */
  frame: { request: { spec: PictureSpec; moment: Moment }; result: Uint8Array };
  palette: { request: { images: readonly InputImage[] }; result: string[] };
  backdrop: { request: { image: InputImage; width: number; height: number }; result: string };
}
export type RenderTask = keyof RenderTasks;

export type ToRenderer = { [T in RenderTask]: { task: T; request: RenderTasks[T]['request'] } }[RenderTask];

/** `refused` means that the request can't be drawn. */
export type FromRenderer = { result: RenderTasks[RenderTask]['result'] } | { failed: string; refused: boolean };

const MAX_THREADS = 8;

/** Idle threads end after this time, to free their memory. */
const IDLE_MS = 120_000;

/** Limit of pixels drawn at the same time, at 16 bytes each. A larger picture is drawn alone. */
const MAX_PIXELS = 24_000_000;

interface Job {
  message: ToRenderer;
  pixels: number;
  signal: AbortSignal;
  resolve(result: never): void;
  reject(reason: unknown): void;
}

interface Thread {
  worker: Worker;
  job: Job | null;
  idle: NodeJS.Timeout | undefined;
}

/** A pool of drawing threads, one per processor, started on demand. First come, first served. */
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

  get threads(): number {
    return this.#most;
  }

  /**
   * @param pixels the size of the drawing
   * @throws CanvasError `invalid_request` if it can't be drawn, `render_failed`; the signal's reason
   */
  run<T extends RenderTask>(
    task: T,
    request: RenderTasks[T]['request'],
    pixels: number,
    signal: AbortSignal,
  ): Promise<RenderTasks[T]['result']> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = () => signal.removeEventListener('abort', abort);
      const job: Job = {
        message: { task, request } as ToRenderer,
        pixels,
        signal,
        resolve: (result) => {
          end();
          resolve(result);
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
      if ('result' in message) job?.resolve(message.result as never);
      else job?.reject(new CanvasError(message.refused ? 'invalid_request' : 'render_failed', message.failed));
      this.#next();
    });
    const gone = () => {
      clearTimeout(thread.idle);
      this.#threads.delete(thread);
      this.#free(thread)?.reject(new CanvasError('render_failed', 'The drawing thread stopped unexpectedly'));
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
