/** A character that ends a JSON string or escapes another, or that a JSON string may not contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them
const NOT_PLAIN = /["\\\u0000-\u001f]/;

/**
 * Recognizes events that differ from an earlier one only in their text, like most events of an answer. Reads their
 * text without parsing them again.
 */
export class RepeatedEvent {
  /** The event before and after its text. Null: none is known. */
  #around: { before: string; after: string } | null = null;

  /** Learns an event. @param sent as the server sent it @param text its text, if that is all it adds */
  learn(sent: string, text: string): void {
    this.#around = null;
    const value = JSON.stringify(text);
    const at = sent.indexOf(value);
    // A text that occurs twice could be something else, such as the name of the model.
    if (text === '' || at === -1 || sent.indexOf(value, at + 1) !== -1) return;
    const before = sent.slice(0, at + 1);
    if (/:\s*"$/.test(before)) this.#around = { before, after: sent.slice(at + value.length - 1) };
  }

  /** Returns the text of an event from a position, and the position after it. Null: it is another event. */
  match(sent: string, from: number): { text: string; end: number } | null {
    if (this.#around === null) return null;
    const { before, after } = this.#around;
    // Comparing slices is several times as fast as `startsWith`.
    const begin = from + before.length;
    if (sent.slice(from, begin) !== before) return null;
    const end = sent.indexOf('"', begin);
    if (end === -1 || sent.slice(end, end + after.length) !== after) return null;
    const text = sent.slice(begin, end);
    return NOT_PLAIN.test(text) ? null : { text, end: end + after.length };
  }
}
