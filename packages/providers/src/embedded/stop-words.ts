/** Ends a text at the first of some words, holding back what may yet become one. */
export class StopWords {
  readonly #stops: string[];
  #held = '';
  #over = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** What can be shown now that this piece has come; may be empty. */
  take(piece: string): string {
    if (this.#over) return '';
    const text = this.#held + piece;
    const ends = this.#stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
    this.#over = ends.length > 0;
    const shown = this.#over ? Math.min(...ends) : text.length - this.#beginning(text);
    this.#held = this.#over ? '' : text.slice(shown);
    return text.slice(0, shown);
  }

  /** What was held back when the answer ended without becoming a stop word. */
  rest(): string {
    return this.#held;
  }

  /** How much of the end of a text is the beginning of a stop word. */
  #beginning(text: string): number {
    const longest = (stop: string) => {
      for (let length = Math.min(stop.length - 1, text.length); length > 0; length -= 1)
        if (text.endsWith(stop.slice(0, length))) return length;
      return 0;
    };
    return Math.max(0, ...this.#stops.map(longest));
  }
}
