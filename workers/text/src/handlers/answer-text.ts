/** Longest answer, in bytes of UTF-8. Stores limit a record, which also holds the request's messages, to 16 MB. */
const MAX_ANSWER_BYTES = 8_000_000;

/**
 * Converts a provider's pieces to valid text. Half of a surrogate pair waits for the other half;
 * an unpaired half becomes U+FFFD, as in the store.
 */
export class AnswerText {
  #half = '';
  #roomBytes: number;

  constructor(maxBytes: number = MAX_ANSWER_BYTES) {
    this.#roomBytes = maxBytes;
  }

  /** Whether the answer was truncated. */
  full = false;

  /** Returns the text to show after this piece; may be empty. */
  take(piece: string): string {
    if (this.full) return '';
    let text = this.#half + piece;
    this.#half = '';
    if (isFirstHalf(text.charCodeAt(text.length - 1))) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    return this.#fitting(text.toWellFormed());
  }

  /** Returns U+FFFD for an unpaired half at the end. */
  rest(): string {
    const half = this.#half.toWellFormed();
    this.#half = '';
    return this.#fitting(half);
  }

  #fitting(text: string): string {
    const bytes = Buffer.byteLength(text);
    if (bytes <= this.#roomBytes) {
      this.#roomBytes -= bytes;
      return text;
    }
    this.full = true;
    // A UTF-16 unit takes at most three bytes.
    const end = Math.floor(this.#roomBytes / 3);
    return text.slice(0, isFirstHalf(text.charCodeAt(end - 1)) ? end - 1 : end);
  }
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
