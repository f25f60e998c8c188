import { bytesOf, durationMs, PlayoutClock } from '@chorus/speech';

/** Sound is sent so far ahead of its time at most: enough for an uneven network, and little to take back. In milliseconds. */
const LEAD_MS = 320;

/** It goes out in pieces of so much sound. */
const PIECE_MS = 80;

/** So much sound may wait here until whoever makes it has to wait, in milliseconds. */
const WAITING_MS = 10_000;

/** A client that has not taken so many bytes gets no more; and is looked at again after so long, in milliseconds. */
const MAX_BEHIND_BYTES = 131_072;
const LOOK_AGAIN_MS = 50;

/** Bytes of a millisecond on the wire, in base64. */
const SENT_BYTES_PER_MS = 64;

export interface PacerParts {
  /** @param offsetMs where in all that is sent the piece begins */
  send(pcm: Uint8Array, offsetMs: number): void;
  /** What was sent and not taken yet, in bytes. */
  behindBytes(): number;
}

/**
 * Sends sound a little ahead of the time at which it is played, so that the clock says about what was heard, and what must not be heard any more was not sent. All times
 * in milliseconds.
 */
export class SoundPacer {
  readonly #parts: PacerParts;
  readonly #clock = new PlayoutClock();
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #paused = false;
  #dropped = false;
  #ending = false;
  #changed = Promise.withResolvers<void>();

  constructor(parts: PacerParts) {
    this.#parts = parts;
  }

  /** More sound. Resolves when there is room for more. */
  async push(pcm: Uint8Array): Promise<void> {
    if (this.#dropped || pcm.byteLength === 0) return;
    this.#waiting.push(pcm);
    this.#waitingBytes += pcm.byteLength;
    this.#sendDue();
    while (!this.#dropped && this.#waitingBytes > bytesOf(WAITING_MS)) await this.#changed.promise;
  }

  /** There is no more: resolves when all was sent, or dropped. */
  async end(): Promise<void> {
    this.#ending = true;
    this.#sendDue();
    while (!this.#dropped && this.#waitingBytes > 0) await this.#changed.promise;
  }

  /** Nothing is sent until `resume`. */
  pause(): void {
    this.#paused = true;
    this.#stopTimer();
  }

  resume(): void {
    this.#paused = false;
    this.#sendDue();
  }

  /** What was not sent is never sent. */
  drop(): void {
    this.#dropped = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#stopTimer();
    this.#tell();
  }

  get sentMs(): number {
    return this.#clock.sentMs;
  }

  /** How much of what was sent was played, as far as one can know. */
  get playedMs(): number {
    const taken = this.sentMs - this.#parts.behindBytes() / SENT_BYTES_PER_MS;
    return Math.max(0, Math.min(this.#clock.played(performance.now()), taken));
  }

  /** How long what was sent is still played. */
  get aheadMs(): number {
    return this.#clock.ahead(performance.now());
  }

  #sendDue(): void {
    this.#stopTimer();
    while (!this.#paused && this.#waitingBytes > 0) {
      if (this.#parts.behindBytes() > MAX_BEHIND_BYTES) {
        this.#wait(LOOK_AGAIN_MS);
        break;
      }
      const now = performance.now();
      const ahead = this.#clock.ahead(now);
      // A piece is whole, unless nothing comes behind it, or silence would.
      const isWhole = this.#ending || this.#waitingBytes >= bytesOf(PIECE_MS);
      const early = isWhole ? ahead - (LEAD_MS - PIECE_MS) : ahead;
      if (early > 0) {
        this.#wait(early);
        break;
      }
      const piece = this.#take(bytesOf(PIECE_MS));
      const offsetMs = this.#clock.sentMs;
      this.#clock.sent(durationMs(piece), now);
      this.#parts.send(piece, Math.round(offsetMs));
      this.#tell();
    }
  }

  #take(bytes: number): Uint8Array {
    const pieces: Uint8Array[] = [];
    let missing = Math.min(bytes, this.#waitingBytes);
    this.#waitingBytes -= missing;
    while (missing > 0) {
      const first = this.#waiting[0] as Uint8Array;
      pieces.push(first.subarray(0, missing));
      if (first.byteLength > missing) this.#waiting[0] = first.subarray(missing);
      else this.#waiting.shift();
      missing -= Math.min(missing, first.byteLength);
    }
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#sendDue(), ms);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #tell(): void {
    const told = this.#changed;
    this.#changed = Promise.withResolvers();
    told.resolve();
  }
}
