import type { Socket } from 'node:net';
import type { Document } from 'bson';
import { errorAnswer, isWrite, knownError, startCommand } from './commands/index.ts';
import { StoreError } from './errors.ts';
import type { Holding } from './memory.ts';
import type { Store } from './store.ts';
import { encodeAnswer } from './values/codec.ts';
import { answerFrame, type Frame, FrameReader, parseFrame, type Request, unreadRequest } from './wire.ts';

/** A client is not read from while this many of its requests, or bytes of them, wait. */
const MAX_WAITING = 16;
const MAX_WAITING_BYTES = 1_000_000;

/** One client: takes its requests one after another, in their order, and answers each. */
export class Connection {
  readonly #store: Store;
  readonly #socket: Socket;
  readonly id: number;
  readonly #reader: FrameReader;
  #waiting: Frame[] = [];
  #busy = false;

  constructor(store: Store, socket: Socket) {
    this.#store = store;
    this.#socket = socket;
    this.#reader = new FrameReader(store.memory);
    store.connectionsMade += 1;
    this.id = store.connectionsMade;
    store.connections.add(this.id);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#next());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#close());
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
    const bytes = this.#waiting.reduce((sum, frame) => sum + frame.bytes.length, 0);
    if (this.#waiting.length > MAX_WAITING || bytes > MAX_WAITING_BYTES) this.#socket.pause();
    this.#next();
  }

  #next(): void {
    if (this.#busy || this.#socket.destroyed || this.#socket.writableNeedDrain) return;
    const frame = this.#waiting.shift();
    if (!frame) return;
    if (this.#waiting.length === 0 && this.#socket.isPaused()) this.#socket.resume();
    let request: Request;
    try {
      request = read(frame);
    } catch (error) {
      if (error instanceof StoreError) this.#answer(unreadRequest(frame.bytes), errorAnswer(error), frame.holding);
      else this.#socket.destroy();
      return;
    }
    this.#run(request, frame.holding);
  }

  #run(request: Request, holding: Holding): void {
    this.#busy = true;
    this.#store.turns.submit({
      start: () => startCommand(this.#store, request.command, this),
      succeed: (answer) => this.#answer(request, { ...answer, ok: 1 }, holding),
      fail: (error) => {
        if (!knownError(error)) this.#store.report(error);
        this.#answer(request, errorAnswer(error), holding);
      },
      writes: isWrite(request.command),
      holding,
    });
  }

  /** What the request holds is given back when its answer has been taken. */
  #answer(request: Request, answer: Document, holding: Holding): void {
    this.#busy = false;
    if (request.expectsAnswer && !this.#socket.destroyed) this.#send(request, answer, () => holding.release());
    else holding.release();
    this.#next();
  }

  #send(request: Request, answer: Document, sent: () => void): void {
    let body: Uint8Array;
    try {
      body = encodeAnswer(answer);
    } catch (error) {
      body = encodeAnswer(errorAnswer(error));
    }
    this.#socket.write(answerFrame(request, body), sent);
  }

  #close(): void {
    this.#store.connections.delete(this.id);
    this.#reader.close();
    for (const { holding } of this.#waiting.splice(0)) holding.release();
  }
}

function read({ bytes, refusal, holding }: Frame): Request {
  if (refusal) throw refusal;
  return holding.during(() => parseFrame(bytes));
}
