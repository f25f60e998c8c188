import { chorusError } from './chorus-error.ts';

/** Waits, or throws the reason of the signal when it aborts first. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Returns a pause of 200 ms, 400 ms, … up to `maxMs`, with jitter. */
export function backoff(attempt: number, maxMs: number): number {
  const full = Math.min(maxMs, 200 * 2 ** Math.min(attempt, 20));
  return full * (0.5 + Math.random() / 2);
}

/**
 * A signal that follows another one and can time out. Older browsers lack `AbortSignal.any`.
 */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #message: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined, message: string) {
    this.signal = this.#controller.signal;
    this.#outer = outer;
    this.#message = message;
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener('abort', this.#follow, { once: true });
  }

  readonly #follow = () => this.abort(this.#outer?.reason);

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Times out `ms` from now; 0: never. */
  set(ms: number): void {
    clearTimeout(this.#timer);
    if (ms <= 0) return;
    this.#timer = setTimeout(
      () => this.abort(chorusError('request_timeout', this.#message, { status: 0, retryable: true })),
      ms,
    );
  }

  /** Releases the timer and the outer signal. */
  close(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#follow);
  }
}
