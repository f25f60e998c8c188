import type { Socket } from 'node:net';
import type { Document } from 'bson';
import { errorAnswer, knownError, startCommand } from './commands/index.ts';
import { StoreError } from './errors.ts';
import type { Store } from './store.ts';
import { encodeAnswer } from './values/codec.ts';
import { answerFrame, FrameReader, parseFrame, type Request, unreadRequest } from './wire.ts';

/** A client that sends on without reading its answers is not read from beyond this many waiting requests. */
const MAX_WAITING = 16;

/** One client: takes its requests one after another, in their order, and answers each. */
export class Connection {
  readonly #store: Store;
  readonly #socket: Socket;
  readonly id: number;
  readonly #reader = new FrameReader();
  #waiting: Buffer[] = [];
  #busy = false;

  constructor(store: Store, socket: Socket) {
    this.#store = store;
    this.#socket = socket;
    store.connectionsMade += 1;
    this.id = store.connectionsMade;
    store.connections.add(this.id);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#next());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => store.connections.delete(this.id));
  }

  /** True once the client has gone. */
  get closed(): boolean {
    return this.#socket.destroyed;
  }

  get isLocal(): boolean {
    return this.#socket.remoteAddress === undefined;
  }

  onceClosed(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.push(chunk)) this.#waiting.push(frame);
    } catch {
      // A frame that breaks the protocol leaves no way to find the next one.
      this.#socket.destroy();
      return;
    }
    if (this.#waiting.length > MAX_WAITING) this.#socket.pause();
    this.#next();
  }

  #next(): void {
    if (this.#busy || this.#socket.destroyed || this.#socket.writableNeedDrain) return;
    const frame = this.#waiting.shift();
    if (!frame) return;
    if (this.#waiting.length === 0 && this.#socket.isPaused()) this.#socket.resume();
    let request: Request;
    try {
      request = parseFrame(frame);
    } catch (error) {
      if (error instanceof StoreError) this.#answer(unreadRequest(frame), errorAnswer(error));
      else this.#socket.destroy();
      return;
    }
    this.#busy = true;
    this.#store.turns.submit(
      () => startCommand(this.#store, request.command, this),
      (answer) => this.#answer(request, { ...answer, ok: 1 }),
      (error) => {
        if (!knownError(error)) this.#store.report(error);
        this.#answer(request, errorAnswer(error));
      },
    );
  }

  #answer(request: Request, answer: Document): void {
    this.#busy = false;
    if (request.expectsAnswer && !this.#socket.destroyed) this.#send(request, answer);
    this.#next();
  }

  #send(request: Request, answer: Document): void {
    let body: Uint8Array;
    try {
      body = encodeAnswer(answer);
    } catch (error) {
      body = encodeAnswer(errorAnswer(error));
    }
    this.#socket.write(answerFrame(request, body));
  }
}
