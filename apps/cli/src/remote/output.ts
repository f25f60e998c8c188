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
    if (!this.json) process.stdout.write(text);
  }

  line(text: string): void {
    this.text(`${text}\n`);
  }

  /** What is no result: standard output stays clean of it. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** A bar for people who watch; where nobody does, nothing. */
  progressBar(): ProgressBar {
    return new ProgressBar(process.stderr.isTTY === true && !this.json ? process.stderr : null);
  }
}
