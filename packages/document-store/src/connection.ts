import type { Socket } from 'node:net';
import type { Document } from 'bson';
import { errorReply, isWrite, startCommand, toStoreError, wantsSync } from './commands/index.ts';
import { StoreError } from './errors.ts';
import type { MemoryAccount } from './memory.ts';
import type { Store } from './store.ts';
import { encodeReply } from './values/codec.ts';
import { type Frame, FrameReader, parseFrame, type Request, replyFrame, requestFromHeader } from './wire.ts';

/** Stop reading from a client while this many requests or bytes are queued. */
const MAX_QUEUED = 16;
const MAX_QUEUED_BYTES = 1_000_000;

export class Connection {
  readonly #store: Store;
  readonly #socket: Socket;
  readonly id: number;
  readonly #reader: FrameReader;
  #queue: Frame[] = [];
  #busy = false;

  constructor(store: Store, socket: Socket) {
    this.#store = store;
    this.#socket = socket;
    this.#reader = new FrameReader(store.memory);
    store.connectionsCreated += 1;
    this.id = store.connectionsCreated;
    store.connections.add(this.id);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#runNext());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#close());
  }

  get closed(): boolean {
    return this.#socket.destroyed;
  }

  get isLocal(): boolean {
    return this.#socket.remoteAddress === undefined;
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.push(chunk)) this.#queue.push(frame);
    } catch {
      // After a malformed frame there is no way to find the next one.
      this.#socket.destroy();
      return;
    }
    const bytes = this.#queue.reduce((sum, frame) => sum + frame.bytes.length, 0);
    if (this.#queue.length > MAX_QUEUED || bytes > MAX_QUEUED_BYTES) this.#socket.pause();
    this.#runNext();
  }

  #runNext(): void {
    if (this.#busy || this.#socket.destroyed || this.#socket.writableNeedDrain) return;
    const frame = this.#queue.shift();
    if (!frame) return;
    if (this.#queue.length === 0 && this.#socket.isPaused()) this.#socket.resume();
    let request: Request;
    try {
      request = readRequest(frame);
    } catch (error) {
      if (error instanceof StoreError) this.#reply(requestFromHeader(frame.bytes), errorReply(error), frame.account);
      else this.#socket.destroy();
      return;
    }
    this.#run(request, frame.account);
  }

  #run(request: Request, account: MemoryAccount): void {
    this.#busy = true;
    this.#store.scheduler.submit({
      start: () => startCommand(this.#store, request.command, this),
      succeed: (reply) => this.#reply(request, { ...reply, ok: 1 }, account),
      fail: (error) => {
        if (!toStoreError(error)) this.#store.report(error);
        this.#reply(request, errorReply(error), account);
      },
      writes: isWrite(request.command),
      isDurable: wantsSync(request.command),
      account,
    });
  }

  #reply(request: Request, reply: Document, account: MemoryAccount): void {
    this.#busy = false;
    if (request.expectsReply && !this.#socket.destroyed) this.#send(request, reply, () => account.close());
    else account.close();
    this.#runNext();
  }

  #send(request: Request, reply: Document, sent: () => void): void {
    let body: Uint8Array;
    try {
      body = encodeReply(reply);
    } catch (error) {
      body = encodeReply(errorReply(error));
    }
    this.#socket.write(replyFrame(request, body), sent);
  }

  #close(): void {
    this.#store.connections.delete(this.id);
    this.#reader.close();
    for (const { account } of this.#queue.splice(0)) account.close();
  }
}

function readRequest({ bytes, refusal, account }: Frame): Request {
  if (refusal) throw refusal;
  return account.run(() => parseFrame(bytes));
}
