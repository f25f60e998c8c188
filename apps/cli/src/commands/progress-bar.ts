import { printable } from '../printable.ts';

const DRAW_INTERVAL_MS = 100;

const CELLS = 24;

interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

export class ProgressBar {
  readonly #terminal: Terminal | null;
  #drawnAt = 0;

  constructor(terminal: Terminal | null) {
    this.#terminal = terminal;
  }

  /** @param says the text after the bar */
  show(completed: number, total: number, says: string): void {
    const now = Date.now();
    if (this.#terminal === null || (now - this.#drawnAt < DRAW_INTERVAL_MS && completed < total)) return;
    this.#drawnAt = now;
    const part = total === 0 ? 0 : Math.min(1, completed / total);
    const filled = Math.round(part * CELLS);
    const bar = '█'.repeat(filled) + '░'.repeat(CELLS - filled);
    const line = `${bar} ${String(Math.floor(part * 100)).padStart(3)}%  ${printable(says)}`;
    this.#terminal.write(`\r\x1b[K${line.slice(0, (this.#terminal.columns ?? 80) - 1)}`);
  }

  clear(): void {
    if (this.#drawnAt > 0) this.#terminal?.write('\r\x1b[K');
    this.#drawnAt = 0;
  }
}
