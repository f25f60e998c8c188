/** npx and the shell may both forward one Ctrl-C. */
const DUPLICATE_WITHIN_MS = 500;

/** Handles Ctrl-C and SIGTERM: the first runs the current action, the second exits at once. */
export class Interrupts {
  /** Aborts on an interruption without another action. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  #act: (() => void) | null = null;
  #firstAt: number | null = null;

  constructor() {
    this.signal = this.#controller.signal;
    process.on('SIGINT', this.#interrupt).on('SIGTERM', this.#interrupt);
  }

  get happened(): boolean {
    return this.#firstAt !== null;
  }

  /** Sets the action that replaces aborting. */
  onInterrupt(act: (() => void) | null): void {
    this.#act = act;
  }

  /** Marks an interruption as handled; the next one counts as the first. */
  reset(): void {
    this.#firstAt = null;
  }

  /** Acts as on Ctrl-C, for input that catches it. */
  trigger(): void {
    this.#interrupt();
  }

  close(): void {
    process.off('SIGINT', this.#interrupt).off('SIGTERM', this.#interrupt);
  }

  readonly #interrupt = () => {
    const now = Date.now();
    if (this.#firstAt !== null) {
      if (now - this.#firstAt > DUPLICATE_WITHIN_MS) process.exit(130);
      return;
    }
    this.#firstAt = now;
    if (this.#act === null) this.#controller.abort(new Error('Interrupted.'));
    else this.#act();
  };
}
