import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

const HEADER_BYTES = 4;

/**
 * Carries messages between a process and its sandboxed child.
 *
 * Node's own IPC trusts the child: invalid bytes or an internal message crash the parent, and a message may have 4 GB.
 * This channel closes instead, even if a listener throws.
 */
export class Channel extends EventEmitter<{ message: [object]; close: [] }> {
  readonly #socket: Socket;
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;
  #expectedBytes = HEADER_BYTES;

  constructor(socket: Socket, maxBytes = Number.POSITIVE_INFINITY) {
    super();
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => this.emit('close'));
  }

  /** @param sent Called once the message has been sent, or with the error that prevented it. */
  send(message: unknown, sent: (error?: Error | null) => void = () => undefined): void {
    const body = serialize(message);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(body.byteLength);
    this.#socket.cork();
    this.#socket.write(header);
    this.#socket.write(body, sent);
    this.#socket.uncork();
  }

  ref(): void {
    this.#socket.ref();
  }

  unref(): void {
    this.#socket.unref();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.byteLength;
    while (this.#receivedBytes >= this.#expectedBytes && !this.#socket.destroyed) {
      const received = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
      this.#chunks = [received];
      const bodyBytes = received.readUInt32BE();
      this.#expectedBytes = HEADER_BYTES + bodyBytes;
      if (bodyBytes > this.#maxBytes) return void this.#socket.destroy();
      if (this.#receivedBytes < this.#expectedBytes) return;
      this.#deliver(received.subarray(HEADER_BYTES, this.#expectedBytes));
      this.#receivedBytes -= this.#expectedBytes;
      this.#chunks = this.#receivedBytes > 0 ? [received.subarray(this.#expectedBytes)] : [];
      this.#expectedBytes = HEADER_BYTES;
    }
  }

  #deliver(body: Buffer): void {
    try {
      const message: unknown = deserialize(body);
      if (typeof message !== 'object' || message === null) throw new TypeError('not a message');
      this.emit('message', message);
    } catch {
      this.#socket.destroy();
    }
  }
}

export const openParentChannel = (): Channel => new Channel(new Socket({ fd: 3 }));
