/** Similarity of a text to OCR output. */
export interface TextComparison {
  /** 1 for a verbatim match except case, punctuation, and spacing; 0 for none. The best passage counts. */
  likeness: number;
  /** Share of the words, weighted by letters, that were read at least approximately. */
  wordCoverage: number;
  /** Words that were not read; at most 20. */
  missing: string[];
  /** Whether a missing word has a digit: an almost correct number is wrong. */
  numberMissing: boolean;
  /** Letters and digits of the expected text. */
  letters: number;
}

/**
 * Limit for comparing letter by letter, which takes the product of the lengths; longer texts are compared by
 * words.
 */
const MAX_STEPS = 20_000_000;

/** Longer OCR output is cut. */
const MAX_READ = 50_000;

/** Limit of word pairs compared by letters; words not found by then count as missing. */
const MAX_PAIRS = 300_000;

const MAX_MISSING = 20;

/** Minimum similarity of two words: reading an `l` for a `1` is common. */
const MIN_WORD_SIMILARITY = 0.67;

/** Finds an expected text in OCR output, with misread letters and other line breaks. */
export function compareText(expected: string, read: string): TextComparison {
  const wanted = normalise(expected);
  const found = normalise(read.slice(0, MAX_READ));
  const words = wordsOf(wanted);
  const missing = words.filter(unmatchedBy(wordsOf(found)));
  const length = lengthOf(words);
  const wordCoverage = length === 0 ? 0 : 1 - lengthOf(missing) / length;
  return {
    likeness: likeness(wanted, found),
    wordCoverage,
    missing: missing.slice(0, MAX_MISSING),
    numberMissing: missing.some(hasDigit),
    letters: length,
  };
}

/** Removes case, accents that fonts make hard to read, punctuation, and spacing. */
function normalise(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(WITHIN_SCRIPT, '')
    .trim();
}

/** Spaces in scripts that are written without them. */
const WITHIN_SCRIPT =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]) (?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])/gu;

const hasDigit = (word: string) => /\p{N}/u.test(word);

const wordsOf = (text: string) => text.split(' ').filter((word) => word !== '');
const lengthOf = (words: string[]) => words.reduce((sum, { length }) => sum + length, 0);

/** Matches each read word with one expected word only. */
function unmatchedBy(read: string[]): (word: string) => boolean {
  const left = new Map<string, number>();
  for (const word of read) left.set(word, (left.get(word) ?? 0) + 1);
  const take = (word: string) => {
    const count = left.get(word) ?? 0;
    if (count === 0) return false;
    if (count === 1) left.delete(word);
    else left.set(word, count - 1);
    return true;
  };
  let pairs = MAX_PAIRS;
  const nearly = (word: string) => {
    if (hasDigit(word)) return false;
    for (const other of left.keys()) {
      const allowed = allowedBetween(word, other);
      if (allowed === 0) continue;
      pairs -= 1;
      if (pairs < 0) return false;
      if (distance([...word], [...other], { anywhere: false }) <= allowed) return take(other);
    }
    return false;
  };
  return (word) => !take(word) && !nearly(word);
}

/** Returns how many letters may differ between two similar words; 0 if they cannot be similar. */
function allowedBetween(one: string, other: string): number {
  const allowed = Math.floor(Math.max(one.length, other.length) * (1 - MIN_WORD_SIMILARITY));
  return Math.abs(one.length - other.length) > allowed ? 0 : allowed;
}

function likeness(wanted: string, found: string): number {
  if (wanted === '') return 0;
  if (found.includes(wanted)) return 1;
  const byLetters = wanted.length * found.length <= MAX_STEPS;
  const [parts, among] = byLetters ? [[...wanted], [...found]] : [wordsOf(wanted), wordsOf(found)];
  return 1 - distance(parts, among, { anywhere: true }) / parts.length;
}

/** Returns the edit distance to the whole, or to the nearest passage (Sellers). */
function distance(wanted: string[], among: string[], { anywhere }: { anywhere: boolean }): number {
  let row = Uint32Array.from({ length: wanted.length + 1 }, (_, index) => index);
  let best = row[wanted.length] as number;
  for (let at = 0; at < among.length; at++) {
    const next = new Uint32Array(wanted.length + 1);
    next[0] = anywhere ? 0 : at + 1;
    for (let index = 1; index <= wanted.length; index++) {
      const same = wanted[index - 1] === among[at] ? 0 : 1;
      next[index] = Math.min(
        (row[index - 1] as number) + same,
        (row[index] as number) + 1,
        (next[index - 1] as number) + 1,
      );
    }
    row = next;
    best = Math.min(best, row[wanted.length] as number);
  }
  return anywhere ? best : (row[wanted.length] as number);
}
