import { analyze } from '@chorus/search';
import { type Sentence, sentencesOf } from '../ranking/sentences.ts';

/** Minimum length of a quote in a statement to look up. */
const MIN_QUOTE = 12;

/** Numbers rarely match by chance. */
const NUMBER_WEIGHT = 2;

/** A second sentence is added if it covers this much more of the statement, by weight. */
const MIN_SECOND_GAIN = 0.25;

const MAX_QUOTE = 700;

const IN_QUOTES = /["“„«»”]([^"“„«»”\n]{3,500})["“”«»]/g;

/** A source prepared for repeated lookups. */
export interface QuotedSource {
  text: string;
  sentences: readonly Sentence[];
  terms: readonly ReadonlySet<string>[];
}

export function quotedSource(text: string): QuotedSource {
  const sentences = sentencesOf(text);
  return { text, sentences, terms: sentences.map((sentence) => new Set(termsOf(sentence.text))) };
}

/**
 * Returns one or two consecutive sentences that support a statement, verbatim. Prefers text that the statement
 * quotes, then the best match with the statement, then with the question.
 *
 * @returns Empty if the source is empty.
 */
export function quoteFor(statement: string, source: QuotedSource, question: string): string {
  const { sentences } = source;
  const found = quotedIn(statement, source.text) ?? best(source, statement) ?? best(source, question);
  return found ?? sentences.find(({ text }) => !text.startsWith('#'))?.text ?? sentences[0]?.text ?? '';
}

/** Returns the longest quote in the statement that occurs in the source, in the spelling of the source. */
function quotedIn(statement: string, source: string): string | null {
  const quotes = [...statement.matchAll(IN_QUOTES)].map(([, quote = '']) => quote.trim());
  for (const quote of quotes.sort((one, other) => other.length - one.length)) {
    if (quote.length < MIN_QUOTE) break;
    // Whitespace may differ, for example at line breaks.
    const pattern = quote
      .replace(/[.,;:!?…]+$/, '')
      .split(/\s+/)
      .map((word) => RegExp.escape(word))
      .join('\\s+');
    const match = new RegExp(pattern, 'iu').exec(source);
    if (match) return match[0];
  }
  return null;
}

function best({ text, sentences, terms }: QuotedSource, statement: string): string | null {
  const wanted = new Set(termsOf(statement));
  if (wanted.size === 0 || sentences.length === 0) return null;
  const weights = weightsOf(wanted, terms);
  const share = (indexes: readonly number[]) => {
    let held = 0;
    for (const [term, weight] of weights) if (indexes.some((index) => terms[index]?.has(term))) held += weight;
    return held;
  };
  let first = 0;
  for (let index = 1; index < sentences.length; index += 1) {
    // On a tie the shorter sentence wins.
    const more = share([index]) - share([first]);
    if (more > 0 || (more === 0 && lengthOf(sentences[index]) < lengthOf(sentences[first]))) first = index;
  }
  const alone = share([first]);
  if (alone === 0) return null;
  const beside = [first - 1, first + 1]
    .filter((index) => sentences[index] !== undefined)
    .map((index) => ({ index, gain: share([first, index]) - alone }))
    .sort((one, other) => other.gain - one.gain)[0];
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const second = beside && beside.gain >= whole * MIN_SECOND_GAIN ? beside.index : first;
  const start = sentences[Math.min(first, second)]?.start ?? 0;
  const end = sentences[Math.max(first, second)]?.end ?? 0;
  return end - start > MAX_QUOTE ? (sentences[first]?.text ?? null) : text.slice(start, end);
}

/** Weighs the statement's terms: rarer terms more, missing ones not at all. */
function weightsOf(wanted: ReadonlySet<string>, sentences: readonly ReadonlySet<string>[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of wanted) {
    const having = sentences.filter((terms) => terms.has(term)).length;
    if (having === 0) continue;
    weights.set(term, Math.log(1 + sentences.length / having) * (/\p{N}/u.test(term) ? NUMBER_WEIGHT : 1));
  }
  return weights;
}

const termsOf = (text: string) => analyze(text).split(' ').filter(Boolean);
const lengthOf = (sentence: Sentence | undefined) => sentence?.text.length ?? 0;
