import { stemmer } from 'stemmer';
import { fold } from './fold.ts';
import { FREQUENT_WORDS, type Language, languageOf, STEMMERS } from './languages.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Runs of letters, digits, and their marks, including inner apostrophes. */
const WORDS = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu;

/** A run in scripts without spaces between words, or a run of others. */
const RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Scripts whose words have attached parts, such as the Arabic article, so they are also found by pieces. */
const JOINED = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hangul}]/u;

const UNSPACED_OR_JOINED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hangul}]/u;

const ENGLISH = /^[a-z]+$/;

/** Increase it when terms change. The index of documents is then refilled, while the previous one is searched. */
export const ANALYSIS_VERSION = 2;

const MAX_TERM = 40;

const KNOWN_STEMS = 20_000;
const stems = new Map<string, string>();

/**
 * Returns the terms of a text, separated by spaces, for the index and for questions.
 *
 * Folds case and diacritics, drops frequent words, and cuts scripts without spaces into pieces of two and three
 * characters. Words are stemmed as English ones, and if the text is in another language, by its rules, too. A question
 * then finds a text even if the language of one of them is not recognized, or if they share a name.
 */
export function analyze(text: string, language: Language | null = languageOf(text)): string {
  if (language === null || language === 'en') return plainTerms(text).join(' ');
  return words(text)
    .flatMap((word) => {
      const own = stemIn(language, word);
      return own === '' ? [] : [...new Set([own, ...plainTerms(word)])];
    })
    .join(' ');
}

/** Returns the terms of a text in a known language: one stem per word, or the pieces of `analyze`. */
export function stemsOf(text: string, language: Language | null): string[] {
  if (language === null || language === 'en') return plainTerms(text);
  return words(text).flatMap((word) => {
    if (UNSPACED_OR_JOINED.test(word)) return plainTerms(word);
    return stemIn(language, word) || [];
  });
}

const words = (text: string): string[] =>
  // Elisions such as `l'eau` and `dell'arte` are two words.
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(WORDS)
    ?.flatMap((word) => word.split(/['’]/)) ?? [];

const stemsIn = new Map<Language, Map<string, string>>();

/** Returns the folded stem of a word; empty for frequent words. Stemmers need the accents. */
function stemIn(language: Language, word: string): string {
  const known = stemsIn.get(language) ?? new Map<string, string>();
  stemsIn.set(language, known);
  let stem = known.get(word);
  if (stem === undefined) {
    const short = word.slice(0, MAX_TERM);
    const folded = fold(short);
    stem = FREQUENT_WORDS[language].has(folded) ? '' : fold(STEMMERS[language]?.(short) ?? short);
    if (known.size >= KNOWN_STEMS) known.clear();
    known.set(word, stem);
  }
  return stem;
}

function plainTerms(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of fold(text).matchAll(WORDS)) {
    // Fast path for most words.
    if (ENGLISH.test(word)) addEnglish(word.slice(0, MAX_TERM), terms);
    else for (const [run] of word.matchAll(RUNS)) addTerms(run, terms);
  }
  return terms;
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
    // A spread could exceed the argument limit.
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

function grams(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  const pieces: string[] = [];
  for (let at = 0; at < characters.length - 1; at += 1) {
    pieces.push(characters.slice(at, at + 2).join(''));
    if (at < characters.length - 2) pieces.push(characters.slice(at, at + 3).join(''));
  }
  return pieces;
}

/** Limit of words: more do not make a question clearer, but each costs a posting list. */
const MAX_TERMS = 128;

/** Returns the words of a question: for each one, the terms of which a text must have any. */
export function queryWords(text: string): string[][] {
  const language = languageOf(text);
  const terms = words(text).map((word) => analyze(word, language));
  return [...new Set(terms)].filter((some) => some !== '').map((some) => some.split(' '));
}

export const queryTerms = (text: string): string =>
  [...new Set(analyze(text).split(' '))].slice(0, MAX_TERMS).join(' ');
