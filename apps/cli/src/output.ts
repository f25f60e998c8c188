import type { ChorusError } from '@chorus/client';
import { describeError, exitCodeOf } from './commands/exit-codes.ts';
import { ProgressBar } from './commands/progress-bar.ts';
import { printTable } from './print-table.ts';
import { printable } from './printable.ts';

/** Prints results for people, or with `--json` one JSON document per line. */
export class Output {
  readonly json: boolean;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;

  constructor(json: boolean) {
    this.json = json;
    this.isTerminal = process.stdout.isTTY === true && !json;
  }

  /** Prints a record with `--json` only. */
  record(value: unknown): void {
    if (this.json) process.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** Prints a document as JSON: indented, or with `--json` on one line. */
  document(value: unknown): void {
    process.stdout.write(`${JSON.stringify(value, null, this.json ? 0 : 2)}\n`);
  }

  /** Prints text without `--json` only. */
  text(text: string): void {
    if (!this.json) process.stdout.write(this.isTerminal ? printable(text) : text);
  }

  line(text: string): void {
    this.text(`${text}\n`);
  }

  /** Prints a table, or with `--json` the records. */
  table<T>(headings: string[], records: readonly T[], toRow: (record: T) => (string | null)[]): void {
    for (const record of records) this.record(record);
    if (!this.json) printTable(headings, records.map(toRow));
  }

  /** Prints a success message, or with `--json` the record. */
  done(text: string, record: object): void {
    this.record(record);
    this.line(text);
  }

  /** Prints an error of a local command and returns its exit code. */
  failed(code: string, message: string): number {
    this.record({ type: 'error', error: { code, message } });
    this.note(message);
    return 1;
  }

  note(text: string): void {
    process.stderr.write(`${printable(text)}\n`);
  }

  /** Prints an API error and returns its exit code. */
  error(error: ChorusError): number {
    this.record({ type: 'error', error: { code: error.code, message: error.message, status: error.status } });
    this.note(describeError(error));
    return exitCodeOf(error);
  }

  /** Returns a progress bar that draws only on a terminal. */
  progressBar(): ProgressBar {
    return new ProgressBar(process.stderr.isTTY === true && !this.json ? process.stderr : null);
  }
}
