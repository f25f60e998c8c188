/** Cuts a text at the first stop word, holding back text that may become one. */
export class StopWords {
  readonly #stops: string[];
  #held = '';
  #over = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** Returns the text that can be shown after this piece. */
  take(piece: string): string {
    if (this.#over) return '';
    const text = this.#held + piece;
    const ends = this.#stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
    this.#over = ends.length > 0;
    const shown = this.#over ? Math.min(...ends) : text.length - this.#partialMatch(text);
    this.#held = this.#over ? '' : text.slice(shown);
    return text.slice(0, shown);
  }

  /** Returns the held-back text when the answer ends. */
  rest(): string {
    return this.#held;
  }

  /** Returns how many characters at the end of a text may start a stop word. */
  #partialMatch(text: string): number {
    const longest = (stop: string) => {
      for (let length = Math.min(stop.length - 1, text.length); length > 0; length -= 1)
        if (text.endsWith(stop.slice(0, length))) return length;
      return 0;
    };
    return Math.max(0, ...this.#stops.map(longest));
  }
}
