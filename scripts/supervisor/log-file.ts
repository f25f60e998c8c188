import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** A log of bounded size: when it is full it becomes `<file>.1`, in the place of the one before, and begins anew. */
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

  /** Appends a line. A log that can't be written (a full disk) is left behind: it must not stop what it reports on. */
  write(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#maxBytes) this.#rotate();
    if (this.#descriptor === undefined) return;
    try {
      this.#bytes += writeSync(this.#descriptor, bytes);
    } catch {
      // Tried again with the next line.
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
      // Then the old one grows on; nothing is lost.
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
