/** Longer phrases are rarely repeated. */
const MAX_LENGTH = 60;
/** Limit of all audio together: about three minutes. */
const MAX_BYTES = 8_000_000;

/** Caches the audio of recent short phrases, such as greetings. */
export class PhraseMemory {
  readonly #sounds = new Map<string, Uint8Array>();
  #bytes = 0;

  /** Returns the audio of a phrase in pieces. Uncached phrases come from `make`. @param manner voice and speed */
  async *recall(
    phrase: string,
    manner: string,
    make: () => AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    if (phrase.length > MAX_LENGTH) {
      yield* make();
      return;
    }
    const key = `${manner} ${phrase}`;
    const known = this.#sounds.get(key);
    if (known !== undefined) {
      yield known;
      this.#keep(key, known);
      return;
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of make()) {
      pieces.push(piece);
      yield piece;
    }
    this.#keep(key, Buffer.concat(pieces));
  }

  #keep(key: string, sound: Uint8Array): void {
    if (!this.#sounds.delete(key)) this.#bytes += sound.length;
    this.#sounds.set(key, sound); // as the newest
    for (const [oldest, { length }] of this.#sounds) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#sounds.delete(oldest);
      this.#bytes -= length;
    }
  }
}
