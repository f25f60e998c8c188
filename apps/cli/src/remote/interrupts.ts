/** Ctrl-C comes twice at once where npx and the shell both hand it on: that is one. In milliseconds. */
const ONCE_WITHIN_MS = 500;

/** What Ctrl-C, or being told to stop, means while a command runs: the first time whatever is set here, the second time the end at once. */
export class Interrupts {
  /** Aborts when the command is interrupted and nothing else was set. */
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

  /** From now on this is done instead of aborting. */
  instead(act: (() => void) | null): void {
    this.#act = act;
  }

  /** It was dealt with: the next one is a first one again. */
  forget(): void {
    this.#firstAt = null;
  }

  close(): void {
    process.off('SIGINT', this.#interrupt).off('SIGTERM', this.#interrupt);
  }

  readonly #interrupt = () => {
    const now = Date.now();
    if (this.#firstAt !== null) {
      if (now - this.#firstAt > ONCE_WITHIN_MS) process.exit(130);
      return;
    }
    this.#firstAt = now;
    if (this.#act === null) this.#controller.abort(new Error('Interrupted.'));
    else this.#act();
  };
}
