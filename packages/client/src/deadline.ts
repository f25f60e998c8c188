import { ChorusError } from './chorus-error.ts';

/** A signal that follows another one and can also run out. Made by hand, since `AbortSignal.any` is missing in browsers of two years ago. */
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

  /** From now on it runs out after so many milliseconds; 0: never. */
  set(ms: number): void {
    clearTimeout(this.#timer);
    if (ms <= 0) return;
    this.#timer = setTimeout(
      () => this.abort(new ChorusError('request_timeout', this.#message, { status: 0, retryable: true })),
      ms,
    );
  }

  /** It is no longer needed. */
  close(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#follow);
  }
}
