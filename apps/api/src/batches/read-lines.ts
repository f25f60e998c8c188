import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChorusError } from '@chorus/contract';
import { bodyFailure, closeBody, openBody } from '../http/open-body.ts';
import { tooLarge } from '../http/read-json.ts';
import { watchPace } from '../http/watch-pace.ts';

export interface LineLimits {
  /** Of all lines together, and of one. */
  bytes: number;
  lineBytes: number;
  /** How long nothing may come, and how long it may take in all. */
  idleMs: number;
  allMs: number;
}

const NEWLINE = 0x0a;

/** The lines of a request's body, as they come: no more than one is in memory, and a client that is faster waits. */
export class BodyLines {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #limits: LineLimits;
  readonly #hash = createHash('sha256');
  /** Lines given out so far, empty ones too. */
  number = 0;

  constructor(request: IncomingMessage, response: ServerResponse, limits: LineLimits) {
    this.#request = request;
    this.#response = response;
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
  async *read(): AsyncGenerator<Buffer> {
    let pieces: Buffer[] = [];
    let held = 0;
    for await (const chunk of this.#chunks()) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        const line = this.#line([...pieces, chunk.subarray(from, end)], held + end - from);
        [pieces, held, from] = [[], 0, end + 1];
        if (!isBlank(line)) yield line;
      }
      pieces.push(chunk.subarray(from));
      held += chunk.length - from;
      if (held > this.#limits.lineBytes) throw this.#longLine();
    }
    const last = this.#line(pieces, held);
    if (!isBlank(last)) yield last;
  }

  #line(pieces: Buffer[], length: number): Buffer {
    this.number += 1;
    if (length > this.#limits.lineBytes) throw this.#longLine();
    return Buffer.concat(pieces, length);
  }

  #longLine(): ChorusError {
    return new ChorusError('payload_too_large', `A line is longer than ${this.#limits.lineBytes} bytes.`);
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    const { bytes: limit, idleMs, allMs } = this.#limits;
    const request = this.#request;
    const body = openBody(request);
    // The connection stays, so that a refusal can be answered.
    const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
    const { promise: tooSlow, reject } = Promise.withResolvers<never>();
    tooSlow.catch(() => undefined);
    const giveUp = (error: ChorusError) => {
      this.#response.setHeader('Connection', 'close');
      reject(error);
    };
    const stopWatching = watchPace(request, idleMs, giveUp);
    const late = setTimeout(
      () => giveUp(new ChorusError('invalid_request', `The body did not come within ${allMs / 1_000} s.`)),
      allMs,
    );
    let taken = 0;
    try {
      for (;;) {
        const { value, done } = await Promise.race([chunks.next(), tooSlow]);
        if (done) return;
        taken += value.length;
        if (taken > limit) throw tooLarge(limit);
        this.#hash.update(value);
        yield value;
      }
    } catch (error) {
      throw bodyFailure(error, request);
    } finally {
      clearTimeout(late);
      stopWatching();
      closeBody(body, request);
      if (body === request) await chunks.return?.();
    }
  }
}

/** Whether a line holds nothing but spaces. */
function isBlank(line: Buffer): boolean {
  return line.every((code) => code === 0x20 || code === 0x0d || code === 0x09);
}
