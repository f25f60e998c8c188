const OPENING = '<think>';
const CLOSING = '</think>';

/** Text of an answer, and the thoughts that came with it. */
interface Split {
  reasoning: string;
  text: string;
}

/**
 * Separates thoughts from the beginning of a text. Many open models write them in `<think>`, and servers that do not
 * know the model leave them there.
 */
export class ThinkTags {
  #state: 'start' | 'thoughts' | 'gap' | 'text' = 'start';
  /** Possibly part of a tag, or whitespace next to one. */
  #held = '';
  #thought = false;

  /** Whether everything that follows is text. */
  get done(): boolean {
    return this.#state === 'text';
  }

  take(delta: string): Split {
    this.#held += delta;
    if (this.#state === 'start') {
      const begun = this.#held.trimStart();
      if (begun.length < OPENING.length && OPENING.startsWith(begun)) return { reasoning: '', text: '' };
      if (!begun.startsWith(OPENING)) return { reasoning: '', text: this.#rest() };
      this.#state = 'thoughts';
      this.#held = begun.slice(OPENING.length);
    }
    const reasoning = this.#state === 'thoughts' ? this.#thoughts() : '';
    if (this.#state !== 'gap') return { reasoning, text: '' };
    this.#held = this.#held.trimStart();
    return { reasoning, text: this.#held === '' ? '' : this.#rest() };
  }

  /** Returns the rest, which was held back until the answer ended. */
  end(): Split {
    const thinks = this.#state === 'thoughts';
    const rest = this.#rest();
    return thinks ? { reasoning: rest.trimEnd(), text: '' } : { reasoning: '', text: rest };
  }

  #thoughts(): string {
    if (!this.#thought) this.#held = this.#held.trimStart();
    const end = this.#held.indexOf(CLOSING);
    if (end !== -1) {
      const last = this.#held.slice(0, end).trimEnd();
      this.#held = this.#held.slice(end + CLOSING.length);
      this.#state = 'gap';
      return last;
    }
    const from = this.#held.lastIndexOf('<');
    const mayClose = from !== -1 && CLOSING.startsWith(this.#held.slice(from));
    const thoughts = (mayClose ? this.#held.slice(0, from) : this.#held).trimEnd();
    this.#held = this.#held.slice(thoughts.length);
    this.#thought ||= thoughts !== '';
    return thoughts;
  }

  #rest(): string {
    const rest = this.#held;
    this.#held = '';
    this.#state = 'text';
    return rest;
  }
}
