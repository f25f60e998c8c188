/** Longest answer, in bytes of UTF-8. Stores limit a record, which also holds the request's messages, to 16 MB. */
const MAX_ANSWER_BYTES = 8_000_000;

/** The bytes that an answer may still take, shared by all its parts. */
export class AnswerRoom {
  #bytes: number;
  /** Whether the answer was truncated. */
  full = false;

  constructor(maxBytes: number = MAX_ANSWER_BYTES) {
    this.#bytes = maxBytes;
  }

  get left(): number {
    return this.#bytes;
  }

  /** Takes room for something that cannot be cut. Returns false, and closes the answer, if it does not fit. */
  takeWhole(bytes: number): boolean {
    if (!this.full && bytes <= this.#bytes) {
      this.#bytes -= bytes;
      return true;
    }
    this.full = true;
    return false;
  }

  /** Takes room for a text, and returns the beginning that fits. */
  fit(text: string): string {
    const bytes = Buffer.byteLength(text);
    if (this.takeWhole(bytes)) return text;
    // A UTF-16 unit takes at most three bytes.
    const end = Math.floor(this.#bytes / 3);
    this.#bytes = 0;
    return text.slice(0, isFirstHalf(text.charCodeAt(end - 1)) ? end - 1 : end);
  }
}

/**
 * Converts a provider's pieces to valid text. Half of a surrogate pair waits for the other half;
 * an unpaired half becomes U+FFFD, as in the store.
 */
export class AnswerText {
  #half = '';
  readonly #room: AnswerRoom;

  constructor(room: AnswerRoom) {
    this.#room = room;
  }

  /** Returns the text to show after this piece; may be empty. */
  take(piece: string): string {
    if (this.#room.full) return '';
    let text = this.#half + piece;
    this.#half = '';
    if (isFirstHalf(text.charCodeAt(text.length - 1))) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    return this.#room.fit(text.toWellFormed());
  }

  /** Returns U+FFFD for an unpaired half at the end. */
  rest(): string {
    const half = this.#half.toWellFormed();
    this.#half = '';
    return this.#room.full ? '' : this.#room.fit(half);
  }
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
