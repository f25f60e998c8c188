import { bytesOf, durationMs, PlayoutClock } from '@chorus/speech';

/** Sends at most this far ahead of playback: enough for network jitter, and little to discard. */
const LEAD_MS = 320;

const PIECE_MS = 80;

/** Buffered audio at which `push` waits. */
const WAITING_MS = 10_000;

/** Sending pauses while a client has more than this unread. */
const MAX_BEHIND_BYTES = 131_072;
const LOOK_AGAIN_MS = 50;

/** Base64 bytes per millisecond. */
const SENT_BYTES_PER_MS = 64;

export interface PacerParts {
  /** @param offsetMs start of the chunk in the audio sent */
  send(pcm: Uint8Array, offsetMs: number): void;
  /** Bytes sent but not yet read by the client. */
  behindBytes(): number;
}

/** Sends audio slightly ahead of playback. The clock then tells what was heard, and little is sent needlessly. */
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

  /** Resolves when there is room for more audio. */
  async push(pcm: Uint8Array): Promise<void> {
    if (this.#dropped || pcm.byteLength === 0) return;
    this.#waiting.push(pcm);
    this.#waitingBytes += pcm.byteLength;
    this.#sendDue();
    while (!this.#dropped && this.#waitingBytes > bytesOf(WAITING_MS)) await this.#changed.promise;
  }

  /** Resolves when all audio was sent or dropped. */
  async end(): Promise<void> {
    this.#ending = true;
    this.#sendDue();
    while (!this.#dropped && this.#waitingBytes > 0) await this.#changed.promise;
  }

  pause(): void {
    this.#paused = true;
    this.#stopTimer();
  }

  resume(): void {
    this.#paused = false;
    this.#sendDue();
  }

  drop(): void {
    this.#dropped = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#stopTimer();
    this.#wakeWaiters();
  }

  get sentMs(): number {
    return this.#clock.sentMs;
  }

  /** Estimated playback position in what was sent. */
  get playedMs(): number {
    const taken = this.sentMs - this.#parts.behindBytes() / SENT_BYTES_PER_MS;
    return Math.max(0, Math.min(this.#clock.played(performance.now()), taken));
  }

  /** Duration of audio sent but not yet played. */
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
      // Sends a partial chunk only when no more audio can fill it in time.
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
      this.#wakeWaiters();
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

  #wakeWaiters(): void {
    const previous = this.#changed;
    this.#changed = Promise.withResolvers();
    previous.resolve();
  }
}
