/** Longer ones are rarely said twice. */
const LONGEST = 60;
/** Bytes of all sounds together: about three minutes. */
const MOST_BYTES = 8_000_000;

/** Remembers how short phrases sound, those that were said last: greetings and the like are said again and again, and need not be made again. */
export class PhraseMemory {
  readonly #sounds = new Map<string, Uint8Array>();
  #bytes = 0;

  /** The sound of a phrase; `make` makes it where it is not known. @param manner whatever else decides how it sounds */
  async recall(phrase: string, manner: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    if (phrase.length > LONGEST) return make();
    const key = `${manner} ${phrase}`;
    const sound = this.#sounds.get(key) ?? (await make());
    if (!this.#sounds.delete(key)) this.#bytes += sound.length;
    this.#sounds.set(key, sound); // as the newest
    for (const [oldest, { length }] of this.#sounds) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#sounds.delete(oldest);
      this.#bytes -= length;
    }
    return sound;
  }
}
