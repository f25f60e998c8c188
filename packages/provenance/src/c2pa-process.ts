import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BoundedChild, lendFile, lendFolder, startBoundedChild } from '@chorus/sandbox';
import type { C2paAnswer, C2paRequest, FromC2pa } from './c2pa-protocol.ts';

export interface C2paProcessOptions {
  /** Memory that the process may write to, in bytes: beyond it, it dies. Holds on Linux with util-linux. */
  memoryBytes: number;
  /** How long it is kept while nothing is asked, in milliseconds. */
  idleMs?: number;
}

/** What the library is given: Node alone takes 600 MB of what is counted, without using it. */
export const MEMORY_BYTES = 1_600_000_000;

/** Requests that wait at most: beyond, nobody is served by waiting longer. */
const MAX_WAITING = 1_000;

const SIGNED = 'signed';

const PROGRAM = fileURLToPath(new URL('./c2pa-main.ts', import.meta.url));

/** The C2PA process could not do it: it died, took too long, or said why. */
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
 * The C2PA library in a process of its own, one request after the other: it computes without holding up anybody's event loop, and a file that crashes it,
 * fills its memory or never ends costs that file alone. Started with the first request, ended when it idles, started anew after a crash.
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
   * @param timeoutMs of the request itself; waiting for those before it is not counted
   * @throws {C2paFailure} with a reason that can be shown, or the signal's reason
   */
  ask(request: C2paRequest, timeoutMs: number, signal?: AbortSignal): Promise<Done> {
    signal?.throwIfAborted();
    if (this.#closed) return Promise.reject(new C2paFailure('the process is being ended'));
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new C2paFailure('too many files are waiting'));
    const { promise, resolve, reject } = Promise.withResolvers<Done>();
    const waiting: Waiting = { request, timeoutMs, resolve, reject };
    this.#waiting.push(waiting);
    const abort = () => {
      const at = this.#waiting.indexOf(waiting);
      if (at !== -1) this.#waiting.splice(at, 1);
      reject(signal?.reason);
      // What runs cannot be stopped in any other way.
      if (this.#running === waiting) this.#kill();
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#next();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Ends the process, and with it what is asked. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new C2paFailure('the process is being ended'));
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

  /** The child may have another user id: it gets a copy, and signs into a folder of its own. */
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
    const hear = (message: FromC2pa) => {
      if (message.id === id) resolve(message);
    };
    const gone = () => reject(new C2paFailure('the process that did it died: it may have needed too much memory'));
    const late = setTimeout(() => {
      reject(new C2paFailure(`it took longer than ${Math.round(timeoutMs / 1_000)} s`));
      this.#kill();
    }, timeoutMs);
    child.on('message', hear).once('exit', gone).once('error', gone);
    // Its parent waits for it only while something is asked.
    child.ref();
    child.channel?.ref();
    try {
      child.send({ ...request, id }, (error) => error && gone());
      const answer = await promise;
      if (answer.type === 'failed') throw new C2paFailure(answer.reason);
      return answer;
    } finally {
      clearTimeout(late);
      child.off('message', hear).off('exit', gone).off('error', gone);
      child.unref();
      child.channel?.unref();
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
