import { type ChildProcess, fork } from 'node:child_process';
import { ChorusError } from '@chorus/contract/errors';
import type { Logger } from '@chorus/runtime/log';
import { Turns } from '@chorus/runtime/turns';
import type { FromEngine, ToEngine } from './serve-engine.ts';

/** Longer than loading or any part of an answer takes on a slow machine. */
const PART_LIMIT_MS = 120_000;
const HEAP_MB = 256;

/** Whether a caller waits for it now. May change while queued. Urgent requests run first. */
export interface Urgency {
  now: boolean;
}

interface Task<Request, Part> {
  id: number;
  user: string;
  request: Request;
  urgency: Readonly<Urgency>;
  /** Whether a process already ended while running it. */
  retried: boolean;
  /** Whether a part was delivered, so that it cannot restart. */
  started: boolean;
  /** Whether the caller has left. */
  abandoned: boolean;
  part(part: Part): void;
  end(error: unknown): void;
}

export interface EngineLimits {
  /** Ends the idle process after this time, to free its memory. */
  idleMs: number;
  /** How many requests may wait. */
  maxWaiting: number;
}

export interface EngineOptions {
  signal: AbortSignal;
  /** Waiting users take turns. */
  user?: string | undefined;
  urgency: Readonly<Urgency>;
}

/**
 * Runs an embedded model in a child process. The process starts on first use, and restarts after it ends. Work in
 * progress is repeated once, unless part of it was delivered. It runs one request at a time, and users take turns.
 */
export class EngineProcess<Request, Part> {
  readonly #program: URL;
  readonly #arguments: readonly string[];
  readonly #limits: EngineLimits;
  readonly #log: Logger;
  readonly #waiting = new Turns<Task<Request, Part>>();
  #child: ChildProcess | null = null;
  #ready = false;
  /** Resolves when loading has succeeded or failed. */
  #loaded = Promise.withResolvers<void>();
  #running: Task<Request, Part> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #unusable: string | null = null;
  #closed = false;

  /** @param program A file that serves one engine: see `serve-engine.ts`. */
  constructor(program: URL, programArguments: readonly string[], limits: EngineLimits, log: Logger) {
    this.#program = program;
    this.#arguments = programArguments;
    this.#limits = limits;
    this.#log = log;
  }

  /** Loads the model ahead of the first request. */
  start(): void {
    if (this.#child !== null || this.#closed || this.#unusable !== null) return;
    this.#start();
    this.#idle();
  }

  /**
   * Yields the parts of the answer as they are produced. Leaving the iteration cancels the rest.
   *
   * @throws ChorusError `provider_error` if the process can't run, `overloaded` if too many requests
   * wait; the signal's reason
   */
  async *run(request: Request, { signal, urgency, user = '' }: EngineOptions): AsyncGenerator<Part, void, undefined> {
    signal.throwIfAborted();
    if (this.#closed) throw closed();
    if (this.#unusable !== null) throw unusable(this.#unusable);
    if (this.#waiting.size >= this.#limits.maxWaiting)
      throw new ChorusError('overloaded', 'Too many requests are waiting for this embedded model. Try again later.');
    const parts: Part[] = [];
    let ended = false;
    let error: unknown = null;
    let wake = () => {};
    this.#lastId += 1;
    const task: Task<Request, Part> = {
      id: this.#lastId,
      user,
      request,
      urgency,
      retried: false,
      started: false,
      abandoned: false,
      part(part) {
        task.started = true;
        parts.push(part);
        wake();
      },
      end(thrown) {
        ended = true;
        error = thrown;
        wake();
      },
    };
    const abort = () => task.end(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.add(task);
    this.#next();
    try {
      for (;;) {
        if (error !== null) throw error;
        const part = parts.shift();
        if (part !== undefined) yield part;
        else if (ended) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#abandon(task);
    }
  }

  get isLoaded(): boolean {
    return this.#ready;
  }

  /** Resolves when loading has succeeded or failed. `run` reports a failure. */
  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /** Ends the process. Running and waiting requests fail. */
  close(): void {
    this.#closed = true;
    this.#loaded.resolve();
    clearTimeout(this.#timer);
    this.#child?.kill('SIGKILL');
    for (const task of this.#waiting.clear()) task.end(closed());
  }

  /** The child's process id, or null while none runs. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  #abandon(task: Task<Request, Part>): void {
    task.abandoned = true;
    if (this.#running === task) this.#send({ type: 'stop', id: task.id });
    this.#waiting.remove(task);
  }

  #next(): void {
    if (this.#running !== null || this.#closed) return;
    const [urgent] = this.#waiting.next(1, ({ urgency }) => urgency.now);
    const task = urgent ?? this.#waiting.next(1)[0];
    if (task === undefined) {
      this.#idle();
      return;
    }
    this.#waiting.serve(task);
    this.#running = task;
    const used = this.#child ?? this.#start();
    used.ref();
    used.channel?.ref();
    this.#restartTimeLimit();
    if (this.#ready) this.#send({ type: 'run', id: task.id, request: task.request });
  }

  /** Lets this process exit, and ends the idle child after a while. */
  #idle(): void {
    const child = this.#child;
    clearTimeout(this.#timer);
    if (child === null) return;
    child.unref();
    child.channel?.unref();
    this.#timer = setTimeout(() => child.kill('SIGKILL'), this.#limits.idleMs).unref();
  }

  /** Restarts the time limit for the next part. */
  #restartTimeLimit(): void {
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#timer = setTimeout(() => child?.kill('SIGKILL'), PART_LIMIT_MS);
  }

  #send(message: ToEngine<Request>): void {
    if (this.#child?.connected) this.#child.send(message, () => {}); // its exit event follows
  }

  #start(): ChildProcess {
    const { NODE_COMPILE_CACHE } = process.env;
    const child = fork(this.#program, this.#arguments, {
      stdio: 'ignore',
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      env: { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
    });
    this.#child = child;
    this.#ready = false;
    child.on('message', (message: FromEngine<Part>) => {
      if (this.#child === child) this.#receive(message);
    });
    child.once('exit', () => this.#handleExit(child));
    child.once('error', () => this.#handleExit(child));
    return child;
  }

  #receive(message: FromEngine<Part>): void {
    const task = this.#running;
    if (message.type === 'ready') {
      this.#ready = true;
      this.#loaded.resolve();
      if (task !== null) this.#send({ type: 'run', id: task.id, request: task.request });
    } else if (message.type === 'unusable') {
      this.#unusable = message.reason;
      this.#loaded.resolve();
      this.#log.error({ reason: message.reason }, 'embedded model is unusable');
      for (const one of this.#waiting.clear()) one.end(unusable(message.reason));
    } else if (task === null || message.id !== task.id) return;
    else if (message.type === 'part') {
      this.#restartTimeLimit();
      if (!task.abandoned) task.part(message.part);
    } else {
      this.#running = null;
      task.end(null);
      this.#next();
    }
  }

  #handleExit(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = null;
    this.#ready = false;
    // Callers learn of the failure from their requests.
    this.#loaded.resolve();
    this.#loaded = Promise.withResolvers();
    if (this.#unusable !== null || this.#closed) this.#loaded.resolve();
    clearTimeout(this.#timer);
    const task = this.#running;
    this.#running = null;
    if (task !== null && !task.abandoned) {
      if (this.#closed) task.end(closed());
      else if (this.#unusable !== null) task.end(unusable(this.#unusable));
      else if (task.retried || task.started)
        task.end(new ChorusError('provider_error', 'The embedded model stopped unexpectedly'));
      else {
        this.#log.warn({}, 'embedded model stopped during a request, which is retried');
        task.retried = true;
        this.#waiting.putBack(task);
      }
    }
    this.#next();
  }
}

function closed(): ChorusError {
  return new ChorusError('provider_error', 'The embedded model is closed');
}

function unusable(reason: string): ChorusError {
  return new ChorusError('provider_error', `The embedded model can't be used: ${reason}`);
}
