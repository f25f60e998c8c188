import { analyse, type Hit } from '@chorus/search';
import { type Sentence, sentencesOf } from './sentences.ts';

/** How well a sentence of a hit fits a question by its words. Shares are 0 to 1. */
export interface MatchedSentence {
  sentence: Sentence;
  /** Of the weight of the question's terms: those that stand in it, and half of those in the headings above it. */
  share: number;
  /** The same with the sentence behind it. */
  shareOfTwo: number;
  /** Of the weight of the question's pairs of neighbours: those that are neighbours in it, too. */
  pairs: number;
}

export interface MatchedHit {
  hit: Hit;
  sentences: MatchedSentence[];
}

/** What of a term's weight counts where it stands only in the title and the headings. */
const IN_HEADINGS = 0.5;

/** What is written without blanks is cut into pieces, most of which are no words: that one of these is nowhere says little. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const OF_NO_WORD = 0.2;

/** Asks for an amount: the answer has the amount in its place. */
const AMOUNT = /\bhow (many|much|often)\b/gi;

/**
 * Compares a question with each sentence of what was found. A term weighs the more the fewer of the hits have it: what all have tells none from the
 * other. One that none has weighs most.
 */
export function matchSentences(question: string, hits: readonly Hit[]): MatchedHit[] {
  const asked = termsOf(question.replace(AMOUNT, 'how'));
  const prepared = hits.map((hit) => ({
    hit,
    headings: new Set(termsOf([hit.title, ...hit.heading_path].join('\n'))),
    sentences: sentencesOf(hit.text).map((sentence) => ({ sentence, terms: termsOf(sentence.text) })),
  }));
  const found = prepared.map(({ headings, sentences }) => {
    const all = new Set(headings);
    for (const { terms } of sentences) for (const term of terms) all.add(term);
    return all;
  });
  const weights = new Map<string, number>();
  for (const term of asked) {
    const count = found.filter((terms) => terms.has(term)).length;
    const weight = Math.log(1 + (hits.length - count + 0.5) / (count + 0.5));
    weights.set(term, count === 0 && UNSPACED.test(term) ? weight * OF_NO_WORD : weight);
  }
  const total = sumOf(weights.values());
  const pairsAsked = pairsOf(asked);
  const pairsTotal = sumOf([...pairsAsked.values()].map(([a, b]) => weights.get(a)! + weights.get(b)!));

  const shareIn = (terms: ReadonlySet<string>, headings: ReadonlySet<string>): number => {
    let share = 0;
    for (const [term, weight] of weights)
      share += terms.has(term) ? weight : headings.has(term) ? weight * IN_HEADINGS : 0;
    return total > 0 ? share / total : 0;
  };
  const pairsIn = (terms: readonly string[]): number => {
    let share = 0;
    for (const pair of pairsOf(terms).keys()) {
      const both = pairsAsked.get(pair);
      if (both) share += weights.get(both[0])! + weights.get(both[1])!;
    }
    return pairsTotal > 0 ? share / pairsTotal : 0;
  };

  return prepared.map(({ hit, headings, sentences }) => ({
    hit,
    sentences: sentences.map(({ sentence, terms }, at) => {
      const own = new Set(terms);
      return {
        sentence,
        share: shareIn(own, headings),
        shareOfTwo: shareIn(new Set([...own, ...(sentences[at + 1]?.terms ?? [])]), headings),
        pairs: pairsIn(terms),
      };
    }),
  }));
}

function termsOf(text: string): string[] {
  return analyse(text)
    .split(' ')
    .filter((term) => term !== '');
}

/** Neighbours among terms, each pair once. */
function pairsOf(terms: readonly string[]): Map<string, [string, string]> {
  return new Map(terms.slice(1).map((term, at) => [`${terms[at]} ${term}`, [terms[at]!, term]]));
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
