import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerBody } from './answer-body.ts';

/**
 * Measures silence in parts. A pause of this process counts as one part at most, so that data received meanwhile is
 * read before the next part.
 */
const PARTS = 10;

/**
 * Signals the end of a call: on the caller's signal, on close, and when the provider is silent for too
 * long. Closing the call always closes its connection.
 */
export class CallWatch {
  readonly signal: AbortSignal;
  timedOut = false;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  /** Whether the call waits for the provider's next byte, rather than for our reader. */
  #isWaiting = true;
  #silentParts = 0;

  constructor(caller: AbortSignal, idleMs: number) {
    this.#caller = caller;
    this.signal = this.#controller.signal;
    watches.set(this.signal, this);
    caller.addEventListener('abort', this.#abort, { once: true });
    this.#timer = setInterval(this.#check, idleMs / PARTS);
    if (caller.aborted) this.#abort();
  }

  waiting(): void {
    this.#isWaiting = true;
    this.#silentParts = 0;
  }

  heard(): void {
    this.#isWaiting = false;
  }

  /** Receives the body of a successful answer. Returns the body for the package. Null: the package gets no answer. */
  bodyTaker: ((body: AnswerBody) => Uint8Array<ArrayBuffer> | null) | null = null;

  /** Receives the status and headers of each answer as they arrive. Null: they are not needed. */
  onAnswer: ((status: number, headers: IncomingHttpHeaders) => void) | null = null;

  /** Called at the first byte of the body of each answer. Null: it is not needed. */
  onFirstByte: ((status: number) => void) | null = null;

  close(): void {
    clearInterval(this.#timer);
    this.#caller.removeEventListener('abort', this.#abort);
    this.#controller.abort(CLOSED);
  }

  readonly #abort = (): void => {
    this.#controller.abort();
  };

  // One timer for the whole call, because bytes arrive too often for one each.
  readonly #check = (): void => {
    if (!this.#isWaiting) return;
    this.#silentParts += 1;
    if (this.#silentParts < PARTS) return;
    clearInterval(this.#timer);
    this.timedOut = true;
    this.#controller.abort();
  };
}

/** Created once, because capturing a stack trace would be the most expensive part of ending a call. */
const CLOSED = new DOMException('The call is over', 'AbortError');

const watches = new WeakMap<AbortSignal, CallWatch>();

/** Returns the watch of a signal. The provider packages pass nothing else through. */
export function watchOf(signal: AbortSignal | null | undefined): CallWatch | undefined {
  return signal ? watches.get(signal) : undefined;
}
