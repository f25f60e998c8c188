import type { ByteReader } from './call-watch.ts';

const LINE_BREAK = 10;
const EMPTY = Buffer.alloc(0);
const MARK = Buffer.from('"choices":[]');
const CHOICE = '"choices":[{"index":0,"delta":{},"finish_reason":null}]';

/** Gives chunks without choices an empty one. Mistral sends such chunks, but its package fails on them. */
export class EmptyChoices implements ByteReader {
  /** A line that has not ended. */
  #rest: Buffer = EMPTY;

  read(chunk: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(LINE_BREAK) + 1;
    this.#rest = bytes.subarray(end);
    const lines = bytes.subarray(0, end);
    if (!lines.includes(MARK)) return lines;
    const mended = lines
      .toString()
      .replace(/^data:.*$/gm, (line) => line.replace(/^(.*?)"choices":\[\]/, `$1${CHOICE}`));
    return Buffer.from(mended);
  }

  end(): Buffer {
    return this.#rest;
  }
}
