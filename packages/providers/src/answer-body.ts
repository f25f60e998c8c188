import type { Readable } from 'node:stream';

/** Maximum number of received bytes that wait for the reader. The connection is paused beyond. */
const MAX_WAITING_BYTES = 64 * 1024;

/** A connection can be reused if its answer ends within this time after its last event. */
const END_GRACE_MS = 500;

/** The watch of a call, which measures the provider's silence. */
interface Listener {
  waiting(): void;
  heard(): void;
}

/** The body of an answer. Reports bytes, and waits for more, to the call's watch. */
export class AnswerBody {
  readonly #outgoing: { destroy(): unknown };
  readonly #incoming: Readable;
  readonly #watch: Listener | undefined;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  /** How it ended. Null error: normally. */
  #end: { error: Error | null } | null = null;
  #waiting: PromiseWithResolvers<Buffer | null> | null = null;
  #closing: NodeJS.Timeout | undefined;

  /** @param outgoing The request, which is destroyed to close the connection. */
  constructor(outgoing: { destroy(): unknown }, incoming: Readable, watch: Listener | undefined) {
    this.#outgoing = outgoing;
    this.#incoming = incoming;
    this.#watch = watch;
    incoming.on('data', this.#take);
    incoming.on('end', () => this.#finish(null));
    incoming.on('error', (cause) => this.#break(cause));
    incoming.on('close', () => this.#break());
  }

  /** Returns a chunk that has already arrived. */
  next(): Buffer | undefined {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return undefined;
    this.#bytes -= chunk.length;
    if (this.#bytes < MAX_WAITING_BYTES && this.#incoming.isPaused()) this.#incoming.resume();
    return chunk;
  }

  /** Returns the next chunk after `next` found none, or null at the end. One wait at a time. */
  wait(): Promise<Buffer | null> {
    if (this.#end !== null) return this.#end.error === null ? Promise.resolve(null) : Promise.reject(this.#end.error);
    this.#watch?.waiting();
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Closes the connection of a complete answer, unless the server ends it soon. */
  endSoon(): void {
    if (this.#end === null) this.#closing ??= setTimeout(() => this.cancel(), END_GRACE_MS);
  }

  /** Closes the connection. */
  cancel(): void {
    this.#finish(null);
    this.#outgoing.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        const chunk = this.next() ?? (await this.wait());
        if (chunk === null) return;
        yield chunk;
      }
    } finally {
      if (this.#end === null) this.cancel();
    }
  }

  readonly #take = (chunk: Buffer): void => {
    this.#watch?.heard();
    const waiting = this.#waiting;
    if (waiting !== null) {
      this.#waiting = null;
      waiting.resolve(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= MAX_WAITING_BYTES) this.#incoming.pause();
  };

  #break(cause?: Error): void {
    if (this.#end === null) this.#finish(new TypeError('terminated', { cause }));
  }

  #finish(error: Error | null): void {
    if (this.#end !== null) return;
    this.#end = { error };
    clearTimeout(this.#closing);
    this.#watch?.heard();
    if (error === null) this.#waiting?.resolve(null);
    else this.#waiting?.reject(error);
    this.#waiting = null;
  }
}
