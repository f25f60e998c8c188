import { type ChildProcess, fork } from 'node:child_process';
import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import { Turns } from '../../turns.ts';
import type { FromEngine, ToEngine } from './engine-protocol.ts';

/** Longer than loading, or any part of an answer, takes on a slow machine, in milliseconds. */
const PART_LIMIT_MS = 120_000;
/** JavaScript's own part of its memory, in MB. */
const HEAP_MB = 256;

/** Whether somebody waits for it now, which may change while it waits: it comes before all that is not. */
export interface Urgency {
  now: boolean;
}

interface Task<Request, Part> {
  id: number;
  user: string;
  request: Request;
  urgency: Readonly<Urgency>;
  /** A process ended over it once. */
  tried: boolean;
  /** Something of the answer was given on: it can't begin anew. */
  begun: boolean;
  /** Whoever asked has gone. */
  left: boolean;
  part(part: Part): void;
  end(error: unknown): void;
}

export interface EngineLimits {
  /** With nothing to do for so long the process is ended, in milliseconds: its memory goes with it. */
  idleMs: number;
  /** Requests that may wait: beyond these nobody would still want the answer. */
  mostWaiting: number;
}

export interface EngineOptions {
  signal: AbortSignal;
  /** Whose request it is: users who wait take turns. */
  user?: string | undefined;
  urgency: Readonly<Urgency>;
}

/**
 * An embedded model in a process of its own, which holds up nobody here. It is started when it is first asked, and anew when it has ended; what it was
 * computing then is done again, once, unless some of it was given on. One request at a time; users take turns.
 */
export class EngineProcess<Request, Part> {
  readonly #program: URL;
  readonly #arguments: readonly string[];
  readonly #limits: EngineLimits;
  readonly #log: Logger;
  readonly #waiting = new Turns<Task<Request, Part>>();
  #child: ChildProcess | null = null;
  #ready = false;
  /** Resolves when it is loaded, or will not be. */
  #loaded = Promise.withResolvers<void>();
  #running: Task<Request, Part> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #unusable: string | null = null;
  #closed = false;

  /** @param program a file that serves one engine; see `serve-engine.ts` */
  constructor(program: URL, programArguments: readonly string[], limits: EngineLimits, log: Logger) {
    this.#program = program;
    this.#arguments = programArguments;
    this.#limits = limits;
    this.#log = log;
  }

  /** Loads it, so that whoever asks next does not wait for that. */
  start(): void {
    if (this.#child !== null || this.#closed || this.#unusable !== null) return;
    this.#start();
    this.#rest();
  }

  /**
   * The parts of the answer as they are made. Leaving the iteration ends what is left of it.
   * @throws ChorusError `provider_error` where the process can't be run, `overloaded` where too many wait; the signal's reason at once
   */
  async *run(request: Request, { signal, urgency, user = '' }: EngineOptions): AsyncGenerator<Part, void, undefined> {
    signal.throwIfAborted();
    if (this.#closed) throw closed();
    if (this.#unusable !== null) throw unusable(this.#unusable);
    if (this.#waiting.size >= this.#limits.mostWaiting)
      throw new ChorusError('overloaded', 'Too many wait for an embedded model');
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
      tried: false,
      begun: false,
      left: false,
      part(part) {
        task.begun = true;
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
      this.#leave(task);
    }
  }

  /** Resolves when it is loaded; also when that has failed, which whoever asks it is told. */
  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /** Ends the process; what it computes, and what waits, fails. */
  close(): void {
    this.#closed = true;
    this.#loaded.resolve();
    clearTimeout(this.#timer);
    this.#child?.kill('SIGKILL');
    for (const task of this.#waiting.clear()) task.end(closed());
  }

  /** Of the process that holds it; null while there is none. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  #leave(task: Task<Request, Part>): void {
    task.left = true;
    if (this.#running === task) this.#say({ type: 'stop', id: task.id });
    this.#waiting.remove(task);
  }

  #next(): void {
    if (this.#running !== null || this.#closed) return;
    const [urgent] = this.#waiting.next(1, ({ urgency }) => urgency.now);
    const task = urgent ?? this.#waiting.next(1)[0];
    if (task === undefined) {
      this.#rest();
      return;
    }
    this.#waiting.serve(task);
    this.#running = task;
    const used = this.#child ?? this.#start();
    used.ref();
    used.channel?.ref();
    this.#limit();
    if (this.#ready) this.#say({ type: 'run', id: task.id, request: task.request });
  }

  /** Nothing is to be done: it keeps nobody from ending, and ends itself after a while. */
  #rest(): void {
    const child = this.#child;
    clearTimeout(this.#timer);
    if (child === null) return;
    child.unref();
    child.channel?.unref();
    this.#timer = setTimeout(() => child.kill('SIGKILL'), this.#limits.idleMs).unref();
  }

  /** From now on the next part is waited for. */
  #limit(): void {
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#timer = setTimeout(() => child?.kill('SIGKILL'), PART_LIMIT_MS);
  }

  #say(message: ToEngine<Request>): void {
    if (this.#child?.connected) this.#child.send(message, () => {}); // one that has just ended tells it by its exit
  }

  #start(): ChildProcess {
    const child = fork(this.#program, this.#arguments, {
      stdio: 'ignore',
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      env: {},
    });
    this.#child = child;
    this.#ready = false;
    child.on('message', (message: FromEngine<Part>) => {
      if (this.#child === child) this.#hear(message);
    });
    child.once('exit', () => this.#gone(child));
    child.once('error', () => this.#gone(child));
    return child;
  }

  #hear(message: FromEngine<Part>): void {
    const task = this.#running;
    if (message.type === 'ready') {
      this.#ready = true;
      this.#loaded.resolve();
      if (task !== null) this.#say({ type: 'run', id: task.id, request: task.request });
    } else if (message.type === 'unusable') {
      this.#unusable = message.reason;
      this.#loaded.resolve();
      this.#log.error({ reason: message.reason }, 'an embedded model can not be used');
      for (const one of this.#waiting.clear()) one.end(unusable(message.reason));
    } else if (task === null || message.id !== task.id) return;
    else if (message.type === 'part') {
      this.#limit();
      if (!task.left) task.part(message.part);
    } else {
      this.#running = null;
      task.end(null);
      this.#next();
    }
  }

  #gone(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = null;
    this.#ready = false;
    // Whoever waits for it is told by what they ask.
    this.#loaded.resolve();
    this.#loaded = Promise.withResolvers();
    if (this.#unusable !== null || this.#closed) this.#loaded.resolve();
    clearTimeout(this.#timer);
    const task = this.#running;
    this.#running = null;
    if (task !== null && !task.left) {
      if (this.#closed) task.end(closed());
      else if (this.#unusable !== null) task.end(unusable(this.#unusable));
      else if (task.tried || task.begun)
        task.end(new ChorusError('provider_error', 'The embedded model ended in the middle of it'));
      else {
        this.#log.warn({}, 'an embedded model ended in the midst of its work, which is done again');
        task.tried = true;
        this.#waiting.putBack(task);
      }
    }
    this.#next();
  }
}

function closed(): ChorusError {
  return new ChorusError('provider_error', 'The embedded model has been closed');
}

function unusable(reason: string): ChorusError {
  return new ChorusError('provider_error', `The embedded model can't be used: ${reason}`);
}
