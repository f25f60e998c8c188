const FIRST_BYTES = 64 * 1024;

/** Joins chunks into parts of `partBytes`. The last part may be shorter, or empty for an empty source. */
export class PartBuffers {
  readonly #partBytes: number;
  readonly #free: Buffer[] = [];

  constructor(partBytes: number) {
    this.#partBytes = partBytes;
  }

  async *of(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
    // Most blobs are small, so the first part starts small.
    let part: Buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_BYTES, this.#partBytes));
    let filled = 0;
    let count = 0;
    for await (const chunk of source) {
      for (let at = 0; at < chunk.byteLength; ) {
        if (filled === part.length) part = this.#grown(part);
        const taken = chunk.subarray(at, at + part.length - filled);
        part.set(taken, filled);
        filled += taken.byteLength;
        at += taken.byteLength;
        if (filled < this.#partBytes) continue;
        yield part;
        count += 1;
        part = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#partBytes);
        filled = 0;
      }
    }
    if (filled > 0 || count === 0) yield part.subarray(0, filled);
  }

  giveBack(part: Buffer): void {
    if (part.length === this.#partBytes) this.#free.push(part);
  }

  #grown(part: Buffer): Buffer {
    const larger = Buffer.allocUnsafeSlow(Math.min(part.length * 4, this.#partBytes));
    larger.set(part);
    return larger;
  }
}
