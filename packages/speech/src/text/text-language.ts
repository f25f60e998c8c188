import { ENGLISH, FREQUENT } from './frequent-words.ts';

/** Scripts, and the language to name if a script has only one. */
const SCRIPTS: [name: string, letters: RegExp][] = [
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['Chinese', /\p{Script=Han}/gu],
  ['Korean', /\p{Script=Hangul}/gu],
  ['Cyrillic script', /\p{Script=Cyrillic}/gu],
  ['Greek', /\p{Script=Greek}/gu],
  ['Arabic script', /\p{Script=Arabic}/gu],
  ['Hebrew', /\p{Script=Hebrew}/gu],
  ['Hindi', /\p{Script=Devanagari}/gu],
  ['Thai', /\p{Script=Thai}/gu],
];

const listed = (words: string) => new Set(words.split(' '));
const frequent = Object.entries(FREQUENT).map(([name, words]) => ({ name, words: listed(words) }));
const english = listed(ENGLISH);

/** Names such as San Juan de los Lagos. */
const NAMES = /\p{Lu}\p{L}+(?:\s(?:de|del|la|los|las|el|van|der|den|di|da|do|dos|du|le|von|zu)){1,2}\s\p{Lu}\p{L}+/gu;

/** Fewer hits prove nothing, since names and quotations also have some. */
const MIN_HITS = 3;
const MIN_SHARE = 0.25;

export interface ForeignText {
  /** `Chinese`, `German`, or a script that many languages use. */
  language: string;
  /** Share of the letters or words, 0 to 1. */
  share: number;
  /** Whether other parts of the text may be English. */
  isPartial: boolean;
  /** Whether an English voice has a sound for any of its letters. */
  hasLatin: boolean;
}

/** Returns the language or script of a text if that is certainly not English, else null. */
export function findForeignText(text: string): ForeignText | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return null;
  const hasLatin = /\p{Script=Latin}/u.test(text);
  const counts = SCRIPTS.map(([name, pattern]) => ({ name, count: text.match(pattern)?.length ?? 0 }));
  const foreign = counts.reduce((sum, { count }) => sum + count, 0);
  // One or two signs, such as µ and α, do not count.
  if (foreign > 2 || foreign === letters) {
    // Japanese also has Chinese characters.
    const isJapanese = counts[0]!.count > 0 && counts[0]!.count + counts[1]!.count === foreign;
    const [most] = isJapanese ? [counts[0]!] : counts.toSorted((one, other) => other.count - one.count);
    if (most !== undefined && foreign > 0) {
      const share = foreign / letters;
      return { language: most.name, share, isPartial: share < 0.5, hasLatin };
    }
    if (foreign === letters) return null;
  }
  const words =
    text
      .replace(NAMES, 'X')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const hits = (known: ReadonlySet<string>) => words.filter((word) => known.has(word)).length;
  const [best] = frequent
    .map(({ name, words: known }) => ({ name, count: hits(known) }))
    .toSorted((one, other) => other.count - one.count);
  if (best === undefined || best.count < MIN_HITS || best.count < words.length * MIN_SHARE) return null;
  if (best.count <= hits(english) * 1.5) return null;
  return { language: best.name, share: best.count / words.length, isPartial: false, hasLatin };
}
