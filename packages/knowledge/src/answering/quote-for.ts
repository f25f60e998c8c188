import { analyse } from '@chorus/search';
import { type Sentence, sentencesOf } from '../ranking/sentences.ts';

/** A quote that a model gives itself must have so many characters to be one. */
const LEAST_QUOTED = 12;

/** What a number says is rarely said by chance. */
const FIGURE_WEIGHT = 2;

/** A second sentence belongs to the quote where it holds so much more of the statement, as a share of its weight. */
const GAIN_OF_SECOND = 0.25;

/** The longest quote, in characters. */
const MAX_QUOTE = 700;

const IN_QUOTES = /["“„«»”]([^"“„«»”\n]{3,500})["“”«»]/g;

/** A source whose sentences are looked up more than once. */
export interface QuotedSource {
  text: string;
  sentences: readonly Sentence[];
  /** Of each sentence. */
  terms: readonly ReadonlySet<string>[];
}

export function quotedSource(text: string): QuotedSource {
  const sentences = sentencesOf(text);
  return { text, sentences, terms: sentences.map((sentence) => new Set(termsOf(sentence.text))) };
}

/**
 * What of a source holds a statement: one or two sentences that follow each other, word for word as they stand there (a piece of the source's text always). What the
 * statement itself quotes is taken where the source has it; else what shares most with the statement, or with the question where nothing does.
 *
 * @returns empty: the source says nothing
 */
export function quoteFor(statement: string, source: QuotedSource, question: string): string {
  const { sentences } = source;
  const found = quotedIn(statement, source.text) ?? best(source, statement) ?? best(source, question);
  return found ?? sentences.find(({ text }) => !text.startsWith('#'))?.text ?? sentences[0]?.text ?? '';
}

/** The longest of what a statement puts in quotation marks, as the source writes it; null: the source has none of it. */
function quotedIn(statement: string, source: string): string | null {
  const quotes = [...statement.matchAll(IN_QUOTES)].map(([, quote = '']) => quote.trim());
  for (const quote of quotes.sort((one, other) => other.length - one.length)) {
    if (quote.length < LEAST_QUOTED) break;
    // Blanks may differ, such as where a line of the source ends.
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
    // Of two that hold as much, the shorter says it more plainly.
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
  const second = beside && beside.gain >= whole * GAIN_OF_SECOND ? beside.index : first;
  const start = sentences[Math.min(first, second)]?.start ?? 0;
  const end = sentences[Math.max(first, second)]?.end ?? 0;
  return end - start > MAX_QUOTE ? (sentences[first]?.text ?? null) : text.slice(start, end);
}

/** What each term of the statement says: more, the fewer sentences have it. Those that none has are left out. */
function weightsOf(wanted: ReadonlySet<string>, sentences: readonly ReadonlySet<string>[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of wanted) {
    const having = sentences.filter((terms) => terms.has(term)).length;
    if (having === 0) continue;
    weights.set(term, Math.log(1 + sentences.length / having) * (/\p{N}/u.test(term) ? FIGURE_WEIGHT : 1));
  }
  return weights;
}

const termsOf = (text: string) => analyse(text).split(' ').filter(Boolean);
const lengthOf = (sentence: Sentence | undefined) => sentence?.text.length ?? 0;
