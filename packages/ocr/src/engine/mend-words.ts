import type { Row } from '../layout/row.ts';

/** Stands for a capital I: alone, or before an apostrophe. */
const BAR = /^[|[\]](?=$|['’])/;

/** A bar of this height, in sizes of the type, is a rule between columns. */
const TALL = 1.1;

/** In English a bar among words is the word "I", which many typefaces draw the same. */
export function mendWords(rows: readonly Row[], languages: readonly string[]): Row[] {
  if (languages[0] !== 'eng') return [...rows];
  return rows.map((row) => ({
    ...row,
    segments: row.segments.map((segment) => {
      const lettered = segment.words.filter(({ text }) => /\p{L}{2}/u.test(text)).length;
      if (lettered < 2) return segment;
      const mended = segment.words.map((word) =>
        word.box.height > segment.size * TALL ? word : { ...word, text: word.text.replace(BAR, 'I') },
      );
      return { ...segment, words: mended };
    }),
  }));
}
