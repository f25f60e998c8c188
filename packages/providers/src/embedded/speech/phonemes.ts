import { createRequire } from 'node:module';

/** What is used of the package, whose modules for `import` can't be loaded by Node. */
interface Phonemize {
  toIPA(text: string, options: { affricates: 'ligature'; language: string }): string;
}

/** Kokoro's alphabet has one sign for each of these. */
const SIGNS: [RegExp, string][] = [
  [/ɫ/g, 'l'],
  [/tʃ/g, 'ʧ'],
  [/dʒ/g, 'ʤ'],
  [/oʊ/g, 'O'],
  [/əʊ/g, 'Q'],
  [/aɪ/g, 'I'],
  [/eɪ/g, 'A'],
  [/aʊ/g, 'W'],
  [/ɔɪ/g, 'Y'],
  [/(?<=ˈ[^\s]*)ɝ/g, 'ɜɹ'],
  [/ɝ|ɚ/g, 'əɹ'],
];
const VOWELS = 'aɑæʌɔəɛɜɪiʊuoeɒAIOQWYᵻ';
/** A mark stands before its syllable there, and before the vowel here. */
const MARK = new RegExp(`([ˈˌ])([^\\s${VOWELS}ˈˌ]*)(?=[${VOWELS}])`, 'gu');
const WORD = /[^\s.,;:!?…—]+/gu;
/** Words of one syllable that are said without stress. */
const UNSTRESSED = new Set([
  'ə',
  'ðə',
  'ən',
  'ənd',
  'ænd',
  'əv',
  'tə',
  'tu',
  'ɪn',
  'ɑn',
  'æt',
  'ət',
  'fɔɹ',
  'fəɹ',
  'ɪz',
  'bi',
  'æz',
  'əz',
  'ɔɹ',
  'wəz',
  'hɪz',
  'hɝ',
  'ɪt',
  'ɪf',
  'bət',
  'bʌt',
  'bI',
  'ðæt',
  'wɪð',
  'fɹəm',
  'fɹʌm',
]);

/** The sounds of an English text, in the alphabet of Kokoro. @param dialect `en-US` or `en-GB` */
export type ToPhonemes = (text: string, dialect: string) => string;

/** Takes 0.3 s and 20 MB. */
export function loadPhonemes(): ToPhonemes {
  const require = createRequire(import.meta.url);
  const { toIPA } = require('phonemize') as Phonemize;
  return (text, language) => {
    let sounds = toIPA(text, { affricates: 'ligature', language }).replace(WORD, stressed);
    for (const [pattern, sign] of SIGNS) sounds = sounds.replace(pattern, sign);
    return sounds.replace(MARK, '$2$1').replace(/(?<=\s)-|-(?=\s)/g, '');
  };
}

/** The package marks no stress in words of one syllable; the model was trained on text that does. */
function stressed(word: string): string {
  return /[ˈˌ]/u.test(word) || UNSTRESSED.has(word) ? word : `ˈ${word}`;
}
