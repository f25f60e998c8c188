import { printable } from '../printable.ts';

/** How often a bar is drawn at most, in milliseconds. */
const DRAW_EVERY_MS = 100;

const CELLS = 24;

interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

/** One line that is drawn anew while something goes on. */
export class ProgressBar {
  readonly #terminal: Terminal | null;
  #drawnAt = 0;

  constructor(terminal: Terminal | null) {
    this.#terminal = terminal;
  }

  /** @param says what stands behind the bar */
  show(completed: number, total: number, says: string): void {
    const now = Date.now();
    if (this.#terminal === null || (now - this.#drawnAt < DRAW_EVERY_MS && completed < total)) return;
    this.#drawnAt = now;
    const part = total === 0 ? 0 : Math.min(1, completed / total);
    const filled = Math.round(part * CELLS);
    const bar = '█'.repeat(filled) + '░'.repeat(CELLS - filled);
    const line = `${bar} ${String(Math.floor(part * 100)).padStart(3)}%  ${printable(says)}`;
    this.#terminal.write(`\r\x1b[K${line.slice(0, (this.#terminal.columns ?? 80) - 1)}`);
  }

  /** Takes the line away, so that something else can be said. */
  clear(): void {
    if (this.#drawnAt > 0) this.#terminal?.write('\r\x1b[K');
    this.#drawnAt = 0;
  }
}
