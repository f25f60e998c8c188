import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ChorusError } from '@chorus/contract';
import { ClientGoneError, notUtf8, tooLarge } from '../http/read-json.ts';

export interface LineLimits {
  /** Of all lines together, and of one. */
  bytes: number;
  lineBytes: number;
  /** So long may nothing come, in milliseconds; and so long may it take in all. */
  idleMs: number;
  allMs: number;
}

const NEWLINE = 0x0a;

/** The lines of a request's body, as they come: no more than one is in memory, and a client that is faster waits. */
export class BodyLines {
  readonly #request: IncomingMessage;
  readonly #limits: LineLimits;
  readonly #hash = createHash('sha256');
  /** Lines given out so far, empty ones too. */
  number = 0;

  constructor(request: IncomingMessage, limits: LineLimits) {
    this.#request = request;
    this.#limits = limits;
  }

  /** Hash of all bytes; once, when they have all come. */
  digest(): string {
    return this.#hash.digest('base64url');
  }

  /**
   * Lines that are not empty, without their ends. Whoever leaves early leaves the rest of the body unread.
   *
   * @throws {ChorusError} payload_too_large, invalid_json, invalid_request for a client that is too slow
   * @throws {ClientGoneError}
   */
  async *read(): AsyncGenerator<string> {
    let pieces: Buffer[] = [];
    let held = 0;
    for await (const chunk of this.#chunks()) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        const line = this.#line([...pieces, chunk.subarray(from, end)], held + end - from);
        [pieces, held, from] = [[], 0, end + 1];
        if (line !== '') yield line;
      }
      pieces.push(chunk.subarray(from));
      held += chunk.length - from;
      if (held > this.#limits.lineBytes) throw this.#longLine();
    }
    const last = this.#line(pieces, held);
    if (last !== '') yield last;
  }

  #line(pieces: Buffer[], length: number): string {
    this.number += 1;
    if (length > this.#limits.lineBytes) throw this.#longLine();
    const bytes = Buffer.concat(pieces, length);
    if (!isUtf8(bytes)) throw notUtf8();
    return bytes.toString('utf8').trim();
  }

  #longLine(): ChorusError {
    return new ChorusError('payload_too_large', `A line is longer than ${this.#limits.lineBytes} bytes.`);
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    const { bytes: limit, idleMs, allMs } = this.#limits;
    const endsAt = performance.now() + allMs;
    // The connection stays, so that a refusal can be answered.
    const chunks = this.#request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
    let taken = 0;
    try {
      for (;;) {
        const left = Math.min(idleMs, endsAt - performance.now());
        const { value, done } = await soonEnough(chunks.next(), left);
        if (done) return;
        taken += value.length;
        if (taken > limit) throw tooLarge(limit);
        this.#hash.update(value);
        yield value;
      }
    } finally {
      await chunks.return?.();
    }
  }
}

async function soonEnough<T>(next: Promise<T>, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const tooSlow = () => reject(new ChorusError('invalid_request', 'The body comes too slowly.'));
    // What lies in the socket, since this process was busy, is read before that.
    timer = setTimeout(() => setImmediate(tooSlow), withinMs);
  });
  try {
    return await Promise.race([next.catch(gone), late]);
  } finally {
    clearTimeout(timer);
  }
}

function gone(): never {
  throw new ClientGoneError();
}
