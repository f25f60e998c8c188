import { stemmer } from 'stemmer';
import { STOP_WORDS } from './stop-words.ts';

/** Latin accents, Hebrew points, Arabic vowel signs and elongation. Marks of other scripts are letters. */
const DIACRITICS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g;

const ALIKE: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i' };
const ALIKE_LETTERS = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'g');

const ARABIC: Record<string, string> = { أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ة: 'ه' };
const ARABIC_LETTERS = new RegExp(`[${Object.keys(ARABIC).join('')}]`, 'g');

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(DIACRITICS, '')
    // Recomposes Hangul and kana, which were decomposed along with accents.
    .normalize('NFC')
    .replace(ALIKE_LETTERS, (letter) => ALIKE[letter] ?? letter)
    .replace(ARABIC_LETTERS, (letter) => ARABIC[letter] ?? letter);

/** Runs of letters, digits, and their marks, including inner apostrophes. */
const WORDS = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu;

/** A run in scripts without spaces between words, or a run of others. */
const RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Scripts whose words have attached parts, such as the Arabic article, so they are also found by pieces. */
const JOINED = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hangul}]/u;

const ENGLISH = /^[a-z]+$/;

const MAX_TERM = 40;

const KNOWN_STEMS = 20_000;
const stems = new Map<string, string>();

/**
 * Returns the terms of a text, separated by spaces, for index and question alike.
 *
 * Folds case and diacritics, stems English words, drops English stop words, and cuts scripts without spaces
 * into pieces of two and three characters.
 */
export function analyze(text: string): string {
  const terms: string[] = [];
  for (const [word] of fold(text).matchAll(WORDS)) {
    // Fast path for most words.
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

/** More words do not make a question clearer, but each costs a posting list. */
const MAX_TERMS = 128;

export const queryTerms = (text: string): string =>
  [...new Set(analyze(text).split(' '))].slice(0, MAX_TERMS).join(' ');
