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
  readonly #idleMs: number;
  #timer: NodeJS.Timeout;
  /** Since when the provider's next byte is waited for; null while our own reader is the slow one. */
  #waitingSince: number | null = performance.now();

  constructor(caller: AbortSignal, idleMs: number) {
    this.#caller = caller;
    this.#idleMs = idleMs;
    this.signal = this.#controller.signal;
    watches.set(this.signal, this);
    caller.addEventListener('abort', this.#abort, { once: true });
    this.#timer = setTimeout(this.#check, idleMs);
    if (caller.aborted) this.#abort();
  }

  /** The provider's next byte is waited for from now on. */
  waiting(): void {
    this.#waitingSince = performance.now();
  }

  /** The provider has sent something. */
  heard(): void {
    this.#waitingSince = null;
  }

  /** Who takes the body of an answer that is well; whoever asked for it is given an empty one. */
  bodyTaker: ((body: ReadableStream<Uint8Array>) => void) | null = null;

  /** Ends the call and closes its connection, if it is still open. */
  close(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener('abort', this.#abort);
    this.#controller.abort(CLOSED);
  }

  readonly #abort = (): void => {
    this.#controller.abort();
  };

  // One timer for the whole call, set anew only when it fires: bytes come too often to touch a timer for each.
  readonly #check = (): void => {
    const since = this.#waitingSince ?? performance.now();
    const left = since + this.#idleMs - performance.now();
    if (left > 0) {
      this.#timer = setTimeout(this.#check, left);
      return;
    }
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
