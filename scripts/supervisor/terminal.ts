import { stripVTControlCharacters, styleText } from 'node:util';
import type { LogLine, Severity } from './log-line.ts';

const order: Record<Severity, number> = { debug: 0, info: 1, warn: 2, error: 3 };
const colours = { debug: 'dim', info: 'cyan', warn: 'yellow', error: 'red' } as const;

/** What the person who ran `npm start` sees. A terminal that has gone away takes nothing with it. */
export class Terminal {
  readonly #output: NodeJS.WriteStream;
  readonly #least: Severity;

  /** @param least lines of the processes' logs below this are for their files alone */
  constructor(output: NodeJS.WriteStream, least: Severity) {
    this.#output = output;
    this.#least = least;
    output.on('error', () => {}); // EPIPE, EIO: nobody looks any more
  }

  /** The supervisor's own words. */
  say(text: string): void {
    this.#output.write(`${text}\n`);
  }

  /** A line of a process's log, where it matters enough. */
  show(process: string, line: Pick<LogLine, 'severity' | 'text' | 'time'>): void {
    if (order[line.severity] < order[this.#least]) return;
    const time = new Date(line.time ?? Date.now()).toTimeString().slice(0, 8);
    const { severity } = line;
    const label = severity === 'info' ? '' : `${this.#paint(colours[severity], severity)} `;
    // A log may quote what users sent: no control sequence of theirs may reach the terminal.
    const text = stripVTControlCharacters(line.text);
    this.say(`${this.#paint('dim', time)} ${process.padEnd(12)} ${label}${text}`);
  }

  #paint(style: 'dim' | 'cyan' | 'yellow' | 'red', text: string): string {
    return styleText(style, text, { stream: this.#output });
  }
}
