import { createRequire } from 'node:module';
import { british, PRONUNCIATIONS } from './pronunciations.ts';

/** The part of the package that is used here. Node can't load its ES modules. */
interface Phonemize {
  toIPA(text: string, options: { affricates: 'ligature'; language: string }): string;
}

/** Sounds for which Kokoro's alphabet has a single symbol. */
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
const VOWEL = new RegExp(`[${VOWELS}]`, 'u');
const STRONG_VOWEL = /[aɑæʌɔɛɜɝɪiʊuoeɒ]/u;
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

/** Names of letters, which the package treats as words. */
const LETTERS = Object.fromEntries(
  'A:A B:bi C:si D:di E:i F:ɛf G:ʤi H:Aʧ I:I J:ʤA K:kA L:ɛl M:ɛm N:ɛn O:O P:pi Q:kju R:ɑɹ S:ɛs T:ti U:ju V:vi W:dʌbəlju X:ɛks Y:wI Z:zi'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);
/** Separate letters are an acronym, but a single letter may be a word. */
const ACRONYM = /[A-Z](?: [A-Z]\b)+(?:'s\b)?|[B-HJ-Z](?:'s)?\b(?!')/;
const words = Object.keys(PRONUNCIATIONS).sort((one, other) => other.length - one.length);
const KNOWN = new RegExp(
  `(?<![\\w'])(${ACRONYM.source}|(?:${words.join('|')}|${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('|')})(?![\\w']))`,
);

/** Converts English text to Kokoro's alphabet. @param dialect `en-US` or `en-GB` */
export type ToPhonemes = (text: string, dialect: string) => string;

/** Takes 0.3 s and 20 MB. */
export function loadPhonemes(): ToPhonemes {
  const require = createRequire(import.meta.url);
  const { toIPA } = require('phonemize') as Phonemize;
  return (text, language) => {
    const read = (words: string) => {
      let sounds = toIPA(words, { affricates: 'ligature', language }).replace(WORD, stressed);
      for (const [pattern, sign] of SIGNS) sounds = sounds.replace(pattern, sign);
      return sounds.replace(MARK, '$2$1').replace(/(?<=\s)-|-(?=\s)/g, '');
    };
    // Pieces at odd positions are known.
    const sounds = text
      .replace(/(?<=\w)-(?=\w)/g, ' ')
      .split(KNOWN)
      .map((piece, at) => {
        if (at % 2 === 1) {
          const known = PRONUNCIATIONS[piece.toLowerCase()] ?? acronym(piece);
          return language === 'en-GB' ? british(known) : known;
        }
        const [, before, words, after] = /^(\s*)(.*?)(\s*)$/s.exec(piece)!;
        return before! + (words === '' ? '' : read(words!)) + after!;
      });
    return sounds.join('');
  };
}

/** Stresses the last letter most. */
function acronym(letters: string): string {
  const isPlural = letters.endsWith("'s");
  const names = letters
    .replace("'s", '')
    .split(' ')
    .map((letter) => LETTERS[letter]!);
  const sounds = names.map((name, at) => name.replace(VOWEL, `${at === names.length - 1 ? 'ˈ' : 'ˌ'}$&`));
  return sounds.join(' ') + (isPlural ? 'z' : '');
}

/** Adds stress to words of one syllable, on which the model was trained, but which the package does not mark. */
function stressed(word: string): string {
  const isWeak = UNSTRESSED.has(word) || !STRONG_VOWEL.test(word);
  return /[ˈˌ]/u.test(word) || isWeak ? word : `ˈ${word}`;
}
