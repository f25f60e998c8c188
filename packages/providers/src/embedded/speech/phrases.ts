/**
 * Characters: the first phrase is short, so that something is heard soon; each that follows may be twice as long, since it is made while the one before is
 * heard. Longer ones take memory, and sound no better.
 */
const FIRST = 45;
const LONGEST = 160;
/** Ends of sentences, then of clauses, then of words. */
const ENDS = [/[.!?…]+\s+/g, /[,;:—]\s+/g, /\s+/g];

/** Signs alone have no sound. */
const SAYABLE = /[\p{L}\p{N}]/u;

/** A text in phrases that are spoken one after the other, each as much as a model says in one breath. */
export function phrasesOf(text: string): string[] {
  const phrases: string[] = [];
  for (let rest = text.trim(); rest !== ''; ) {
    const length = endOf(rest, Math.min(LONGEST, FIRST * 2 ** phrases.length));
    phrases.push(rest.slice(0, length).trim());
    rest = rest.slice(length).trim();
  }
  return phrases.filter((phrase) => SAYABLE.test(phrase));
}

/** Where the first phrase ends: behind its sentence, or where a longer one can best be cut. */
function endOf(text: string, limit: number): number {
  for (const [rank, pattern] of ENDS.entries()) {
    const ends = [...text.slice(0, limit + 1).matchAll(pattern)].map(({ index, 0: end }) => index + end.length);
    // Sentences are spoken one by one: each has a melody of its own.
    if (rank === 0 && ends[0] !== undefined) return ends[0];
    if (rank === 0 && text.length <= limit) return text.length;
    const last = ends.at(-1);
    if (last !== undefined && (rank === 2 || last > limit / 3)) return last;
  }
  return Math.min(limit, text.length);
}
