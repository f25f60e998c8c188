import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** A log of bounded size. When it is full, it replaces `<file>.1`, and a new file is started. */
export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  #bytes = 0;

  constructor(path: string, maxBytes = 10 * 1024 * 1024) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#open();
  }

  /** Appends a line. Ignores write errors, such as a full disk. */
  write(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#maxBytes) this.#rotate();
    if (this.#descriptor === undefined) return;
    try {
      this.#bytes += writeSync(this.#descriptor, bytes);
    } catch {
      // Retried with the next line.
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #rotate(): void {
    this.close();
    try {
      renameSync(this.#path, `${this.#path}.1`);
    } catch {
      // The old file keeps growing; nothing is lost.
    }
    this.#open();
  }

  #open(): void {
    try {
      this.#descriptor = openSync(this.#path, 'a', 0o600);
      this.#bytes = fstatSync(this.#descriptor).size;
    } catch {
      this.#descriptor = undefined;
    }
  }
}
