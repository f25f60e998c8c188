import type { Row } from '@chorus/documents/pdf';

const BAR = /^[|[\]](?=$|['’])/;

/** Bars taller than this, relative to the font size, are rules between columns. */
const MAX_LETTER_HEIGHT = 1.1;

/** Converts bars between English words to the word "I", which looks the same in many fonts. */
export function correctWords(rows: readonly Row[], languages: readonly string[]): Row[] {
  if (languages[0] !== 'eng') return [...rows];
  return rows.map((row) => ({
    ...row,
    segments: row.segments.map((segment) => {
      const lettered = segment.words.filter(({ text }) => /\p{L}{2}/u.test(text)).length;
      if (lettered < 2) return segment;
      const corrected = segment.words.map((word) =>
        word.box.height > segment.size * MAX_LETTER_HEIGHT ? word : { ...word, text: word.text.replace(BAR, 'I') },
      );
      return { ...segment, words: corrected };
    }),
  }));
}
