import { type Hit, type Language, languageOf, stemsOf } from '@chorus/search';
import { nounAskedFor, withoutAskedFor } from './answer-kind.ts';
import { preparedText } from './prepared-text.ts';
import type { Sentence } from './sentences.ts';

/** Word match of a sentence with a question. Shares are 0 to 1, by term weight. */
export interface MatchedSentence {
  sentence: Sentence;
  /** Terms in the sentence, or in the previous one if it refers back; terms only in headings count half. */
  share: number;
  /** The same including the next sentence. */
  shareOfTwo: number;
  /** Pairs of adjacent question terms that are adjacent here, too. */
  pairs: number;
  matched: number;
}

export interface MatchedHit {
  hit: Hit;
  /** All terms of text, title, and headings. */
  terms: ReadonlySet<string>;
  sentences: MatchedSentence[];
  asked: number;
  /** Share of terms found anywhere in the hit, by weight. */
  share: number;
  /** Share of the question's names and numbers missing in the hit, 0 to 1. */
  missingNames: number;
  missingNumbers: number;
}

/** Weight factor for terms found only in the previous sentence, title, or headings. */
const CONTEXT_WEIGHT = 0.8;
const IN_HEADINGS = 0.5;
const NONE: ReadonlySet<string> = new Set();

/** Scripts without spaces. Most pieces of their texts are not words, so a missing one means little. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const OF_NO_WORD = 0.2;

/** Smooths term rarity, since a few hits are a small sample. */
const PRIOR_HITS = 8;
const PRIOR_WITH_TERM = 1;
const NOUN_ASKED_FOR = 0.4;
const NAME = 1.2;

const REFERS_BACK_IN: Partial<Record<Language, RegExp>> = {
  en: /^(It|He|She|They|This|These|Those|Its|His|Her|Their|Such)\b/,
  de: /^(Er|Sie|Es|Dies|Diese[rsmn]?|Seine?|Ihre?|Dort|Dabei|Damit|Dadurch)\b/,
  fr: /^(Il|Elle|Ils|Elles|Ce|Cet|Cette|Ces|Son|Sa|Ses|Leurs?|On)\b/,
  es: /^(Él|Ella|Ellos|Ellas|Este|Esta|Estos|Estas|Esto|Ese|Esa|Su|Sus|Allí)(?!\p{L})/u,
  it: /^(Egli|Ella|Esso|Essa|Essi|Lui|Lei|Quest[oaie]|Il suo|La sua)\b/,
  pt: /^(Ele|Ela|Eles|Elas|Este|Esta|Isto|Esse|Essa|Seu|Sua)\b/,
  nl: /^(Hij|Zij|Ze|Het|Deze|Dit|Zijn|Haar|Hun)\b/,
  ru: /^(Он|Она|Оно|Они|Это|Этот|Эта|Его|Её|Ее|Их)(?!\p{L})/u,
};

export const refersBack = (sentence: string, language: Language | null): boolean =>
  (REFERS_BACK_IN[language ?? 'en'] ?? REFERS_BACK_IN.en)?.test(sentence) ?? false;

/** Weight of a part of a compound word, such as `Gericht` in `Verfassungsgericht`. */
const IN_COMPOUND = 0.7;
const COMPOUNDING: ReadonlySet<Language | null> = new Set(['da', 'de', 'fi', 'nl', 'no', 'sv']);
const MIN_PART = 4;

const NAMES = /(?<=\s)\p{Lu}[\p{L}\d'’-]+/gu;
const NUMBERS = /\b\d[\d.,]*\b/g;

/** Returns the language of a question. Short questions are assumed to be in the language of the hits. */
export const languageOfQuestion = (question: string, hits: readonly Hit[]): Language | null =>
  languageOf(question) ?? languageOf(hits.map(({ text }) => text.slice(0, 300)).join('\n'));

/** Matches a question with each sentence of the hits. Terms in fewer hits weigh more. */
export function matchSentences(
  question: string,
  hits: readonly Hit[],
  language: Language | null = languageOfQuestion(question, hits),
): MatchedHit[] {
  const termsOf = (text: string) => stemsOf(text, language);
  const asked = termsOf(withoutAskedFor(question));
  const noun = new Set(termsOf(nounAskedFor(question)));
  // German capitalizes every noun like a name.
  const names = new Set(language === 'de' ? [] : termsOf((question.match(NAMES) ?? []).join(' ')));
  const numbers = new Set(termsOf((question.match(NUMBERS) ?? []).join(' ')));
  const prepared = hits.map((hit) => ({
    hit,
    headings: new Set(termsOf([hit.title, ...hit.heading_path].join('\n'))),
    ...preparedText(hit.text, language),
  }));
  const found = prepared.map(({ headings, terms }) => terms.union(headings));
  const weights = new Map<string, number>();
  for (const term of asked) {
    const count = found.filter((terms) => terms.has(term)).length;
    let weight = Math.log(1 + (hits.length + PRIOR_HITS - count + 0.5) / (count + PRIOR_WITH_TERM + 0.5));
    if (noun.has(term)) weight *= NOUN_ASKED_FOR;
    if (names.has(term)) weight *= NAME;
    if (count === 0 && UNSPACED.test(term)) weight *= OF_NO_WORD;
    weights.set(term, weight);
  }
  const total = sumOf(weights.values());
  const pairsAsked = pairsOf(asked);
  const pairsTotal = sumOf([...pairsAsked.values()].map(([a, b]) => weights.get(a)! + weights.get(b)!));

  const isPart = (term: string, terms: ReadonlySet<string>): boolean => {
    if (!COMPOUNDING.has(language) || term.length < MIN_PART) return false;
    for (const word of terms) {
      const [short, long] = word.length < term.length ? [word, term] : [term, word];
      if (
        short.length >= MIN_PART &&
        long.length > short.length + 2 &&
        (long.startsWith(short) || long.endsWith(short))
      )
        return true;
    }
    return false;
  };
  const shareIn = (
    terms: ReadonlySet<string>,
    headings: ReadonlySet<string>,
    referred: ReadonlySet<string> = NONE,
    next: ReadonlySet<string> = NONE,
  ): number => {
    let share = 0;
    for (const [term, weight] of weights) {
      if (terms.has(term) || next.has(term)) share += weight;
      else if (referred.has(term)) share += weight * CONTEXT_WEIGHT;
      else if (isPart(term, terms)) share += weight * IN_COMPOUND;
      else if (headings.has(term)) share += weight * IN_HEADINGS;
    }
    return total > 0 ? share / total : 0;
  };
  const pairsIn = (terms: readonly string[]): number => {
    let share = 0;
    const seen = new Set<string>();
    for (let at = 1; at < terms.length; at += 1) {
      // Both are rarely true, so most pairs are never built.
      if (!weights.has(terms[at]!) || !weights.has(terms[at - 1]!)) continue;
      const pair = `${terms[at - 1]} ${terms[at]}`;
      const both = seen.has(pair) ? undefined : pairsAsked.get(pair);
      if (both === undefined) continue;
      seen.add(pair);
      share += weights.get(both[0])! + weights.get(both[1])!;
    }
    return pairsTotal > 0 ? share / pairsTotal : 0;
  };

  return prepared.map(({ hit, headings, sentences }, index) => {
    const all = found[index]!;
    return {
      hit,
      terms: all,
      asked: weights.size,
      share: shareIn(all, all),
      missingNames: missingFrom(all, names),
      missingNumbers: missingFrom(all, numbers),
      sentences: sentences.map(({ sentence, terms, unique: own }, at) => {
        // Pronouns refer to the previous sentence.
        const referred = (refersBack(sentence.text, language) ? sentences[at - 1]?.unique : undefined) ?? NONE;
        return {
          sentence,
          share: shareIn(own, headings, referred),
          shareOfTwo: shareIn(own, headings, NONE, sentences[at + 1]?.unique),
          pairs: pairsIn(terms),
          matched: [...weights.keys()].filter((term) => own.has(term) || referred.has(term) || isPart(term, own))
            .length,
        };
      }),
    };
  });
}

function missingFrom(all: ReadonlySet<string>, terms: ReadonlySet<string>): number {
  return terms.size === 0 ? 0 : [...terms].filter((term) => !all.has(term)).length / terms.size;
}

function pairsOf(terms: readonly string[]): Map<string, [string, string]> {
  return new Map(terms.slice(1).map((term, at) => [`${terms[at]} ${term}`, [terms[at]!, term]]));
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
