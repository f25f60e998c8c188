/** Accents of European scripts, points of Hebrew, vowel signs and the lengthening stroke of Arabic. Other scripts' marks are letters. */
const DIACRITICS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g;

/** Letters that are one to who searches, and that no decomposition joins. */
const ALIKE: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i' };
const ALIKE_LETTERS = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'g');

/** Arabic writes these one for the other. */
const ARABIC: Record<string, string> = { أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ة: 'ه' };
const ARABIC_LETTERS = new RegExp(`[${Object.keys(ARABIC).join('')}]`, 'g');

/** A text as it is compared: compatible forms joined (full width, ligatures), small, without diacritics. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(DIACRITICS, '')
    // Hangul and kana were taken apart with the accents, and are put together again.
    .normalize('NFC')
    .replace(ALIKE_LETTERS, (letter) => ALIKE[letter] ?? letter)
    .replace(ARABIC_LETTERS, (letter) => ARABIC[letter] ?? letter);
