import { stripVTControlCharacters, styleText } from 'node:util';
import type { LogLine, Severity } from './log-line.ts';

const order: Record<Severity, number> = { debug: 0, info: 1, warn: 2, error: 3 };
const colours = { debug: 'dim', info: 'cyan', warn: 'yellow', error: 'red' } as const;

/** Writes to the terminal of `npm start`. Nothing fails if the terminal is closed. */
export class Terminal {
  readonly #output: NodeJS.WriteStream;
  readonly #least: Severity;

  /** @param least log lines below this severity are only in the files */
  constructor(output: NodeJS.WriteStream, least: Severity) {
    this.#output = output;
    this.#least = least;
    output.on('error', () => {}); // EPIPE, EIO: the terminal is closed
  }

  say(text: string): void {
    this.#output.write(`${text}\n`);
  }

  show(process: string, line: Pick<LogLine, 'severity' | 'text' | 'time'>): void {
    if (order[line.severity] < order[this.#least]) return;
    const time = new Date(line.time ?? Date.now()).toTimeString().slice(0, 8);
    const { severity } = line;
    const label = severity === 'info' ? '' : `${this.#paint(colours[severity], severity)} `;
    // Logs may quote user input, whose control sequences must not reach the terminal.
    const text = stripVTControlCharacters(line.text);
    this.say(`${this.#paint('dim', time)} ${process.padEnd(12)} ${label}${text}`);
  }

  #paint(style: 'dim' | 'cyan' | 'yellow' | 'red', text: string): string {
    return styleText(style, text, { stream: this.#output });
  }
}
