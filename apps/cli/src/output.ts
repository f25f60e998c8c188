import type { ChorusError } from '@chorus/client';
import { printable } from '../printable.ts';
import { describeError, exitCodeOf } from './exit-codes.ts';
import { ProgressBar } from './progress-bar.ts';

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
