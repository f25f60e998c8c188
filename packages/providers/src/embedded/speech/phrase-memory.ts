/** Longer ones are rarely said twice. */
const LONGEST = 60;
/** Bytes of all sounds together: about three minutes. */
const MOST_BYTES = 8_000_000;

/** Remembers how short phrases sound, those that were said last: greetings and the like are said again and again, and need not be made again. */
export class PhraseMemory {
  readonly #sounds = new Map<string, Uint8Array>();
  #bytes = 0;

  /** The sound of a phrase, in pieces; `make` makes it where it is not known. @param manner whatever else decides how it sounds */
  async *recall(
    phrase: string,
    manner: string,
    make: () => AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    if (phrase.length > LONGEST) {
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
      if (this.#bytes <= MOST_BYTES) break;
      this.#sounds.delete(oldest);
      this.#bytes -= length;
    }
  }
}
