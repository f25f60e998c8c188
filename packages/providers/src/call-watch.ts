import type { AnswerBody } from './answer-body.ts';

/**
 * Counts silence in parts. A pause of this process counts as one part at most, so that data received
 * meanwhile is read before the next.
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
  /** Whether it waits for the provider's next byte rather than for our reader. */
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

  /** Receives the body of a successful answer. Returns the one for the package; null: it gets no answer. */
  bodyTaker: ((body: AnswerBody) => Uint8Array<ArrayBuffer> | null) | null = null;

  close(): void {
    clearInterval(this.#timer);
    this.#caller.removeEventListener('abort', this.#abort);
    this.#controller.abort(CLOSED);
  }

  readonly #abort = (): void => {
    this.#controller.abort();
  };

  // One timer per call, because bytes arrive too often for a timer each.
  readonly #check = (): void => {
    if (!this.#isWaiting) return;
    this.#silentParts += 1;
    if (this.#silentParts < PARTS) return;
    clearInterval(this.#timer);
    this.timedOut = true;
    this.#controller.abort();
  };
}

/** Created once, because a stack trace per call would cost more than the rest of its end. */
const CLOSED = new DOMException('The call is over', 'AbortError');

const watches = new WeakMap<AbortSignal, CallWatch>();

/** Returns the watch of a signal, the only thing that the provider packages pass through. */
export function watchOf(signal: AbortSignal | null | undefined): CallWatch | undefined {
  return signal ? watches.get(signal) : undefined;
}
