import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BoundedChild, lendFile, lendFolder, startBoundedChild } from '@chorus/sandbox';
import type { C2paAnswer, C2paRequest, FromC2pa } from './c2pa-protocol.ts';

export interface C2paProcessOptions {
  /** Writable memory of the process, which is killed beyond this. Needs Linux with util-linux. */
  memoryBytes: number;
  /** Idle time before the process exits. */
  idleMs?: number;
}

/** Memory limit, including 600 MB that Node reserves but does not use. */
export const MEMORY_BYTES = 1_600_000_000;

/** Maximum length of the queue. Further requests would time out anyway. */
const MAX_WAITING = 1_000;

const SIGNED = 'signed';

const PROGRAM = fileURLToPath(new URL('./c2pa-main.ts', import.meta.url));

/** A failure of the C2PA process: it died, timed out, or returned an error. */
export class C2paFailure extends Error {
  override readonly name = 'C2paFailure';
}

type Done = Exclude<C2paAnswer, { type: 'failed' }>;

interface Waiting {
  request: C2paRequest;
  timeoutMs: number;
  resolve: (answer: Done) => void;
  reject: (reason: unknown) => void;
}

/**
 * Runs the C2PA library in a child process, one request at a time. The event loop stays free, and a file that crashes
 * the library, fills its memory, or never ends only fails its own request. Starts on the first request, exits when
 * idle, and restarts after a crash.
 */
export class C2paProcess {
  readonly #memoryBytes: number;
  readonly #idleMs: number;
  #child: BoundedChild | null = null;
  #idle: NodeJS.Timeout | undefined;
  #running: Waiting | null = null;
  readonly #waiting: Waiting[] = [];
  #lastId = 0;
  #closed = false;

  constructor({ memoryBytes, idleMs = 60_000 }: C2paProcessOptions) {
    this.#memoryBytes = memoryBytes;
    this.#idleMs = idleMs;
  }

  /**
   * @param timeoutMs for the request itself, without time in the queue
   * @throws {C2paFailure} with a reason for users, or the signal's reason
   */
  ask(request: C2paRequest, timeoutMs: number, signal?: AbortSignal): Promise<Done> {
    signal?.throwIfAborted();
    if (this.#closed) return Promise.reject(new C2paFailure('the process is closing'));
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new C2paFailure('too many files are waiting'));
    const { promise, resolve, reject } = Promise.withResolvers<Done>();
    const waiting: Waiting = { request, timeoutMs, resolve, reject };
    this.#waiting.push(waiting);
    const abort = () => {
      const at = this.#waiting.indexOf(waiting);
      if (at !== -1) this.#waiting.splice(at, 1);
      reject(signal?.reason);
      // There is no other way to stop a running request.
      if (this.#running === waiting) this.#kill();
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#next();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Ends the process and its requests. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new C2paFailure('the process is closing'));
    this.#kill();
  }

  #next(): void {
    if (this.#running !== null) return;
    clearTimeout(this.#idle);
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#idle = setTimeout(() => this.#kill(), this.#idleMs).unref();
      return;
    }
    this.#running = next;
    this.#run(next)
      .then(next.resolve, next.reject)
      .finally(() => {
        this.#running = null;
        this.#next();
      });
  }

  /** Copies the file into a folder for the child, which may have another user id. */
  async #run({ request, timeoutMs }: Waiting): Promise<Done> {
    this.#child ??= this.#start();
    const child = this.#child;
    const given = await lendFile(request.path, 'file');
    const made = request.type === 'sign' ? await lendFolder(child) : null;
    try {
      const output = made === null ? {} : { output: join(made.path, SIGNED) };
      const answer = await this.#exchange(child, { ...request, path: given.path, ...output }, timeoutMs);
      if (request.type === 'sign') await made?.take(SIGNED, request.output);
      return answer;
    } finally {
      await Promise.all([given.remove(), made?.remove()]);
    }
  }

  async #exchange(child: BoundedChild, request: C2paRequest, timeoutMs: number): Promise<Done> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<FromC2pa>();
    const hear = (message: object) => {
      if ((message as FromC2pa).id === id) resolve(message as FromC2pa);
    };
    const gone = () => reject(new C2paFailure('the process died, possibly out of memory'));
    const late = setTimeout(() => {
      reject(new C2paFailure(`it took longer than ${Math.round(timeoutMs / 1_000)} s`));
      this.#kill();
    }, timeoutMs);
    child.messages.on('message', hear);
    child.once('exit', gone).once('error', gone);
    // Keeps this process alive only during requests.
    child.ref();
    child.messages.ref();
    try {
      // It may have ended before the listeners were there.
      child.messages.send({ ...request, id }, (error) => error && gone());
      const answer = await promise;
      if (answer.type === 'failed') throw new C2paFailure(answer.reason);
      return answer;
    } finally {
      clearTimeout(late);
      child.messages.off('message', hear);
      child.off('exit', gone).off('error', gone);
      child.unref();
      child.messages.unref();
    }
  }

  #start(): BoundedChild {
    const child = startBoundedChild(PROGRAM, { memoryBytes: this.#memoryBytes });
    const forget = () => {
      if (this.#child === child) this.#child = null;
    };
    child.once('exit', forget).once('error', forget);
    return child;
  }

  #kill(): void {
    const child = this.#child;
    this.#child = null;
    child?.kill('SIGKILL');
  }
}
