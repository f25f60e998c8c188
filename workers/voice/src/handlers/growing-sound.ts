import { type FileHandle, open } from 'node:fs/promises';

/** Sound that is read from a file while the rest is decoded into it. */
export class GrowingSound {
  readonly #path: string;
  readonly #startedAt = performance.now();
  readonly #decoding: Promise<void>;
  #file: FileHandle | null = null;
  #size = 0;
  #endedAt: number | null = null;
  #failure: { error: unknown } | null = null;
  #wake = () => {};

  /** @param decode writes the sound to `path`, and reports each new size in bytes */
  constructor(path: string, decode: (onSize: (size: number) => void) => Promise<void>) {
    this.#path = path;
    this.#decoding = decode((size) => {
      this.#size = size;
      this.#wake();
    })
      .catch((error) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#endedAt = performance.now();
        this.#wake();
      });
  }

  /** Waits until the file has `size` bytes or is whole. Throws the error of decoding. */
  async upTo(size: number): Promise<{ size: number; isWhole: boolean }> {
    while (this.#size < size && this.#endedAt === null)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#failure !== null) throw this.#failure.error;
    return { size: this.#size, isWhole: this.#endedAt !== null };
  }

  async read(start: number, length: number): Promise<Buffer> {
    this.#file ??= await open(this.#path);
    const buffer = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await this.#file.read(buffer, at, length - at, start + at);
      if (bytesRead === 0) throw new Error('The decoded sound is shorter than its file');
      at += bytesRead;
    }
    return buffer;
  }

  /** How long decoding has taken so far. */
  get decodingMs(): number {
    return (this.#endedAt ?? performance.now()) - this.#startedAt;
  }

  /** Waits for decoding to end. The caller aborts it first if it is no longer needed. */
  async close(): Promise<void> {
    await this.#decoding;
    await this.#file?.close();
  }
}
