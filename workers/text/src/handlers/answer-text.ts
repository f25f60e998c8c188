/**
 * The longest answer, in bytes of UTF-8. A record holds the request's messages and the answer, and no store takes one of more than
 * 16 MB: an answer that never ends would be an execution that can't be stored, so that never ends either.
 */
const MAX_ANSWER_BYTES = 8_000_000;

/**
 * Makes text that can be shown and stored of the pieces that a provider sends. Half of a character waits for its other half, since each delta
 * must be text by itself; what no other half follows becomes U+FFFD, as the store would have it.
 */
export class AnswerText {
  #half = '';
  #roomBytes: number;

  constructor(maxBytes: number = MAX_ANSWER_BYTES) {
    this.#roomBytes = maxBytes;
  }

  /** Whether the answer has been cut at its longest. */
  full = false;

  /** What can be shown now that this piece has come; may be empty. */
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

  /** What is left at the end of the answer: a half that stayed alone. */
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
    // Three bytes are the most that one UTF-16 unit takes.
    const end = Math.floor(this.#roomBytes / 3);
    return text.slice(0, isFirstHalf(text.charCodeAt(end - 1)) ? end - 1 : end);
  }
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
