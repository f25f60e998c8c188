/**
 * Lengths in characters. The first phrase is short, so that playback starts early. Each next one may be twice as long,
 * since it is generated during playback. Longer ones need memory and do not sound better.
 */
const FIRST_LENGTH = 45;
const MAX_LENGTH = 160;
/** Ends of sentences, clauses and words. */
const ENDS = [/[.!?…]+\s+/g, /[,;:—]\s+/g, /\s+/g];

/** Punctuation alone has no sound. */
const PRONOUNCEABLE = /[\p{L}\p{N}]/u;

/** Splits a text into phrases of at most one breath. */
export function phrasesOf(text: string): string[] {
  const phrases: string[] = [];
  for (let rest = text.trim(); rest !== ''; ) {
    const length = endOf(rest, Math.min(MAX_LENGTH, FIRST_LENGTH * 2 ** phrases.length));
    phrases.push(rest.slice(0, length).trim());
    rest = rest.slice(length).trim();
  }
  return phrases.filter((phrase) => PRONOUNCEABLE.test(phrase));
}

/** Finds the end of the first phrase: its sentence, or the best cut in a long one. */
function endOf(text: string, limit: number): number {
  for (const [rank, pattern] of ENDS.entries()) {
    const ends = [...text.slice(0, limit + 1).matchAll(pattern)].map(({ index, 0: end }) => index + end.length);
    // Sentences are spoken one by one, since each has a separate melody.
    if (rank === 0 && ends[0] !== undefined) return ends[0];
    if (rank === 0 && text.length <= limit) return text.length;
    const last = ends.at(-1);
    if (last !== undefined && (rank === 2 || last > limit / 3)) return last;
  }
  return Math.min(limit, text.length);
}
