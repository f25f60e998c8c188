/** Latin accents, Hebrew points, Arabic vowel signs and elongation. Marks of other scripts are letters. */
const DIACRITICS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g;

const ALIKE: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i' };
const ALIKE_LETTERS = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'g');

const ARABIC: Record<string, string> = { أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ة: 'ه' };
const ARABIC_LETTERS = new RegExp(`[${Object.keys(ARABIC).join('')}]`, 'g');

/** Folds case, width, and diacritics. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(DIACRITICS, '')
    // Recomposes Hangul and kana, which were decomposed along with accents.
    .normalize('NFC')
    .replace(ALIKE_LETTERS, (letter) => ALIKE[letter] ?? letter)
    .replace(ARABIC_LETTERS, (letter) => ARABIC[letter] ?? letter);
