import { createRequire } from 'node:module';

/** The part of the package used here; Node can't load its ES modules. */
interface Phonemize {
  toIPA(text: string, options: { affricates: 'ligature'; language: string }): string;
}

/** Sounds for which Kokoro's alphabet has a single sign. */
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
/** The package marks stress before the syllable, Kokoro before the vowel. */
const MARK = new RegExp(`([ˈˌ])([^\\s${VOWELS}ˈˌ]*)(?=[${VOWELS}])`, 'gu');
const WORD = /[^\s.,;:!?…—]+/gu;
/** Unstressed words of one syllable. */
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

/** Converts English text to Kokoro's alphabet. @param dialect `en-US` or `en-GB` */
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

/** Adds stress to words of one syllable: the package marks none, but the model was trained on it. */
function stressed(word: string): string {
  return /[ˈˌ]/u.test(word) || UNSTRESSED.has(word) ? word : `ˈ${word}`;
}
