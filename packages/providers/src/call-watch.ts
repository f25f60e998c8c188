/**
 * Silence is counted in so many parts. However long this process itself stands still, paused or without a processor, that is one of them: what
 * came meanwhile is heard before the next.
 */
const PARTS = 10;

/**
 * One call's own abort signal: it fires with the caller's signal, when the call is over, and when the provider has been silent
 * for too long. Closing the call so always closes its connection, too.
 */
export class CallWatch {
  readonly signal: AbortSignal;
  /** Whether silence ended the call. */
  timedOut = false;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  /** Whether the provider's next byte is waited for, rather than our own reader. */
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

  /** The provider's next byte is waited for from now on. */
  waiting(): void {
    this.#isWaiting = true;
    this.#silentParts = 0;
  }

  /** The provider has sent something. */
  heard(): void {
    this.#isWaiting = false;
  }

  /** Who takes the body of an answer that is well; whoever asked for it is given an empty one. */
  bodyTaker: ((body: ReadableStream<Uint8Array>) => void) | null = null;

  /** Ends the call and closes its connection, if it is still open. */
  close(): void {
    clearInterval(this.#timer);
    this.#caller.removeEventListener('abort', this.#abort);
    this.#controller.abort(CLOSED);
  }

  readonly #abort = (): void => {
    this.#controller.abort();
  };

  // One timer for the whole call: bytes come too often to touch a timer for each.
  readonly #check = (): void => {
    if (!this.#isWaiting) return;
    this.#silentParts += 1;
    if (this.#silentParts < PARTS) return;
    clearInterval(this.#timer);
    this.timedOut = true;
    this.#controller.abort();
  };
}

/** Made once: an error with its stack for each call that ends well would cost more than the rest of its end. */
const CLOSED = new DOMException('The call is over', 'AbortError');

const watches = new WeakMap<AbortSignal, CallWatch>();

/** The watch of the call that has this signal: the signal is the one thing that the provider packages hand through. */
export function watchOf(signal: AbortSignal | null | undefined): CallWatch | undefined {
  return signal ? watches.get(signal) : undefined;
}
