/** Pieces of text and their log probability; the index is the token. */
export type Vocabulary = readonly (readonly [piece: string, score: number])[];

/** The first tokens are not text. */
const RESERVED = 6;
/** Marks a blank, as at the start of each word. */
const BLANK = '▁';

interface Node {
  next: Map<string, Node>;
  number: number;
  score: number;
}

/**
 * Splits a text into its most likely pieces, as SentencePiece does with a unigram model. Drops text that no piece
 * covers.
 */
export class Tokenizer {
  readonly #root: Node = { next: new Map(), number: 0, score: 0 };

  constructor(vocabulary: Vocabulary) {
    for (const [number, [piece, score]] of vocabulary.entries()) {
      if (number < RESERVED) continue;
      let node = this.#root;
      for (const letter of piece) {
        let next = node.next.get(letter);
        if (next === undefined) {
          next = { next: new Map(), number: 0, score: 0 };
          node.next.set(letter, next);
        }
        node = next;
      }
      node.number = number;
      node.score = score;
    }
  }

  encode(text: string): number[] {
    const letters = [...`${BLANK}${text.normalize('NFKC').replaceAll(' ', BLANK)}`];
    // For each position: the best score, the last piece, and where it starts.
    const best = new Float64Array(letters.length + 1).fill(Number.NEGATIVE_INFINITY);
    const piece = new Int32Array(letters.length + 1);
    const from = new Int32Array(letters.length + 1);
    best[0] = 0;
    for (let start = 0; start < letters.length; start += 1) {
      const before = best[start]!;
      let node = this.#root.next.get(letters[start]!);
      let found = false;
      for (let end = start + 1; node !== undefined; end += 1) {
        const score = before + node.score;
        if (node.number > 0) found = true;
        if (node.number > 0 && score >= best[end]!) {
          best[end] = score;
          piece[end] = node.number;
          from[end] = start;
        }
        node = end < letters.length ? node.next.get(letters[end]!) : undefined;
      }
      if (!found && before > best[start + 1]!) {
        best[start + 1] = before;
        piece[start + 1] = 0;
        from[start + 1] = start;
      }
    }
    const numbers: number[] = [];
    for (let end = letters.length; end > 0; end = from[end]!) if (piece[end]! > 0) numbers.push(piece[end]!);
    return numbers.reverse();
  }
}
