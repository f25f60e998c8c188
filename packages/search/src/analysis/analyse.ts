import { stemmer } from 'stemmer';
import { fold } from './fold.ts';
import { grams } from './grams.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Runs of letters, digits and what stands upon them; an apostrophe inside belongs to its word. */
const WORDS = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu;

/** A run of scripts that put no blanks between words, or a run of others. */
const RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Scripts whose words are joined from parts, as the article and the prepositions of Arabic: found by parts as well. */
const JOINED = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hangul}]/u;

const ENGLISH = /^[a-z]+$/;

/** What is longer is no word; as much of it is kept, in characters. */
const MAX_TERM = 40;

/** Stems are kept, so many at most: texts repeat their words. */
const KNOWN_STEMS = 20_000;
const stems = new Map<string, string>();

/**
 * The terms of a text, joined by blanks, for index and question alike: case and diacritics are folded, English words are stemmed and its
 * commonest left out, and what is written without blanks is cut into pieces of two and three characters.
 */
export function analyse(text: string): string {
  const terms: string[] = [];
  for (const [word] of fold(text).matchAll(WORDS)) {
    // Most words of most texts, without a look at all that others may be.
    if (ENGLISH.test(word)) addEnglish(word.slice(0, MAX_TERM), terms);
    else for (const [run] of word.matchAll(RUNS)) addTerms(run, terms);
  }
  return terms.join(' ');
}

function addEnglish(word: string, terms: string[]): void {
  if (STOP_WORDS.has(word)) return;
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = stemmer(word);
    if (stems.size >= KNOWN_STEMS) stems.clear();
    stems.set(word, stem);
  }
  terms.push(stem);
}

function addTerms(run: string, terms: string[]): void {
  if (UNSPACED.test(run)) {
    // One by one: a call takes no more arguments than fit on the stack.
    for (const gram of grams(run)) terms.push(gram);
    return;
  }
  const word = run
    .replace(/['’]s$/, '')
    .replaceAll(/['’]/g, '')
    .slice(0, MAX_TERM);
  if (word === '') return;
  if (ENGLISH.test(word)) addEnglish(word, terms);
  else if (JOINED.test(word)) terms.push(word, ...grams(word).filter((gram) => gram !== word));
  else terms.push(word);
}
