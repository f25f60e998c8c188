import type { ChorusError } from '@chorus/client';
import { printTable } from './print-table.ts';
import { printable } from './printable.ts';
import { describeError, exitCodeOf } from './remote/exit-codes.ts';
import { ProgressBar } from './remote/progress-bar.ts';

/** What a command says: to people, or with `--json` to programs, a JSON document on each line. */
export class Output {
  readonly json: boolean;
  /** Whether a person reads what comes on standard output. */
  readonly isTerminal: boolean;

  constructor(json: boolean) {
    this.json = json;
    this.isTerminal = process.stdout.isTTY === true && !json;
  }

  /** A result for programs; people don't see it. */
  record(value: unknown): void {
    if (this.json) process.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** A result for people, as it is. */
  text(text: string): void {
    if (!this.json) process.stdout.write(this.isTerminal ? printable(text) : text);
  }

  line(text: string): void {
    this.text(`${text}\n`);
  }

  /** Records: a row of a table each for people, and as they are for programs. */
  table<T>(headings: string[], records: readonly T[], toRow: (record: T) => (string | null)[]): void {
    for (const record of records) this.record(record);
    if (!this.json) printTable(headings, records.map(toRow));
  }

  /** What was done, for either. */
  done(text: string, record: object): void {
    this.record(record);
    this.line(text);
  }

  /** Why a command on this machine could not; answers the exit code. */
  failed(code: string, message: string): number {
    this.record({ type: 'error', error: { code, message } });
    this.note(message);
    return 1;
  }

  /** What is no result: standard output stays clean of it. */
  note(text: string): void {
    process.stderr.write(`${printable(text)}\n`);
  }

  /** What went wrong, for either; answers the exit code. */
  error(error: ChorusError): number {
    this.record({ type: 'error', error: { code: error.code, message: error.message, status: error.status } });
    this.note(describeError(error));
    return exitCodeOf(error);
  }

  /** A bar for people who watch; where nobody does, nothing. */
  progressBar(): ProgressBar {
    return new ProgressBar(process.stderr.isTTY === true && !this.json ? process.stderr : null);
  }
}
