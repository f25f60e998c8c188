import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChorusError } from '@chorus/contract';
import { bodyFailure, closeBody, openBody } from '../http/open-body.ts';
import { watchPace } from '../http/pace-body.ts';
import { tooLarge } from '../http/read-json.ts';
import { splitLines } from './split-lines.ts';

export interface LineLimits {
  /** Limits for the whole body, and for one line. */
  bytes: number;
  lineBytes: number;
  /** Idle and total time limits. */
  idleMs: number;
  allMs: number;
}

/** Reads the lines of a request's body one at a time, with backpressure. */
export class BodyLines {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #limits: LineLimits;
  readonly #hash = createHash('sha256');
  /** Number of the line that was read last, from 1. Blank lines count. */
  number = 0;

  constructor(request: IncomingMessage, response: ServerResponse, limits: LineLimits) {
    this.#request = request;
    this.#response = response;
    this.#limits = limits;
  }

  /** Returns the hash of all bytes. Call it once, after the last line. */
  digest(): string {
    return this.#hash.digest('base64url');
  }

  /**
   * Yields the lines that are not empty, without their ends. Leaving early leaves the rest of the body unread.
   * @throws {ChorusError} payload_too_large, invalid_json; invalid_request for a client that is too slow
   * @throws {ClientGoneError}
   */
  async *read(): AsyncGenerator<Buffer> {
    for await (const { bytes, number } of splitLines(this.#chunks(), this.#limits.lineBytes)) {
      this.number = number;
      yield bytes;
    }
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    const { bytes: limit, idleMs, allMs } = this.#limits;
    const request = this.#request;
    const body = openBody(request);
    // Keep the connection open, so that errors can be sent.
    const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
    const { promise: tooSlow, reject } = Promise.withResolvers<never>();
    tooSlow.catch(() => undefined);
    const giveUp = (error: ChorusError) => {
      // The client may have been refused while the rest of its body was still awaited.
      if (!this.#response.headersSent) this.#response.setHeader('Connection', 'close');
      reject(error);
    };
    const stopWatching = watchPace(request, idleMs, giveUp);
    const late = setTimeout(
      () => giveUp(new ChorusError('invalid_request', `The body was not complete within ${allMs / 1_000} s.`)),
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
